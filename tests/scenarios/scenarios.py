"""The scenarios: name -> the commands and what is done between them."""

from __future__ import annotations

import json

from scene import Scene, Step

OF_WILD = "--judge recorded --relations inputs/wild_relations.jsonl --quiet"
RECALL = "recall examples/recall.jsonl --judge recorded --relations inputs/recall_relations.jsonl --limit 3"
RAG = "rag inputs/rag.jsonl --judge recorded --relations inputs/rag_relations.jsonl --limit 4"
VERIFY = "verify inputs/cited.jsonl --judge recorded --relations inputs/cited_relations.jsonl"


def wild(version: int, out: str = "out", limit: int = 2) -> str:
    """The command that makes a run of recorded verdicts by a version of FactReasoner."""
    return f"run inputs/wild.jsonl {OF_WILD} --limit {limit} --version {version} --out {out}"


def correct_the_first_verdict(scene: Scene) -> None:
    """Write corrections.jsonl, as the page of `report` saves it."""
    first = json.loads((scene.folder / "v.jsonl").read_text(encoding="utf-8").splitlines()[0])
    line = {key: first[key] for key in ("record", "premise", "claim")}
    line |= {"task": "run", "was": first["label"], "label": "contradiction"}
    (scene.folder / "corrections.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")


def corrected_texts(scene: Scene) -> str:
    """The corrected text of every record of `out`."""
    lines = (scene.folder / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return "".join(f"corrected {line['id']}:\n{line['corrected']}\n" for line in map(json.loads, lines))


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
        wild(2, limit=11),
        "calibrate out --out posteriors.json",
        f"{wild(2, 'calibrated', 11)} --calibration posteriors.json",
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
