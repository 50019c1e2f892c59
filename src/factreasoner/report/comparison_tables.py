"""Tables for documents, in Markdown and CSV: comparisons of runs, and modes of factual recall.

Source of the table of modes: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv
2403.03888), Table 2.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from factreasoner.metrics.statistics import OfClaims
from factreasoner.metrics.table import ARROWS, Metric, Table
from factreasoner.models import P_DIGITS
from factreasoner.models.formatting import number_of
from factreasoner.models.rows import by_value
from factreasoner.tasks.task import FACTUALITY, task_named
from factreasoner.text.markdown import cell, markdown_table


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as a CSV file; None is empty, numbers have at most 12 decimals."""
    out = io.StringIO()
    rounded = ([round(v, P_DIGITS) if isinstance(v, float) else v for v in row] for row in rows)
    csv.writer(out, lineterminator="\n").writerows(rounded)
    return out.getvalue()


def json_text(content: Mapping[str, Any]) -> str:
    """The content as JSON, with null for NaN."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False, default=str)


ALIKE = (
    "A difference of 0 means that no record differs, or that the differences cancel out. Its interval shows "
    "what this few records cannot rule out."
)
CSV_COLUMNS = (
    *("score", "run", "value", "low", "high", "baseline", "difference", "difference_low", "difference_high"),
    *("p_value", "p_holm"),
)


def table_of(content: Mapping[str, Any]) -> Table[Any]:
    """The metric table of the content's task."""
    table: Table[Any] = task_named(content["task"]).table
    return table


def k_of(content: Mapping[str, Any]) -> int | str:
    """The K of a run, or its setting if it differs by record."""
    k: int | str = content["k_setting"] if content["k"] is None else content["k"]
    return k


def caption(score: str, content: Mapping[str, Any]) -> str:
    """The name of a score, with its K and the better direction."""
    metric = table_of(content)[score]
    return metric.caption(k_of(content)) + ARROWS[metric.better]


def score_text(metric: Metric, run: Mapping[str, Any], records: int) -> str:
    """A metric's value in one run; "~" marks estimates."""
    found = run["scores"][metric.name]
    about = "~" if run["usage_estimated"] and metric.usage and found["value"] is not None else ""
    return about + metric.text(found["value"]) + partial_count(found, records)


def partial_count(found: Mapping[str, Any], records: int) -> str:
    """The number of records of a score, if fewer than `records`; else ""."""
    return "" if found["value"] is None or found["records"] >= records else f" (n={found['records']})"


def score_rows(content: Mapping[str, Any]) -> Iterator[list[str]]:
    """Rows of the table of means: a score, then its value in every run."""
    runs, table = content["runs"].values(), table_of(content)
    for score in _known_scores(content):
        yield [
            caption(score, content),
            *(score_text(table[score], run, content["num_records"]) for run in runs),
        ]


def same_runs(content: Mapping[str, Any]) -> str:
    """A note that all runs have identical scores and usage; else ""."""
    runs, table = list(content["runs"].values()), table_of(content)
    usage = [[run["scores"][name]["value"] for name in run["scores"] if table[name].usage] for run in runs]
    if not content["identical"] or any(one != usage[0] for one in usage):
        return ""
    return (
        f"The runs are identical: {', '.join(content['runs'])} have the same scores in {records_of(content)}."
    )


def _known_scores(content: Mapping[str, Any]) -> list[str]:
    """The scores that at least one run has, and usage."""
    runs, table = list(content["runs"].values()), table_of(content)
    return [
        name
        for name in runs[0]["scores"]
        if table[name].usage or any(run["scores"][name]["value"] is not None for run in runs)
    ]


def difference_rows(content: Mapping[str, Any], run: str) -> Iterator[list[str]]:
    """Rows of a run's differences: score, difference, interval, p, p after Holm."""
    table = table_of(content)
    for item in content["differences"]:
        metric = table[item["score"]]
        no_usage = metric.usage and item["value"] == 0.0
        if item["run"] != run or item["value"] is None or no_usage:
            continue
        interval = item["interval"] or ()
        low_high = ", ".join(metric.text(end, signed=True) for end in interval)
        p_values = ("" if p is None else f"{p:.4f}" for p in (item["p_value"], item["p_holm"]))
        difference = metric.text(item["value"], signed=True)
        yield [caption(item["score"], content), difference, f"[{low_high}]" if low_high else "", *p_values]


def averages(task: str, metrics: Iterable[Metric]) -> str:
    """Which of a task's metrics are means over records, and which are not."""
    pooled = [metric.shown for metric in metrics if isinstance(metric.average, OfClaims)]
    if not pooled:
        return "Scores are means over records."
    together = f"Over all labelled {task_named(task).words.claim}s together"
    return f"{together}: {', '.join(pooled)}; the other scores are means over records."


def records_of(content: Mapping[str, Any]) -> str:
    """The number of records, as text."""
    return number_of(content["num_records"], "record")


def explanation(content: Mapping[str, Any]) -> list[str]:
    """Explanatory sentences on the numbers."""
    table, factuality = table_of(content), content["task"] == FACTUALITY
    metrics = [table[name] for name in _known_scores(content)]
    usage = "Usage is per record, for judging alone." if factuality else "Usage is per record."
    tested = any(item["p_value"] is not None for item in content["differences"])
    tests = (
        "Differences with paired jackknife-t 95 % intervals over records; p by a paired permutation test "
        f"({content['permutations']} exchanges, or all of them; seed {content['seed']}), then after Holm's "
        "correction for all tests shown. Rows without p were not tested."
    )
    return [
        f"{records_of(content)}; n: the records that have a score, if some lack it. "
        f"{averages(content['task'], metrics)} {usage}",
        f"Judged by: {_judges(content)}.",
        *([tests] if tested else []),
        *_without_interval(content),
        *_same_scores(content),
        *([ALIKE] if any(map(_alike, content["differences"])) else []),
        f"`factreasoner metrics {content['task']}` explains each score.",
    ]


def _judges(content: Mapping[str, Any]) -> str:
    """The judge, or the judge of each run if they differ."""
    judges = by_value({name: run["judged_by"] for name, run in content["runs"].items()})
    return "; ".join(
        judge if len(judges) == 1 else f"{judge} ({', '.join(of)})" for judge, of in judges.items()
    )


def _same_scores(content: Mapping[str, Any]) -> Iterator[str]:
    """The runs with equal values of every score, apart from usage."""
    scores = [name for name in _known_scores(content) if not table_of(content)[name].usage]
    values = {name: str([run["scores"][n]["value"] for n in scores]) for name, run in content["runs"].items()}
    groups = (of for of in by_value(values).values() if of[1:])
    yield from (f"The same in every score: {', '.join(of)}." for of in groups)


def _without_interval(content: Mapping[str, Any]) -> Iterator[str]:
    """Why some differences have no interval, and which."""
    scores: dict[str, dict[str, None]] = {}
    for item in content["differences"]:
        usage = table_of(content)[item["score"]].usage
        if item["value"] is not None and item["interval"] is None and not usage:
            scores.setdefault(item["reason"], {})[caption(item["score"], content)] = None
    yield from (f"{'; '.join(names)}: {reason}." for reason, names in scores.items())


def _alike(difference: Mapping[str, Any]) -> bool:
    """Whether no record differs, or the differences cancel out."""
    low, high = difference["interval"] or (0.0, 1.0)
    return bool(difference["value"] == 0.0 and low == -high)


def comparison_markdown(content: Mapping[str, Any]) -> str:
    """The whole comparison as Markdown."""
    if same := same_runs(content):
        return f"{cell(same)}\n"
    names = list(content["runs"])
    parts = [markdown_table(["", *names], score_rows(content))]
    for name in names:
        if name != content["baseline"]:
            head = [f"{name} - {content['baseline']}", "difference", "95 %", "p", "p (Holm)"]
            parts.append(markdown_table(head, difference_rows(content, name)))
    if content["differing_settings"]:
        differing = content["differing_settings"].items()
        rows = [[key, *(str(values[name]) for name in names)] for key, values in differing]
        parts.append(markdown_table(["setting", *names], rows))
    parts += [" ".join(explanation(content))]
    parts += ["\n".join(f"- {cell(note)}" for note in content["notes"])] if content["notes"] else []
    return "\n\n".join(parts) + "\n"


def comparison_csv(content: Mapping[str, Any]) -> str:
    """The whole comparison as CSV, one line per score and run."""
    by_place = {(item["score"], item["run"]): item for item in content["differences"]}
    rows: list[list[object]] = [list(CSV_COLUMNS)]
    for name, run in content["runs"].items():
        for score, found in run["scores"].items():
            compared: list[object] = [None] * 6
            if (item := by_place.get((score, name))) is not None:
                ends = item["interval"] or (None, None)
                compared = [item["baseline"], item["value"], *ends, item["p_value"], item["p_holm"]]
            rows.append([score, name, found["value"], *(found["interval_95"] or (None, None)), *compared])
    return csv_text(rows)


def mode_rows(content: Mapping[str, Any]) -> list[list[str]]:
    """The table of modes: a line of groups, a line of captions, then a row per mode.

    N/A is in percent of facts; calls, tokens and cost are those of judging, over the whole run.
    """
    modes: Mapping[str, Any] = content["modes"]
    groups = [*next(iter(modes.values()))["groups"], "all"]
    head = ["", *(cell for group in groups for cell in (group, "", "")), "", "", ""]
    captions = ["mode", *(["N/A %", "error rate", "F1 False"] * len(groups)), "calls", "tokens", "cost"]
    rows = [head, captions]
    for name, mode in modes.items():
        scores = mode["groups"] | {"all": mode["all"]}
        texts = (text for group in groups for text in _mode_texts(scores.get(group), table_of(content)))
        rows.append([name, *texts, *_usage_texts(mode["usage"])])
    return rows


def _mode_texts(scores: Mapping[str, Any] | None, table: Table[Any]) -> list[str]:
    if scores is None:
        return ["-", "-", "-"]
    na = "-" if scores["na"] is None else f"{100 * scores['na']:.1f}"
    return [na, *(table[name].text(scores[name]["value"]) for name in ("error_rate", "f1_false"))]


def _usage_texts(usage: Mapping[str, Any]) -> list[str]:
    about = "~" if usage["cached_calls"] else ""
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    cost = "unknown" if usage["cost"] is None else f"{about}${usage['cost']:.4f}"
    return [f"{usage['calls'] + usage['cached_calls']:,}", f"{about}{tokens:,}", cost]


def mode_notes(content: Mapping[str, Any]) -> Iterator[str]:
    """Notes for readers of the table."""
    for name, mode in content["modes"].items():
        if mode["unfinished"]:
            yield mode["unfinished"]
        if cached := mode["usage"]["cached_calls"]:
            yield f"{name}: {cached} calls were cached; their tokens and cost are not counted"
        if (f1 := mode["all"]["f1_false"])["value"] is None:
            yield f"{name}: no F1 of False: {f1['reason']}"
    counts = {name: mode["all"]["num_facts"] for name, mode in content["modes"].items()}
    if len(set(counts.values())) > 1:
        each = ", ".join(f"{name} {count}" for name, count in counts.items())
        yield f"the modes were asked about different numbers of facts: {each}"
