"""Runs made by hand, and their reports."""

import json
import re

from run_folders import run_folder
from table_judge import TableJudge

from factreasoner import assess, rag, recall, verify
from factreasoner.report.page import write_report
from factreasoner.runs.finished import FinishedRun

ANSWER = "The bridge opened in 1930. It is 1,149 metres long. It is painted grey. Many people love it."
PASSAGES = [
    {"id": "history", "text": "Work began in 1924. The bridge opened in 1932.", "title": "History"},
    {"id": "guide", "text": "The bridge is 1,149 metres long and grey.", "link": "https://example.org/guide"},
    {"id": "old", "text": "In 1930 the bridge was opened to all."},
]
VERDICTS = {
    ("history", "1930"): ("contradiction", 0.9, "The bridge opened in 1932."),
    ("old", "1930"): ("entailment", 0.7, "In 1930 the bridge was opened"),
    ("guide", "1,149"): ("entailment", 0.9, "1,149 metres long"),
    ("guide", "grey"): ("entailment", 0.8, "grey"),
    ("history", "old"): ("contradiction", 0.9, None),
}

LOST = dict.fromkeys([(passage["id"], "") for passage in PASSAGES], "lost")
"""Every verdict failed."""


def bridge(record_id="bridge", table=VERDICTS, **fields):
    """An answer on a bridge: one atom is contradicted, one is not verified, the others are supported."""
    labels = {"The bridge opened in 1930.": "NS", "It is 1,149 metres long.": "S"}
    labels |= {"The bridge is grey.": "S", "It is loved.": None}
    atoms = [{"text": text, "label": label} for text, label in labels.items()]
    made = {"prompt": "Tell me about the bridge.", "contexts": PASSAGES, "atoms": atoms} | fields
    return assess(ANSWER, judge=TableJudge(table), **made).model_copy(update={"record_id": record_id})


def report_of(*paths, out=None):
    """The page of finished runs."""
    runs = [FinishedRun.of_any_task(path) for path in paths]
    return write_report(runs, out or paths[0] / "report.html").path


def data_in(page, name):
    """What a page holds as JSON under a name."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf'(?s)<script type="application/json" id="{name}">(.*?)</script>', text)
    assert found is not None, f"{page} holds no {name}"
    return json.loads(found[1])


def cited():
    """An answer verified: a claim is contradicted by what it cites, one cites what does not exist."""
    table = {
        ("old", "1930"): ("contradiction", 0.9, "opened in 1932"),
        ("new", "1999"): ("entailment", 0.9, "closed"),
    }
    sources = [
        {"id": "old", "text": "It opened in 1932.", "title": "History"},
        {"id": "new", "text": "It closed in 1999."},
    ]
    text = "It opened in 1930 [1]. It closed in 1999 [2]. It is loved [7]. It is big."
    return verify(text, contexts=sources, judge=TableJudge(table))


def answered():
    """A rag record: a claim contradicted by a passage, and one of the reference that the answer misses."""
    table = {
        ("history", "1930"): ("contradiction", 0.9, "The bridge opened in 1932."),
        ("guide", "grey"): ("entailment", 0.9, "grey"),
        ("reference", "1930"): ("contradiction", 0.9, None),
        ("history", "1932"): ("entailment", 0.9, "opened in 1932"),
    }
    truth = "The bridge opened in 1932."
    claims = {"reference": truth, "reference_atoms": [{"id": "r0", "text": truth}]}
    claims |= {"atoms": ["The bridge opened in 1930.", "It is painted grey."]}
    return rag(ANSWER, input="What about the bridge?", contexts=PASSAGES, judge=TableJudge(table), **claims)


def recalled():
    """Facts that an answer states, contradicts, is silent on, and one that stayed unanswered."""
    table = {
        ("answer", "grey"): ("entailment", 0.9, "It is painted grey."),
        ("answer", "1932"): ("contradiction", 0.9, "The bridge opened in 1930."),
        ("answer", "toll"): "lost",
    }
    facts = ["The bridge is grey.", "The bridge opened in 1932.", "It takes a toll.", "It has six lanes."]
    return recall(ANSWER, input="What about the bridge?", facts=facts, judge=TableJudge(table))


def of_every_task(path):
    """The report of a run of each task."""
    made = {
        "run": run_folder(path / "run", bridge(version=3), bridge("other")),
        "recall": run_folder(path / "recall", recalled(), task="recall"),
        "rag": run_folder(path / "rag", answered(), task="rag"),
        "verify": run_folder(path / "verify", cited(), task="verify"),
    }
    return {task: report_of(run) for task, run in made.items()}
