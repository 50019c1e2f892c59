"""Strict reading of JSON lines: what is wrong with a line or a file is said in words that help to mend it."""

from __future__ import annotations

import contextlib
import csv
import errno
import itertools
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import jiter

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import opened
from factreasoner.inputs.columns import FIELDS
from factreasoner.inputs.wording import describe

BOM = b"\xef\xbb\xbf"
HEAD_BYTES = 65536
_WRAPPED = re.compile(rb'\{\s*"([\w -]+)"\s*:\s*\[\s*\{')
SEPARATORS = {",": ".csv", ";": ".csv", "\t": ".tsv"}
"""What may separate the cells of a table, and the ending under which it is read as one."""
TABLE_LINES, LONGEST_NAME = 20, 40
"""Lines by which a table is told, and characters that the name of a column has at most."""
BINARY = 0.05
"""Share of characters that are no UTF-8 from which on a file is no text in another encoding either."""
DEEPEST = 100
"""Levels of lists and objects in a record; the journal's writer gives up at about 250."""

LONGEST_LINE = 64 * 2**20
"""Bytes of a line, unpacked, with its end."""

_MAGIC = {
    b"BZh": "bzip2-compressed; unpack it first: bunzip2 -c FILE > records.jsonl",
    b"\xfd7zXZ": "xz-compressed; unpack it first: xz -dc FILE > records.jsonl",
    b"PK\x03\x04": "a zip archive or an Excel workbook; export it as JSONL, one record a line",
    b"\xff\xfe": "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 FILE > records.jsonl",
    b"\xfe\xff": "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 FILE > records.jsonl",
}
_CSV_REMEDY = (
    'python3 -c "import csv, json, sys; [print(json.dumps(row)) for row in csv.DictReader(sys.stdin)]" '
    "< FILE > records.jsonl"
)


class _RejectedError(ValueError):
    """Something Python's JSON reader lets pass."""


def file_problem(head: bytes, *, rename: bool = False) -> str | None:
    """Why a file of these first bytes can't be JSONL at all, and the remedy.

    `rename`: it would be read as a table under another name.
    """
    for magic, message in _MAGIC.items():
        if head.startswith(magic):
            return f"this is {message}"
    text = head.removeprefix(BOM).lstrip()
    if text.startswith(b"["):
        return "this is a JSON array; write one record a line: jq -c '.[]' FILE > records.jsonl"
    if text.partition(b"\n")[0].strip() == b"{":
        return f"a JSON object is spread over lines; {_one_a_line(text)}"
    if text and not any(line.lstrip().startswith(b"{") for line in text.splitlines()):
        return _what_it_is(text, rename=rename)
    return None


def _what_it_is(head: bytes, *, rename: bool) -> str | None:
    """What a file seems to be of which no line is a JSON object."""
    text = head.decode("utf-8", errors="replace")
    if "\0" in text or text.count("\N{REPLACEMENT CHARACTER}") > len(text) * BINARY:
        return 'this is no text, but binary data; write one JSON record a line: {"output": "...", ...}'
    lines = [line for line in text.splitlines()[:TABLE_LINES] if line.strip()]
    for separator, ending in SEPARATORS.items() if lines else ():
        with contextlib.suppress(csv.Error):
            header, *rows = csv.reader(lines, delimiter=separator)
            named = len(header) > 1 and all(0 < len(cell) <= LONGEST_NAME for cell in header)
            if named and any(len(row) == len(header) for row in rows):
                remedy = f"give it a name that ends in {ending}" if rename else f"convert it: {_CSV_REMEDY}"
                return f"this looks like a table with the columns {', '.join(header)}; {remedy}"
    return None


def unwrapping(key: str) -> str:
    """What to do with an object that holds records under `key`."""
    return f"write each of these as a record, one a line: jq -c '.[\"{key}\"][]' FILE > records.jsonl"


def _one_a_line(head: bytes) -> str:
    wrapped = _WRAPPED.match(head)
    key = wrapped[1].decode() if wrapped else None
    if key is not None and not any(key in names for names in FIELDS.values()):
        return f"it holds records under {key!r}: {unwrapping(key)}"
    return (
        "write one record a line: jq -c . FILE > records.jsonl, or where a key of it holds the records, "
        "jq -c '.KEY[]' FILE > records.jsonl"
    )


def lines_of(file: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of every line that is not blank, from where the file stands.

    Of a line of more than `LONGEST_LINE` bytes come so many and one; the rest is passed over unkept.
    """
    offset = 0
    for number in itertools.count(1):
        raw = part = file.readline(LONGEST_LINE + 1)
        if not raw:
            return
        size = len(raw)
        while len(part) > LONGEST_LINE and not part.endswith(b"\n"):
            part = file.readline(LONGEST_LINE + 1)
            size += len(part)
        if not raw.isspace():
            yield number, offset, raw
        offset += size


def parse_line(raw: bytes, *, where: str, offset: int, each: str = "each line") -> dict[str, Any]:
    """The JSON object on one line. `offset` is that of the line's first byte; `each` says where one stands.

    Stricter than Python's reader: a repeated key, NaN, infinities and half a surrogate pair are refused,
    because each would lose or spoil data without a word.

    Raises:
        InputError: with one problem.
    """
    if len(raw) > LONGEST_LINE:
        message = f"longer than {LONGEST_LINE // 2**20} MiB; write one record a line, or split the record"
        raise InputError([InputProblem(where, "", message)])
    try:
        data = jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError:
        data = None
    if isinstance(data, dict) and _is_sound(data):
        return data
    return _parsed_slowly(raw, where, offset, each)


def _parsed_slowly(raw: bytes, where: str, offset: int, each: str) -> dict[str, Any]:
    """What is wrong with a line that the fast reader refuses, in words; its object where nothing is."""
    line = ""
    try:
        line = (raw.removeprefix(BOM) if offset == 0 else raw).decode("utf-8").rstrip("\r\n")
        data = _decoded(line)
    except UnicodeDecodeError as error:
        place = offset + error.start + (len(BOM) if offset == 0 and raw.startswith(BOM) else 0)
        byte = f"byte 0x{error.object[error.start]:02x} at position {place}"
        message = f"not UTF-8: {byte}; convert it: iconv -f LATIN1 -t UTF-8 FILE > records.jsonl"
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        message = (
            f"{half} is half of a surrogate pair and no character; write both halves, or the character itself"
        )
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")
        message = f"not JSON: {reason} at {_column(error)}; {_remedy(line, error, each)}"
    except RecursionError:
        message = f"nested too deeply; lists and objects may nest {DEEPEST} deep"
    except _RejectedError as error:
        message = f"not JSON: {error}"
    except ValueError:  # the only other one: Python refuses to convert integers of over 4,300 digits
        message = "not JSON that can be read: a number has too many digits; write it as a text"
    else:
        if isinstance(data, dict):
            return data
        message = f"is {describe(data)}; {each} must be an object: {{...}}"
    raise InputError([InputProblem(where, "", message)])


def objects_of(path: Path, problems: list[InputProblem]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The objects of a JSONL file, compressed or not, each with its place and line number.

    Other lines become `problems`.

    Raises:
        InputError: the file can't be read, or can't be JSONL at all.
    """
    try:
        with opened(path) as file:
            message = file_problem(file.read(HEAD_BYTES))
            if message is not None:
                raise InputError([InputProblem(str(path), "", message)])
            file.seek(0)
            for number, offset, raw in lines_of(file):
                where = f"{path}:{number}"
                try:
                    yield where, number, parse_line(raw, where=where, offset=offset)
                except InputError as error:
                    problems += error.problems
    except OSError as error:
        raise unreadable(str(path), error) from error


def unreadable(name: str, error: OSError) -> InputError:
    """What to raise for a file that can't be read."""
    remedy = "" if error.errno == errno.EIO else "; give the path of a JSONL file"
    return InputError([InputProblem(name, "", f"can't be read: {error.strerror}{remedy}")])


def decode_json(text: str) -> object:
    """The value that a JSON text describes, read as strictly as a line. Raises ValueError for no JSON."""
    return _DECODER.decode(text)


def _decoded(line: str) -> object:
    data = decode_json(line)
    if "\\ud" in line or "\\uD" in line:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    if isinstance(data, dict) and not _is_sound(data):
        raise RecursionError
    return data


def _is_sound(data: dict[str, Any]) -> bool:
    """Whether lists and objects nest no more than `DEEPEST` deep, and every number is finite."""
    layer: list[dict[str, Any] | list[Any]] = [data]
    for _ in range(DEEPEST):
        nested = []
        for owner in layer:
            for item in owner.values() if isinstance(owner, dict) else owner:
                kind = type(item)
                if kind is dict or kind is list:
                    nested.append(item)
                elif kind is float and not math.isfinite(item):
                    return False
        if not nested:
            return True
        layer = nested
    return False


def _column(error: json.JSONDecodeError) -> str:
    return f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"


def _remedy(line: str, error: json.JSONDecodeError, each: str) -> str:
    if error.msg.startswith("Extra data"):
        return f"{each} holds one object and nothing after it"
    if line.lstrip().startswith("{'"):
        return "this looks like Python; write it with json.dumps, which uses double quotes"
    if error.pos >= len(line.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"it breaks off; {each} holds one whole object"
    return f"{each} holds one JSON object"


def _constant(name: str) -> float:
    raise _RejectedError(f"{name} is no JSON value; write null")


def _number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _RejectedError(f"the number {digits[:20]} is too large; write it as a text")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise _RejectedError(f"the key {repeated!r} stands twice in one object; keep one")
    return data


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_number, object_pairs_hook=_object)
