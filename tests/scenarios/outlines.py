"""What a file holds, as lines that a diff shows well: of what users are promised, every value."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import frozen
from contract import promised

DIGITS = 6
PROMISED = {
    name.removeprefix("+")
    for names in promised((frozen.ROOT / "tests/data/contract.txt").read_text(encoding="utf-8")).values()
    for name in names
}
"""Other keys may change or go, and are not recorded."""
LEFT_OUT = {  # given, different each time, or not promised
    *("input", "output", "seconds", "elapsed_seconds", "metadata"),
    *("run", "versions", "fingerprint", "size", "crc", "bins", "settings", "sentence", "original"),
    *("start", "end", "belief", "nearness", "nearest", "decided_by", "label_probabilities", "interval_95"),
}
Row = Mapping[str, Any]


def outlines(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """What is in each file, in full for the first of a kind and what differs in it for those that follow."""
    full: dict[str, tuple[str, list[str]]] = {}
    for name in sorted(names, key=lambda name: (name.count("/"), name)):
        path = folder / name
        lines = list(_outline(path))
        first, known = full.setdefault(_kind(path), (name, lines))
        if first == name:
            yield name
            yield from (f"  {line}" for line in lines)
            continue
        differ = [line for line in lines if line not in known]
        yield f"{name}: as {first}{', but for' if differ else ''}"
        yield from (f"  {line}" for line in differ)
        absent = sorted({_key(line) for line in known} - {_key(line) for line in lines})
        yield from [f"  without {', '.join(absent)}"] if absent else []


def _kind(path: Path) -> str:
    if path.parent.name != "evaluation":
        return path.name
    return "results.jsonl" if path.name == "records.jsonl" else f"evaluation/{path.name}"


def _key(line: str) -> str:
    return line.split(": ")[0].split(" ")[0]


def _outline(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.parent.name == "batches" and path.suffix == ".jsonl":
        yield f"{len(text.splitlines())} lines"
    elif path.name in OF_NAMES:
        yield from OF_NAMES[path.name](text)
    elif path.suffix in OF_SUFFIXES:
        yield from OF_SUFFIXES[path.suffix](text)


def flow(value: Any) -> str:
    """A value in one line, numbers rounded, without what is empty or left out."""
    if isinstance(value, float):
        shown = f"{round(value, DIGITS) + 0.0:.{DIGITS}f}".rstrip("0")
        return f"{shown}0" if shown.endswith(".") else shown
    if isinstance(value, Mapping):
        kept = ((k, v) for k, v in value.items() if k not in LEFT_OUT and not _empty(v))
        return f"{{{', '.join(f'{key}: {flow(item)}' for key, item in kept)}}}"
    if isinstance(value, list):
        if value and all(isinstance(item, Mapping) and "variable" in item for item in value):
            return flow({item["variable"]: item["probabilities"][1] for item in value})
        if value and all(isinstance(item, Mapping) and len(item) == 1 for item in value):
            pairs = (pair for item in value for pair in item.items())
            return flow({name: " ".join(map(flow, about.values())) for name, about in pairs})
        return f"[{', '.join(map(flow, value))}]"
    return str(value).replace("\n", "\\n")


def table(rows: Iterable[Row], keys: Container[str] = PROMISED) -> Iterator[str]:
    """A line for each promised key, or each of `keys`: its value in every row, once where all have the same.

    Items that have an id have a line each.
    """
    rows = list(rows)
    for key in dict.fromkeys(key for row in rows for key in row if key in keys and key not in LEFT_OUT):
        values = [row.get(key) for row in rows]
        if any(map(_has_items, values)):
            yield from (f"{key} {row['id']}: {flow(item)}" for row in rows for item in row.get(key) or ())
        elif not all(map(_empty, values)):
            shown = ["-" if _empty(value) else flow(value) for value in values]
            yield f"{key}: {shown[0] if len(set(shown)) == 1 else ' | '.join(shown)}"


def _has_items(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, Mapping) and "id" in item for item in value)


def _empty(value: Any) -> bool:
    """Whether it says nothing: counts that are all 0 do not."""
    if isinstance(value, Mapping):
        return not any(item and not _empty(item) for item in value.values())
    return value is None or value in ("", [])


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def _rows(text: str) -> Iterator[str]:
    rows = _lines(text)
    yield f"{len(rows)} lines"
    yield from table(rows)


def _object(text: str) -> Iterator[str]:
    yield from (f"{key}: {flow(value)}" for key, value in json.loads(text).items() if not _empty(value))


def _summary(text: str) -> Iterator[str]:
    found = json.loads(text)
    metrics = found.pop("metrics", {})
    found["gold"] = {k: v for k, v in (found.get("gold") or {}).items() if not isinstance(v, float | list)}
    yield from table([found])
    for name, of in metrics.items():
        if isinstance(of, Mapping) and of["value"] is not None:
            interval = flow(of["interval_95"] or "no interval")
            yield f"metrics.{name}: {flow(of['value'])} {interval} n {of['records']}"


def _manifest(text: str) -> Iterator[str]:
    """Settings that are not as they come, and of prompts and files the names."""
    from factreasoner.pipeline.config import SETTINGS

    found = json.loads(text)
    usual = _defaults() | {key: value for key, value in found["config"].items() if key not in PROMISED}
    given = found["config"]
    found["config"] = {
        k: given[k] for k in SETTINGS if k in given and k != "cache_dir" and given[k] != usual.get(k)
    }
    found |= {key: list(found[key]) for key in ("prompts", "files") if key in found}
    return table([found])


def _defaults() -> dict[str, Any]:
    from factreasoner.pipeline.config import Config

    return Config().model_dump(mode="json")


def _journal(text: str) -> Iterator[str]:
    """Each record's verdicts."""
    for line in sorted(_lines(text), key=lambda line: str(line["id"])):
        said = sorted(
            f"{v['context_id']}>{v['target_id']} {v['label'][0].upper()} {flow(v['probability'])}"
            for v in _verdicts(line["result"])
        )
        yield f"{line['id']} {line['status']} {', '.join(said)}"


def _verdicts(value: Any) -> Iterator[Row]:
    if isinstance(value, Mapping) and {"context_id", "target_id", "label"} <= value.keys():
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _verdicts(item)


def _csv(text: str) -> Iterator[str]:
    rows = list(csv.DictReader(io.StringIO(text)))
    yield f"{len(rows)} rows"
    yield from table({key: _number(value) for key, value in row.items()} for row in rows)


def _number(text: str) -> Any:
    return float(text) if re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", text) else text


def _markdown(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    yield from table({k: _number(v) for k, v in zip(cells[0], row, strict=True)} for row in cells[2:])


def _page(text: str) -> Iterator[str]:
    """Its title, its list of records, and each record's scores."""
    yield from re.findall(r"<title>.*</title>", text)
    for name, data in re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', text):
        found = json.loads(data)
        if name == "rows":
            yield from map(flow, found)
        elif name.startswith("record-"):
            scores = [score[:2] for run in found["runs"] for score in run["scores"]]
            yield f"{name}: {flow(scores)}"


OF_NAMES = {
    "scored_again.json": _manifest,
    "journal.jsonl": _journal,
    "manifest.json": _manifest,
    "summary.json": _summary,
}
OF_SUFFIXES = {
    ".jsonl": _rows,
    ".json": _object,
    ".csv": _csv,
    ".md": _markdown,
    ".html": _page,
    ".xml": str.splitlines,
    ".txt": str.splitlines,
}
