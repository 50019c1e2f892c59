"""Whether an atom's evidence is about what the atom is about: searches with and without the record's subject.

    python benchmarks/subject_queries.py

Uses the data in the folder named by FACTREASONER_DATA, or in ../shared/data. Wikipedia passages of
biographies, the articles that WiCE's claims cite and the web passages of Factcheck-Bench make one collection,
searched by words. For biographies: the share of atoms with a passage of the right page among the first three,
over all and over the atoms without a word of the topic, and what FR2 with the bundled judge makes of the
passages found. For WiCE: recall of the chunks that hold a supporting sentence. The subject is once the
record's topic and once what is told from the prompt alone.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data_folder import data_folder
from sklearn.metrics import roc_auc_score

from factreasoner.corpus.indexing import index
from factreasoner.models import Assessment, Atom, Record
from factreasoner.pipeline import build_pipeline
from factreasoner.settings import Config
from factreasoner.text.language import terms
from factreasoner.text.passages import split_passages

DEPTHS = (3, 5)
SETS = ("factscore_bios", "wice", "factcheck_bench")


def lines(name: str) -> list[dict[str, Any]]:
    """The records of a set."""
    path = data_folder() / name / "records.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def passages() -> Iterator[dict[str, str]]:
    """Every passage of every set once, its link saying which record and context it is from."""
    seen = set()
    for name in SETS:
        for record in lines(name):
            for context in record.get("contexts", ()):
                title = "" if name == "wice" else context.get("title", "")
                for passage in split_passages(context["text"]):
                    if (title, passage.text) not in seen:
                        seen.add((title, passage.text))
                        link = f"https://example.org/{record['id']}/{context['id']}"
                        yield {"text": passage.text, "title": title, "link": link}


def assessments(data: list[dict[str, Any]], config: Config, *, topics: bool) -> list[Assessment]:
    """The records assessed on what is found for them; without `topics` these are left out."""
    pipeline = build_pipeline(config)
    found = []
    for line in data:
        atoms = tuple(Atom(id=a["id"], text=a["text"], gold=a.get("label")) for a in line["atoms"])
        record = Record(
            id=line["id"],
            response=line["output"],
            prompt=line["input"],
            topic=line["topic"] if topics else None,
            atoms=atoms,
        )
        found.append(pipeline.assess(record))
    return found


def biographies(config: Config, *, topics: bool) -> str:
    """One row: pages found, and how FR2 fares."""
    data = lines("factscore_bios")
    hits, hits_unnamed, gold, p_true = [], [], [], []
    for line, assessment in zip(data, assessments(data, config, topics=topics), strict=True):
        right = {c.id for c in assessment.contexts if c.title == line["topic"]}
        topic = set(terms(line["topic"]))
        for atom in assessment.atoms:
            hit = any(c.id in right and atom.id in c.atom_ids for c in assessment.contexts)
            hits.append(hit)
            if not topic & set(terms(atom.text)):
                hits_unnamed.append(hit)
            if atom.gold is not None and atom.id in assessment.p_true:
                gold.append(atom.gold == "S")
                p_true.append(assessment.p_true[atom.id])
    right_side = statistics.mean((p > 0.5) == g for p, g in zip(p_true, gold, strict=True))
    return (
        f"page found {statistics.mean(hits):6.1%}, of atoms without the topic's words "
        f"{statistics.mean(hits_unnamed):6.1%}; FR2 accuracy {right_side:.3f}, "
        f"AUROC {roc_auc_score(gold, p_true):.3f}"
    )


def wice(config: Config, *, topics: bool) -> str:
    """One row: recall of gold chunks."""
    data = [line for line in lines("wice") if line["atoms"][0].get("gold_contexts")]
    shares: dict[int, list[float]] = {k: [] for k in DEPTHS}
    for line, assessment in zip(data, assessments(data, config, topics=topics), strict=True):
        gold = {f"https://example.org/{line['id']}/{c}" for c in line["atoms"][0]["gold_contexts"]}
        for k in DEPTHS:
            links = {context.link for context in assessment.contexts[:k]}
            shares[k].append(len(gold & links) / len(gold))
    return ", ".join(f"recall@{k} {statistics.mean(shares[k]):6.1%}" for k in DEPTHS)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in passages()), encoding="utf-8")
        made = Config(store_dir=Path(folder) / "store", embedding="none", retriever="corpus")
        index([rows], made, tell=lambda step: None)
        base = made.model_copy(update={"retrieve_question": False, "cache": False})
        ways = [("none", True), ("subject", True), ("subject", False)]
        for builder, topics in ways:
            name = "atom alone" if builder == "none" else f"subject from {'topic' if topics else 'prompt'}"
            config = base.model_copy(update={"query_builder": builder})
            print(f"biographies, {name:20}: {biographies(config, topics=topics)}")
            wide = config.model_copy(update={"retrieve_k": max(DEPTHS)})
            print(f"WiCE,        {name:20}: {wice(wide, topics=topics)}", flush=True)


if __name__ == "__main__":
    main()
