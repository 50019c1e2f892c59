"""Read, write and atomically replace files, compressed or not (gzip, Zstandard)."""

from __future__ import annotations

import contextlib
import csv
import errno
import filecmp
import gzip
import io
import itertools
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Literal, NamedTuple, TypeVar, cast

from factreasoner.errors import ConfigError, InputError, InputProblem, RunError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from typing_extensions import Buffer

TableFormat = Literal["csv", "jsonl", "parquet", "md"]
P = TypeVar("P", bound=PurePath)


class _Form(NamedTuple):
    """A compression format: its magic bytes, and the command that tests a file."""

    name: str
    magic: tuple[bytes, ...]
    test: str


_FORMS = {
    ".gz": _Form("gzip", (b"\x1f\x8b",), "gzip -t"),
    # the second is that of a part to skip, as pzstd writes it
    ".zst": _Form("Zstandard", (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"), "zstd -t"),
}
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError)
_BLOCK = 1 << 17
BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 64 * 2**20
"""Maximum bytes of an unpacked line, with its end."""
TOO_LONG = f"longer than {LONGEST_LINE // 2**20} MiB"
LONGEST_CELL = 100_000_000
ESCAPED = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python's `surrogateescape` keeps it in a text."""


NO_LETTER = "\N{REPLACEMENT CHARACTER}"
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which stand for bytes of a file's name that are not UTF-8."""


def resolve_links(path: Path) -> Path:
    """The path with links resolved, as far as possible in a circle."""
    return Path(os.path.realpath(path))


def uncompressed_name(path: P) -> P:
    """The path without a compression ending."""
    return path.with_suffix("") if path.suffix.lower() in _FORMS else path


def open_file(path: Path) -> io.BufferedReader:
    """A file to read, unpacked if its first bytes are those of a compressed file.

    It is seekable; seeking backwards reads a compressed file again.

    Raises OSError: it can't be read, or (also while reading) compressed data is damaged or cut short.
    """
    return unpack_file(path.open("rb"))


def unpack_file(file: IO[bytes]) -> io.BufferedReader:
    """The content of the open `file`, decompressed if necessary. It closes `file`.

    Raises as `open_file` does.
    """
    # what open() and the temporary files give
    buffered = cast("io.BufferedReader", file)
    form = _form_of(buffered.peek(4))
    return buffered if form is None else io.BufferedReader(_Unpacking(buffered, form), _BLOCK)


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed. Raises OSError."""
    with path.open("rb") as file:
        return _form_of(file.peek(4)) is not None


def _form_of(head: bytes) -> _Form | None:
    return next((form for form in _FORMS.values() if head.startswith(form.magic)), None)


@contextlib.contextmanager
def compressed_writer(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """`file` for writing, compressed if the ending of `path` says so."""
    match path.suffix.lower():
        case ".gz":
            # The same content makes the same file: neither name nor time is kept in it.
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        case ".zst":
            with zstd.ZstdFile(file, "wb") as packed:
                yield cast("IO[bytes]", packed)
        case _:
            yield file


class _Unpacking(io.RawIOBase):
    """The content of a compressed file; counts lines, so that damage can be located."""

    def __init__(self, file: io.BufferedReader, form: _Form) -> None:
        self._file, self._form = file, form
        zipped = form is _FORMS[".gz"]
        self._content = gzip.GzipFile("", "rb", fileobj=file) if zipped else zstd.ZstdFile(file, "rb")
        self._line: int | None = 1

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        try:
            # one block at a time: a longer read that meets damage would lose the blocks before it
            size = self._content.readinto1(buffer)
        except _DAMAGE as error:
            raise self._damaged(error) from error
        if self._line is not None:
            self._line += bytes(memoryview(buffer)[:size]).count(b"\n")
        return size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._line = 1 if offset == 0 and whence == io.SEEK_SET else None
        try:
            return self._content.seek(offset, whence)
        except _DAMAGE as error:
            raise self._damaged(error) from error

    def tell(self) -> int:
        return self._content.tell()

    def close(self) -> None:
        self._content.close()
        self._file.close()
        super().close()

    def _damaged(self, error: Exception) -> OSError:
        what = "cut short" if isinstance(error, EOFError) else "damaged"
        place = "" if self._line is None else f" in or after line {self._line:,}"
        remedy = f"fetch or pack it again; `{self._form.test} FILE` tests a file"
        return OSError(errno.EIO, f"its {self._form.name} data is {what}{place}; {remedy}")


_TEMPORARY = ".{name}.{process}.tmp"


def make_folder_of(path: Path) -> None:
    """Create the folder of a file to write. Raises ConfigError: it can't be created, or `path` is one."""
    if path.is_dir():
        raise ConfigError(f"{path}: a folder; name a file in it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "a file has its name" if isinstance(error, FileExistsError) else error.strerror
        raise ConfigError(
            f"{path}: the folder {path.parent} can't be made: {why}; choose another place"
        ) from error


def replace_file(path: Path, lines: Iterable[str], *, touch: bool = True) -> None:
    """Write `lines` to a temporary file and move it to `path`, so that readers see a complete file.

    Compressed if the ending of `path` says so. Without `touch`, an identical file keeps its time.

    Raises RunError: the file can't be written.
    """
    temporary = path.with_name(_TEMPORARY.format(name=path.name, process=os.getpid()))
    in_json = uncompressed_name(path).suffix in (".json", ".jsonl")

    def mark(found: re.Match[str]) -> str:
        return f"\\u{ord(found[0]):04x}" if in_json else NO_LETTER

    try:
        with temporary.open("wb") as file:
            with compressed_writer(path, file) as packed:
                packed.writelines(f"{_NO_TEXT.sub(mark, line)}\n".encode() for line in lines)
            file.flush()
            os.fsync(file.fileno())
        if touch or not path.exists() or not filecmp.cmp(temporary, path, shallow=False):
            temporary.replace(path)
    except OSError as error:
        raise RunError(f"{path}: can't be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):  # the first error names the problem
            temporary.unlink(missing_ok=True)


def remove_unfinished(*paths: Path) -> None:
    """Remove unfinished new versions of `paths` left by killed processes."""
    for path in paths:
        for left in path.parent.glob(_TEMPORARY.format(name=path.name, process="*")):
            left.unlink(missing_ok=True)


def lines_of(file: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of every line that is not blank, from the current position.

    A line longer than `LONGEST_LINE` bytes is cut to one byte more; the rest is never in memory.
    """
    offset = number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number, size, part = number + 1, len(raw), raw
        while len(part) > LONGEST_LINE and not part.endswith(b"\n"):
            part = file.readline(LONGEST_LINE + 1)
            size += len(part)
        if raw.removeprefix(BOM).lstrip():
            yield number, offset, raw
        offset += size


class CsvTable:
    """The rows of a CSV table; the separator is the one most frequent in the first line.

    `line` is the number of the last line read. Bytes that are not UTF-8 are escaped, see `ESCAPED`. While
    reading, csv.Error reports what is wrong with the row that begins in line `begins`.
    """

    def __init__(self, file: IO[bytes], separators: str) -> None:
        self.line, self.begins = 0, 1
        self.separator = separators
        self._file = file

    def __iter__(self) -> Iterator[list[str]]:
        csv.field_size_limit(LONGEST_CELL)  # it is the process's, and other threads may be reading
        lines = self._lines()
        top: list[str] = []
        while not top or top[-1].isspace():
            top.append(next(lines, ""))
        self.separator = max(self.separator, key=top[-1].count)
        for row in csv.reader(itertools.chain(top, lines), delimiter=self.separator, strict=True):
            yield row
            self.begins = self.line + 1

    def _lines(self) -> Iterator[str]:
        """The lines, with any line ending."""
        while raw := self._file.readline(LONGEST_LINE + 1):
            text = raw.removeprefix(b"" if self.line else BOM).decode("utf-8", "surrogateescape")
            for line in io.StringIO(text, newline=""):
                self.line += 1
                if len(raw) > LONGEST_LINE:
                    raise csv.Error(TOO_LONG)
                yield line


def describe_table_error(error: csv.Error) -> str:
    """What is wrong with the row at this position, and the fix."""
    return f"not a clean table: {error}; check the quotes of the row that begins here"


def describe_read_error(error: OSError) -> str:
    """Why a file can't be read; if it does not exist, with the fix."""
    return f"can't be read: {error.strerror}{'; check the path' * isinstance(error, FileNotFoundError)}"


def text_of(path: Path | str, most: int = -1, field: str = "") -> str:
    """The text of a UTF-8 file, or its first `most` characters; `field` is the setting that names it.

    Raises InputError: unreadable, or not UTF-8.
    """
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            return file.read(most)
    except OSError as error:
        raise InputError([InputProblem(str(path), field, describe_read_error(error))]) from error
    except UnicodeDecodeError as error:
        raise InputError(
            [InputProblem(str(path), field, "not UTF-8; if it is text, save it as UTF-8")]
        ) from error
