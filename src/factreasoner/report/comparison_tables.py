"""What a comparison of runs says: its rows for any table, and the whole as Markdown and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from factreasoner.metrics.table import ARROWS, Metric, OfRecords, Table
from factreasoner.report.tables import cell, csv_text, markdown_table
from factreasoner.tasks.task import FACTUALITY, task_named

CSV_COLUMNS = (
    *("score", "run", "value", "low", "high", "baseline", "difference", "difference_low", "difference_high"),
    *("p_value", "p_holm"),
)


def table_of(content: Mapping[str, Any]) -> Table[Any]:
    """The metrics of the task whose runs the content of a file is about."""
    table: Table[Any] = task_named(content["task"]).table
    return table


def caption(score: str, content: Mapping[str, Any]) -> str:
    """What a score is called, with the K it was computed with and the direction that is better."""
    metric = table_of(content)[score]
    return (
        metric.caption(content["k_setting"] if content["k"] is None else content["k"]) + ARROWS[metric.better]
    )


def estimated(metric: Metric, run: Mapping[str, Any], records: int) -> str:
    """The value of a metric in one run of so many records; "~" before what is an estimate."""
    found = run["scores"][metric.name]
    about = "~" if run["usage_estimated"] and metric.usage and found["value"] is not None else ""
    return about + metric.text(found["value"]) + fewer(found, records)


def fewer(found: Mapping[str, Any], records: int) -> str:
    """Of how many records a score is, where these are fewer than `records`; else nothing."""
    return "" if found["value"] is None or found["records"] >= records else f" (n={found['records']})"


def score_rows(content: Mapping[str, Any]) -> Iterator[list[str]]:
    """Rows of the table of means: a score that a run has, then its value in every run."""
    runs, table = content["runs"].values(), table_of(content)
    for score in _known_scores(content):
        yield [
            caption(score, content),
            *(estimated(table[score], run, content["num_records"]) for run in runs),
        ]


def _known_scores(content: Mapping[str, Any]) -> list[str]:
    """The scores that at least one run has a value of, and usage: an unknown cost is worth a row."""
    runs, table = list(content["runs"].values()), table_of(content)
    return [
        name
        for name in runs[0]["scores"]
        if table[name].usage or any(run["scores"][name]["value"] is not None for run in runs)
    ]


def difference_rows(content: Mapping[str, Any], run: str) -> Iterator[list[str]]:
    """Rows of the table of a run's differences: a score, the difference, its interval, p, p after Holm."""
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


def records_of(content: Mapping[str, Any]) -> str:
    """How many records there are, in words."""
    return "1 record" if content["num_records"] == 1 else f"{content['num_records']} records"


def explanation(content: Mapping[str, Any]) -> list[str]:
    """What the numbers are, in sentences."""
    table, factuality = table_of(content), content["task"] == FACTUALITY
    metrics = [table[name] for name in _known_scores(content)]
    means = ", ".join(m.caption("K") for m in metrics if isinstance(m.average, OfRecords) and not m.usage)
    usage = "Usage is that of judging, per record." if factuality else "Usage is per record."
    claims = "atoms" if factuality else "claims"
    return [
        f"{records_of(content)}; means over records of {means} and usage; the other scores are over all "
        f"labelled {claims} together; n after a score counts the records that have it, if some lack it. "
        f"{usage}",
        "Differences with paired jackknife-t 95 % intervals over records; p by a paired permutation test "
        f"({content['permutations']} exchanges, or all of them; seed {content['seed']}), then after Holm's "
        "correction for all tests shown.",
    ]


def comparison_markdown(content: Mapping[str, Any]) -> str:
    """The whole comparison as Markdown."""
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
    """The whole comparison as CSV, a line for every score of every run; empty where there is no number."""
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
