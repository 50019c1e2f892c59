"""Results that must not move: recorded verdicts on given atoms, solved and scored by the command line.

No judge, atomizer or model takes part. `python tests/data/frozen/make.py` writes them anew, which is
right only where a change of results is meant; the CHANGELOG then says which and why.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
INPUTS = HERE / "inputs"
RESULTS = HERE / "results"
TOLERANCE = 1e-12
NOT_KEPT = {
    *("input", "output", "topic", "reference", "text", "metadata", "model_name"),  # of the input
    *("elapsed_seconds", "usage", "message", "explanation", "why", "reasons", "reason"),  # volatile, or words
    *("note", "solver", "references", "num_contexts", "gold_true_atoms", "gold_num_atoms", "gold_left_out"),
}
"""Keys of results that are not compared."""
OF_ROWS = ("against", "p_true", "label", "judged", "num_entailing", "num_contradicting", "context")
"""Columns of the table of claims that are compared."""


class Frozen(NamedTuple):
    """A run: its command, records, verdicts and flags. `like` names the run whose results it must have.

    With `rows` the table of claims is compared, too.
    """

    command: str
    data: Path
    relations: Path
    flags: tuple[str, ...] = ()
    like: str = ""
    rows: bool = True

    def arguments(self, out: Path, relations: Path | None = None) -> list[str]:
        """The command line."""
        recorded = ["--judge", "recorded", "--relations", str(relations or self.relations), "--quiet"]
        return [self.command, str(self.data), *recorded, *self.flags, "--out", str(out)]


def _runs() -> Iterator[tuple[str, Frozen]]:
    examples = ROOT / "examples"
    wild = (INPUTS / "wild.jsonl", INPUTS / "wild_relations.jsonl")
    for version in ("1", "2", "3"):
        by = ("--version", version)
        listed = (*by, "--unlisted", "neutral")
        yield (
            f"answers-fr{version}",
            Frozen(
                "run", examples / "answers.jsonl", examples / "relations.jsonl", listed, rows=version == "3"
            ),
        )
        conflict = (examples / "conflict.jsonl", examples / "conflict_relations.jsonl")
        if version != "1":  # no context of that example belongs to an atom
            yield f"conflict-fr{version}", Frozen("run", *conflict, listed)
        for factors in ("conditional", "table1", "reference")[: int(version)]:
            yield (
                f"wild-fr{version}-{factors}",
                Frozen("run", *wild, (*by, "--factors", factors), rows=factors == "conditional"),
            )
    for solver in ("exact", "pgmpy"):
        solved = ("--version", "3", "--factors", "table1", "--solver", solver)
        yield f"wild-by-{solver}", Frozen("run", *wild, solved, like="wild-fr3-table1", rows=False)
    yield "wild-k3", Frozen("run", *wild, ("--k", "3", "--gamma", "4"), rows=False)
    priors = ("--atom-prior", ".4", "--context-prior", ".8")
    yield "wild-k-half", Frozen("run", *wild, ("--k", "half", *priors), rows=False)
    yield "wild-independence", Frozen("run", *wild, ("--version", "3", "--independence"))
    yield "recall", Frozen("recall", examples / "recall.jsonl", INPUTS / "recall_relations.jsonl")
    yield "rag", Frozen("rag", INPUTS / "rag.jsonl", INPUTS / "rag_relations.jsonl")
    yield (
        "rag-k2",
        Frozen("rag", INPUTS / "rag.jsonl", INPUTS / "rag_relations.jsonl", ("--k", "2", "--limit", "4")),
    )
    cited = (INPUTS / "cited.jsonl", INPUTS / "cited_relations.jsonl")
    yield "verify", Frozen("verify", *cited)
    yield "verify-checked", Frozen("verify", *cited, ("--uncited", "check"))


RUNS = dict(_runs())


def kept(value: Any) -> Any:
    """A value without what is not compared."""
    if isinstance(value, Mapping):
        return {key: kept(item) for key, item in value.items() if key not in NOT_KEPT}
    return [kept(item) for item in value] if isinstance(value, list) else value


def lines_of(folder: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is compared of a finished run: the summary, each record's line, each claim's row of `rows`."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    metrics = {name: [m["value"], m["interval_95"], m["records"]] for name, m in summary["metrics"].items()}
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    shown = [[row["record"], row.get("atom", row.get("claim")), *map(row.get, OF_ROWS)] for row in rows]
    return [{"records": summary["records"], "metrics": metrics}, *map(kept, map(json.loads, lines)), *shown]


def differences(was: Any, now: Any, promised: Container[str], place: str = "") -> Iterator[str]:
    """Where a value is not what it was. Keys that are new, or gone and not promised, are none."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key, value in was.items():
            if key in now:
                yield from differences(value, now[key], promised, f"{place}.{key}")
            elif key in promised:
                yield f"{place}.{key} is missing"
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for n, (before, after) in enumerate(zip(was, now, strict=True)):
            yield from differences(before, after, promised, f"{place}[{n}]")
    elif not _same(was, now):
        yield f"{place}: {was!r} -> {now!r}"


def _same(was: object, now: object) -> bool:
    numbers = isinstance(was, int | float) and isinstance(now, int | float)
    if numbers and not isinstance(was, bool) and not isinstance(now, bool):
        return math.isclose(was, now, rel_tol=TOLERANCE, abs_tol=1.01 * TOLERANCE)
    return type(was) is type(now) and was == now
