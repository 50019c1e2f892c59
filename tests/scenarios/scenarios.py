"""The scenarios: name -> the commands and what is done between them."""

from __future__ import annotations

import re
from pathlib import Path

from scene import Step
from scripted import RECORDS, broken_on_ice, lists, right_labels, scripted, too_credulous
from services import mcp, serve
from steps import (
    an_answer,
    answer_batch,
    correct_the_first_verdict,
    corrected_texts,
    documents,
    killed,
    not_shown,
    one_document_changes,
    records,
    wide,
    with_model,
    written,
)

OF_WILD = "--judge recorded --relations inputs/wild_relations.jsonl --quiet"
RECALL = "recall examples/recall.jsonl --judge recorded --relations inputs/recall_relations.jsonl --limit 3"
RAG = "rag inputs/rag.jsonl --judge recorded --relations inputs/rag_relations.jsonl --limit 4"
VERIFY = "verify inputs/cited.jsonl --judge recorded --relations inputs/cited_relations.jsonl"
MODEL = "--model openai/fake --api-base {model} --concurrency 1"
SCRIPTED = f"run answers.jsonl {MODEL} --max-attempts 2 --out out"
BATCHES = "run answers.jsonl --model openai/fake --reviser none --form tool --batch files --out out"
MORTAL = "run books.jsonl --judge scene_judges:MortalJudge --concurrency 1 --out out"
LISTS = f"run lists.jsonl {MODEL} --form json_schema --atoms-per-call 10 --quiet"
CORPUS = "run towers.jsonl --retriever corpus --store store --retrieve-k 2 --judge scene_judges:NumbersJudge"

NUMBERS = "--judge scene_judges:NumbersJudge"
SERVE = f"serve --port 0 --min precision=0.8 {NUMBERS}"
MCP = f"mcp {NUMBERS}"


def wild(version: int, out: str = "out", limit: int = 2) -> str:
    """The command that makes a run of recorded verdicts by a version of FactReasoner."""
    return f"run inputs/wild.jsonl {OF_WILD} --limit {limit} --version {version} --out {out}"


SCENARIOS: dict[str, tuple[Step, ...]] = {
    "fr1": (wild(1), "evaluate out", "show out --limit 5"),
    "fr2": (wild(2), "evaluate out", "explain out"),
    "fr3": (wild(3, limit=3), "evaluate out", "score out --k 2 --gamma 4"),
    "recall": (f"{RECALL} --out out", "show out --limit 5"),
    "rag": (f"{RAG} --out out", "show out --limit 4"),
    "verify_corrected": (f"{VERIFY} --out out", corrected_texts),
    "compare": (wild(1, "one"), wild(3, "three"), "compare one three"),
    "check": (
        wild(2),
        "check out --min precision=0.1 --max failures=0 --junit rules.xml",
        "check out --min precision=0.99",
    ),
    "calibrate": (
        with_model(too_credulous),
        written("lists.jsonl", lists),
        written("labels.jsonl", right_labels),
        not_shown("out/"),
        f"{LISTS} --out out",
        "calibrate out --relations labels.jsonl --out verdicts.json",
        f"{LISTS} --calibration verdicts.json --limit 3 --out calibrated",
    ),
    "scripted_model": (
        written("answers.jsonl", lambda: RECORDS),
        with_model(broken_on_ice),
        SCRIPTED,
        with_model(scripted),
        SCRIPTED,
        "show out",
    ),
    "batches": (
        written("answers.jsonl", lambda: RECORDS),
        BATCHES,
        answer_batch,
        BATCHES,
        answer_batch,
        BATCHES,
    ),
    "assess": (
        an_answer,
        f"assess --file answer.txt --context source.txt {NUMBERS}",
        f"assess 'Is it old?' --context source.txt {NUMBERS}",
        f"assess 'It is of iron.' --context 'It is of iron.' {NUMBERS}",
        f"verify --text answer.txt --source source.txt {NUMBERS}",
    ),
    "kill_and_resume": (killed(MORTAL), MORTAL),
    "serve": (serve(SERVE),),
    "mcp": (mcp(MCP),),
    "corpus": (
        documents,
        wide,
        "index docs --store store",
        "index --list --store store",
        "index --find 'height of the tower' --store store",
        f"{CORPUS} --out out",
        "show out",
        one_document_changes,
        "index docs --store store --prune",
        "index --delete --yes --store store",
        "index --list --store store",
    ),
    "corrections": (
        wild(2),
        "export out --table verdicts --out v.jsonl",
        correct_the_first_verdict,
        "score out --corrections corrections.jsonl",
    ),
    "export_and_page": (
        wild(2),
        "export out",
        "export out --table records --out records.md",
        "export out --table verdicts --out verdicts.jsonl",
        "report out --out page.html",
    ),
}

RECORDED = Path(__file__).parent / "recorded"
MESSAGES = {
    path.stem: re.findall(r"^\$ factreasoner (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    for path in sorted((RECORDED / "messages").glob("*.txt"))
}
"""What users see most: name -> the commands that print it. A new file needs only these lines."""
ALL = SCENARIOS | {f"messages/{name}": (records, *lines) for name, lines in MESSAGES.items()}
