"""Every number of a whole run on its page is that of its summary, of `evaluate` and of `check`."""

import json

import pytest
from reported import LOST, PASSAGES, answered, bridge, cited, data_in, recalled, report_of
from run_folders import run_folder
from table_judge import TableJudge

from factreasoner import rag, recall, verify
from factreasoner.analysis.evaluation import evaluate_run, summarize_run
from factreasoner.analysis.rules import FailedJudgements, Rule, apply_rules
from factreasoner.metrics.table import partial_count
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.task import FACTUALITY, task_named

GREY = "It is painted grey."
SILENT = TableJudge({})
FAILS = TableJudge(dict.fromkeys([(name, "") for name in ("answer", "history", "guide", "old")], "lost"))


def _of_run():
    return [bridge(), bridge("unjudged", LOST), bridge("empty", atoms=[]), bridge("unlabelled", {})]


def _of_recall():
    unanswered = recall(GREY, facts=["It is grey."], judge=FAILS)
    no_facts = recall(GREY, facts=[], judge=SILENT)
    return [recalled(), unanswered, no_facts]


def _of_rag():
    without_reference = rag(GREY, contexts=PASSAGES, atoms=[GREY], judge=SILENT)
    without_contexts = rag(GREY, reference=GREY, atoms=[GREY], reference_atoms=[GREY], judge=SILENT)
    without_claims = rag("I don't know.", contexts=PASSAGES, gold_contexts=["guide"], atoms=[], judge=SILENT)
    unjudged = rag(GREY, contexts=PASSAGES, atoms=[GREY], judge=FAILS)
    return [answered(), without_reference, without_contexts, without_claims, unjudged]


def _of_verify():
    sources = [{"id": "history", "text": "It opened in 1932."}]
    uncited = verify("It opened in 1930. It is loved.", contexts=sources, judge=SILENT)
    unjudged = verify("It opened in 1930 [1].", contexts=sources, judge=FAILS)
    empty = verify("I don't know.", contexts=sources, judge=SILENT)
    return [cited(), uncited, unjudged, empty]


RUNS = {FACTUALITY: _of_run, "recall": _of_recall, "rag": _of_rag, "verify": _of_verify}


@pytest.fixture(params=RUNS)
def run(request, tmp_path):
    """A run of a task some of whose records lack some metrics."""
    results = RUNS[request.param]()
    named = [result.model_copy(update={"record_id": f"r{n}"}) for n, result in enumerate(results)]
    return run_folder(tmp_path / request.param, *named, task=request.param)


def _summary(run):
    return json.loads((run / "summary.json").read_text(encoding="utf-8"))


def test_the_page_has_the_numbers_of_the_summary(run):
    summary, table = _summary(run), task_named(run.name).table
    (content,) = data_in(report_of(run), "content")["runs"]
    wanted = {
        metric.caption(summary.get("k"), room=True): (
            metric.text(found["value"]),
            found["interval_95"] and [metric.text(end) for end in found["interval_95"]],
            partial_count(found["records"], summary["records"]),
        )
        for metric in table
        if (found := summary["metrics"][metric.name])["value"] is not None and not metric.usage
    }
    shown = ((s["name"], (s["value"], s["interval"], s["fewer"])) for s in content["scores"])
    assert dict(shown) == wanted
    assert content["records"].items() <= summary["records"].items()
    assert content["verdicts"] == summary["verdicts"]
    assert content["usage"] == summary["usage"]["total"]
    assert content["failures"] == summary["failures"]
    if run.name == FACTUALITY:
        labels = {label: count for label, count in content["labels"].items() if label != "not judged"}
        assert labels == {label: summary["atoms"][label] for label in labels}
        assert content["labels"]["not judged"] == summary["atoms"]["unjudged"]


def test_evaluate_and_check_have_them_too(run, tmp_path):
    metrics = _summary(run)["metrics"]
    known = {name: found["value"] for name, found in metrics.items() if found["value"] is not None}
    finished = FinishedRun.of_any_task(run)
    scores = evaluate_run(finished, finished.config, out=tmp_path / "evaluated")["scores"]
    assert {name: scores[name]["value"] for name in known if name in scores} == {
        name: value for name, value in known.items() if name in scores
    }
    rules = [Rule(name, "min", value - 1e-9) for name, value in known.items() if name in scores]
    failed = FailedJudgements(finished.task)
    found = apply_rules(
        rules, summarize_run(finished, finished.config, lambda *_: None), finished.task, failed
    )
    assert [result.rule.measure for result in found if not result.kept] == []
