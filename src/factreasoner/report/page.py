"""The report: one HTML file for one or several runs, with a folder for large data.

A page opened from disk can't fetch, so further records are in script files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
import urllib.parse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from factreasoner import __version__
from factreasoner.errors import RunError
from factreasoner.files import make_folder_of, replace_file
from factreasoner.models import Result
from factreasoner.pipeline.config import CALL_SETTINGS, FILE_SETTINGS
from factreasoner.report.record_content import RecordWriter, ReportedResult
from factreasoner.report.run_content import RunContent, colours, label_counts, looks, mark_counts
from factreasoner.runs.finished import FinishedRun, distinct_names, parser_of
from factreasoner.runs.store import PAGE
from factreasoner.text.visible import one_line

EMBEDDED = 4_000_000
"""Maximum characters of records in the page itself."""
IN_A_FILE = 1_000_000
"""Characters of records per script file."""
MOST_RECORDS = 100_000
"""Maximum records listed on a page; scores cover all."""
TITLE_LENGTH = 140
SCRIPTS = (
    *("dom", "data", "labels", "charts", "overview", "records_table"),
    *("corrections", "evidence", "answer", "graph", "matrix", "record", "main"),
)
"""The page's script files, in order."""
_ESCAPED = "<>&\u2028\u2029\x7f"
"""Characters special to HTML, or line ends of JavaScript, as JSON escapes."""


class WrittenReport(NamedTuple):
    """The page, its folder if any, and the number of records shown.

    `left_out` counts those beyond `MOST_RECORDS`.
    """

    path: Path
    folder: Path | None
    records: int
    left_out: int = 0

    def __str__(self) -> str:
        beside = f", with its folder {self.folder}" if self.folder else ""
        if not self.left_out:
            return f"Report: {self.path}{beside}"
        return (
            f"Report: {self.path}{beside}; its scores are of all records, its list has the first "
            f"{self.records:,}, and {self.left_out:,} are not shown: `show` and `export` have them"
        )


def default_page(*run_dirs: Path) -> Path:
    """The default path of a report."""
    return run_dirs[0] / ("side-by-side.html" if len(run_dirs) > 1 else PAGE)


def write_report(runs: Sequence[FinishedRun[Any]], out: Path) -> WrittenReport:
    """Write a page for `runs` to `out`, side by side if there are several.

    Raises:
        RunError: the runs are of different tasks, a journal is damaged, or a file can't be written.
        ConfigError: the folder of `out` can't be made, or a run is given twice.
    """
    names = distinct_names([run.path for run in runs])
    tasks = {run.task.name for run in runs}
    if len(tasks) > 1:
        raise RunError(f"a report is about one task, and these runs are of {', '.join(sorted(tasks))}")
    make_folder_of(out)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as records:
        gathered = _gather(runs, names, records)
        try:
            records.seek(0)
            texts = (line.rstrip("\n") for line in records)
            folder, starts = _write_files(texts, gathered.size, out)
        except OSError as error:
            raise RunError(f"{error.filename or out}: can't be written: {error.strerror}") from error
        embedded = [] if folder else list(texts)
    content = {
        "task": runs[0].task.name,
        "claim": runs[0].task.words.claim,
        "looks": looks(runs[0].task),
        "runs": gathered.runs,
        "digest": gathered.digest,
        "differing": _differing_settings(runs),
        "files": [urllib.parse.quote(folder.name), starts] if folder else None,
        "left_out": gathered.left_out,
        "version": __version__,
    }
    replace_file(out, [_html(content, gathered.rows, embedded)])
    return WrittenReport(out, folder, len(gathered.rows), gathered.left_out)


def json_text(content: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """`content` as JSON that is safe inside a script element.

    Raises ValueError: a number in it is not finite.
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in _ESCAPED:  # five times as fast as str.translate
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@dataclass
class _Gathered:
    """What is kept of records while their content is written."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    left_out: int = 0
    size: int = 0
    digest: str = ""


def _gather(runs: Sequence[FinishedRun[Any]], names: Sequence[str], records: IO[str]) -> _Gathered:
    """Read all runs once; the content of each listed record becomes a line of `records`."""
    gathered, digest = _Gathered(), hashlib.sha256()
    overviews, writers = [RunContent(run) for run in runs], [RecordWriter(run) for run in runs]
    for found in _records(runs):
        scored = [overview.add(one) if one else None for overview, one in zip(overviews, found, strict=True)]
        known = [one for one in scored if one]
        if len(gathered.rows) == MOST_RECORDS:
            gathered.left_out += 1
            continue
        contents = [writer.content(one) if one else None for writer, one in zip(writers, scored, strict=True)]
        text = json_text(_shared(known[0].result) | {"runs": contents})
        records.write(f"{text}\n")
        digest.update(text.encode("utf-8"))
        gathered.rows.append(json_text(_row(scored)))
        gathered.size += len(text)
    gathered.runs = [overview.content(name) for overview, name in zip(overviews, names, strict=True)]
    gathered.digest = digest.hexdigest()[:16]
    return gathered


def _records(runs: Sequence[FinishedRun[Any]]) -> Iterator[list[Result | None]]:
    """Each record's results, one per run or None, in the order of the first run."""
    known = [frozenset(run.ids) for run in runs]
    ids = dict.fromkeys(record for run in runs for record in run.ids)
    results = [run.results(filter(own.__contains__, ids)) for run, own in zip(runs, known, strict=True)]
    for record in ids:
        yield [next(one) if record in own else None for one, own in zip(results, known, strict=True)]


def _shared(result: Result) -> dict[str, Any]:
    """The fields that are the same in every run of a record."""
    meta = [
        [key, value if isinstance(value, str) else json_text(value)] for key, value in result.metadata.items()
    ]
    return {"id": result.record_id, "prompt": result.prompt, "topic": result.topic, "meta": meta}


def _row(scored: Sequence[ReportedResult | None]) -> list[Any]:
    """A record in the table of all.

    Its id, title and topic; how many claims differ in label, and how many are not in every run; and the
    `_counts` of each run.
    """
    result = next(one.result for one in scored if one)
    return [
        result.record_id,
        one_line(result.prompt or result.topic or result.response, TITLE_LENGTH),
        result.topic or "",
        list(_differing(scored)),
        [one and _counts(one) for one in scored],
    ]


def _counts(scored: ReportedResult) -> list[Any]:
    """A record's status and its numbers of claims by label and mark."""
    rows = scored.main_rows
    marks = mark_counts(rows)
    return [scored.result.status, dict(label_counts(rows)), *([dict(marks)] if marks else [])]


def _differing(scored: Sequence[ReportedResult | None]) -> tuple[int, int]:
    """How many claims differ in label between runs, and how many a run lacks.

    A run without the record lacks none.
    """
    runs = [{(row.of, row.text): row.label for row in one.main_rows} for one in scored if one is not None]
    found = [[run[claim] for run in runs if claim in run] for claim in set().union(*runs)]
    differing = sum(len(set(labels)) > 1 for labels in found)
    return differing, sum(len(labels) < len(runs) for labels in found)


def _differing_settings(runs: Sequence[FinishedRun[Any]]) -> list[list[Any]]:
    """Settings that differ between runs, except those that affect only speed, with each value."""
    settings = [
        run.config.model_dump(mode="json", exclude=set(CALL_SETTINGS - FILE_SETTINGS))
        | {"corrections": run.corrections, "parser": parser_of(run.path) or "none"}
        for run in runs
    ]
    values = {key: [_setting(found[key]) for found in settings] for key in settings[0]}
    return [[key.replace("_", " "), found] for key, found in values.items() if len(set(found)) > 1]


def _setting(value: object) -> str:
    if value is None:
        return "not set"
    return "none" if value in ([], {}) else str(value)


def _write_files(texts: Iterable[str], size: int, out: Path) -> tuple[Path | None, list[int]]:
    """Write the folder beside the page for many records; returns it and each file's first record.

    Earlier content is removed.
    """
    folder = out.with_name(f"{out.stem}_files")
    for old in folder.glob("records-*.js"):
        old.unlink()
    if size <= EMBEDDED:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        return None, []
    folder.mkdir(exist_ok=True)
    starts = [0]
    for number, some in enumerate(_filled(texts)):
        starts.append(starts[-1] + len(some))
        call = f"factreasonerRecords({number},{json_text(some)});\n"
        (folder / f"records-{number + 1:04d}.js").write_text(call, encoding="utf-8")
    return folder, starts[:-1]


def _filled(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in groups that fill a file."""
    before = 0

    def file_of(text: str) -> int:
        nonlocal before
        before += len(text)
        return (before - len(text)) // IN_A_FILE

    return (list(some) for _, some in groupby(texts, file_of))


def _hash_of(text: str) -> str:
    """The hash of an inline script or style for the content security policy."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _html(content: dict[str, Any], rows: Sequence[str], records: Sequence[str]) -> str:
    assets = files("factreasoner.report") / "assets"
    parts = [(assets / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    script = "(() => {\n'use strict';\n" + "\n".join(parts) + "\n})();"
    style = f"{(assets / 'style.css').read_text(encoding='utf-8')}{colours()}"
    environment = Environment(
        loader=PackageLoader("factreasoner.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Scripts that the page's own script adds are trusted as it is: the files of records, and nothing else.
    further = " 'strict-dynamic'" if content["files"] else ""
    scripts, styles = f"script-src {_hash_of(script)}{further}", f"style-src {_hash_of(style)}"
    forbidden = ("base-uri 'none'", "form-action 'none'")
    return environment.get_template("page.html").render(
        policy="; ".join(("default-src 'none'", scripts, styles, "img-src data:", *forbidden)),
        title=" and ".join(run["name"] for run in content["runs"]),
        style=style,
        script=script,
        content=json_text(content),
        rows=f"[{','.join(rows)}]",
        records=records,
    )
