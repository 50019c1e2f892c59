"""Strict reading of JSON lines; every problem comes with its fix."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import jiter

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import BOM, LONGEST_LINE, TOO_LONG, lines_of, open_file
from factreasoner.inputs.problems import DEEPEST
from factreasoner.models.formatting import describe

HEAD_BYTES = 65536
TABLES = {".tsv": "\t", ".csv": ",;\t"}
"""Table file endings -> possible separators."""
EACH_LINE, THE_BODY = "each line", "the body"
ROOM = 10
"""Nesting levels reserved for the journal's wrapping of a record."""

_BEGINNINGS = {
    rb"BZh": "bzip2-compressed; unpack it first: bunzip2 -c FILE > records.jsonl",
    rb"\xfd7zXZ": "xz-compressed; unpack it first: xz -dc FILE > records.jsonl",
    rb"PK\x03\x04": "a zip archive or an Excel workbook; export it as JSONL, one record a line",
    rb"\xff\xfe|\xfe\xff": "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW_FILE",
    rb"(?s).{0,64}\0": "a binary file, or UTF-16 text; save its records as JSONL or CSV, in UTF-8",
    rb"\s*\[": "a JSON array; write one record a line: jq -c '.[]' FILE > records.jsonl",
    rb"\s*\{[^\S\n]*\n": "a JSON object over several lines; write one record a line: jq -c . FILE > "
    "records.jsonl; if a key of it holds the records, jq -c '.KEY[]' FILE > records.jsonl",
}
"""First bytes of files that are neither JSON lines nor tables, and what they are."""
_REMEDIES = {
    "breaks off": "{each} must be a whole object",
    "trailing characters": "{each} holds one object and nothing after it",
    "recursion limit": f"it is nested too deeply: lists and objects may nest {DEEPEST} deep",
    "duplicate key": "keep one",
    "hex escape": "half of a surrogate pair is not a character; write both halves, or the character itself",
    "number out of range": "write it as a string",
    "": "{each} holds one JSON object",
}
_NO_NUMBER = re.compile(rb"NaN|Infinity")


def describe_other_format(head: bytes) -> str | None:
    """What a file is that can't be JSON lines or a table, and the fix."""
    kind = next((what for how, what in _BEGINNINGS.items() if re.match(how, head.removeprefix(BOM))), None)
    return kind and f"this is {kind}"


def _file_problem(file: IO[bytes], form: str) -> str | None:
    """Why an open file can't be JSONL, and the fix; `form` describes its lines."""
    text = file.read(HEAD_BYTES).removeprefix(BOM)
    if message := describe_other_format(text):
        return message
    if not text.strip() or text.lstrip().startswith(b"{"):
        return None
    file.seek(0)
    found = any(line.removeprefix(BOM).lstrip().startswith(b"{") for _, _, line in lines_of(file))
    return None if found else f"no line of it is a JSON object; {form}"


class InputLine(NamedTuple):
    """A line's object, its place in messages ("file.jsonl:12"), number, and byte offset."""

    where: str
    number: int
    offset: int
    data: dict[str, Any]


def objects_of(path: Path, problems: list[InputProblem], form: str) -> Iterator[InputLine]:
    """The objects of a JSONL file, compressed or not. Other lines become `problems`.

    `form` describes a line, for a file without any object.

    Raises InputError: the file can't be read, or can't be JSONL.
    """
    try:
        with open_file(path) as file:
            yield from objects_in(file, str(path), problems, form)
    except OSError as error:
        raise unreadable(str(path), error) from error


def objects_in(
    file: IO[bytes], name: str, problems: list[InputProblem], form: str, by: str = ":"
) -> Iterator[InputLine]:
    """As `objects_of`, for an open file; in messages, `by` separates its name from a line number.

    Lines made from a table or an array have another `by`, and are always JSONL.
    """
    if by == ":" and (message := _file_problem(file, form)):
        raise InputError([InputProblem(name, "", message)])
    file.seek(0)
    for number, offset, raw in lines_of(file):
        where = f"{name}{by}{number}"
        try:
            data = parse_line(raw, where=where)
        except InputError as error:
            problems += error.problems
        else:
            yield InputLine(where, number, offset, data)


def parse_line(raw: bytes, *, where: str, each: str = EACH_LINE) -> dict[str, Any]:
    """The JSON object on one line; `each` names what holds one object.

    Stricter than Python's reader: repeated keys, NaN, infinities and half surrogate pairs are refused,
    because they would lose or corrupt data.

    Raises InputError: with one problem.
    """
    message = f"{TOO_LONG}; write one record a line, or split the record"
    if len(raw) <= LONGEST_LINE:
        try:
            data = decode_json(raw.removeprefix(BOM).rstrip())
        except ValueError as error:
            message = describe_json_error(error, raw, each=each)
        else:
            if isinstance(data, dict):
                return data
            message = f"is {describe(data)}; {each} must be an object: {{...}}"
    raise InputError([InputProblem(where, "", message)])


def decode_json(raw: bytes) -> object:
    """The value of a JSON text. Raises ValueError; `describe_json_error` explains it."""
    value = jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True)
    if raw.count(b"[") + raw.count(b"{") > DEEPEST:
        jiter.from_json(b"[" * ROOM + raw + b"]" * ROOM)
    return value


_RECODE = (
    "correct it, or, if all of the file has another encoding, convert it: iconv -f LATIN1 -t UTF-8 FILE > "
    "NEW_FILE"
)


def not_utf8(byte: int, place: str = "", remedy: str = _RECODE) -> str:
    """The message for a byte that is not UTF-8, with the fix."""
    return f"not UTF-8: byte 0x{byte:02x}{place}; {remedy}"


def describe_json_error(error: ValueError, raw: bytes, *, each: str) -> str:
    """What `decode_json` found wrong with a text, and the fix."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        place = "" if each == EACH_LINE else f" at position {bad.start}"
        return not_utf8(raw[bad.start], place, "send UTF-8" if each == THE_BODY else _RECODE)
    reason = str(error).replace("at line 1 column", "at column")
    reason = re.sub(r"^EOF while parsing .* at", "it breaks off at", reason)
    reason = reason.replace("expected ident", "expected true, false or null")
    remedy = next(remedy for word, remedy in _REMEDIES.items() if word in reason)
    if raw.lstrip().startswith(b"{'"):
        remedy = "this looks like Python; write it with json.dumps, which uses double quotes"
    elif ("expected value" in reason or "invalid number" in reason) and _NO_NUMBER.search(raw):
        remedy = "NaN and Infinity are not JSON values: write null"
    reason = reason[:1].lower() + reason[1:]
    return f"not JSON: {reason}; {remedy.format(each=each)}"


def unreadable(name: str, error: OSError) -> InputError:
    """The error for a file that can't be read."""
    remedy = "" if error.errno == errno.EIO else "; give the path of a JSONL file"
    return InputError([InputProblem(name, "", f"can't be read: {error.strerror}{remedy}")])
