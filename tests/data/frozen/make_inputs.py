"""Makes the records and the recorded verdicts of `inputs/`: drawn from a seed, or cut from the examples.

Run once by `python tests/data/frozen/make_inputs.py`; keep what it wrote: another Python may draw otherwise.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
LABELS = ("entailment", "contradiction", "neutral")
Row = dict[str, Any]


def write(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (HERE / "inputs" / f"{name}.jsonl").write_text(text, encoding="utf-8")


def read(path: Path) -> list[Row]:
    """The objects of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def wild_record(number: int, rng: random.Random) -> Row:
    """Atoms and contexts in which copies, priors of their own, labels and question contexts are common."""
    atoms = [
        {
            "id": f"a{i}",
            "text": f"Statement {i} of answer {number}.",
            "label": rng.choice(("S", "NS", "C", "U", None)),
        }
        for i in range(rng.randint(2, 6))
    ]
    contexts: list[Row] = []
    for i in range(rng.randint(2, 7)):
        text = rng.choice(
            (f"The same passage of {number}.", f"the SAME  passage of {number}.", f"Passage {i} of {number}.")
        )
        link = rng.choice(("", f"https://one.example/{number}", f"https://two.example/{number}/{i}"))
        names = [atom["id"] for atom in atoms]
        own = rng.sample(names, rng.randint(1, len(names))) if i == 0 or rng.random() < 0.8 else []
        context = {
            "id": f"c{i}",
            "text": text,
            "title": rng.choice(("", "A title")),
            "link": link,
            "atom_ids": own,
        }
        contexts.append(context | ({"prior": rng.choice((0.55, 0.8, 0.97))} if rng.random() < 0.3 else {}))
    return {
        "id": f"wild-{number}",
        "input": f"Question {number}?",
        "output": " ".join(atom["text"] for atom in atoms),
        "atoms": atoms,
        "contexts": contexts,
    }


def wild_verdicts(record: Row, rng: random.Random) -> Iterable[Row]:
    """A verdict on most pairs, those of two contexts included; a few are missing."""
    premises = [context["id"] for context in record["contexts"]]
    weights = rng.choice(((6, 2, 4), (4, 4, 3), (2, 1, 6)))
    for source in premises:
        for target in (*(atom["id"] for atom in record["atoms"]), *premises):
            if source != target and rng.random() > 0.04:
                yield verdict(record["id"], source, target, rng, weights)


def verdict(
    record: str, source: str, target: str, rng: random.Random, weights: tuple[int, ...] = (5, 2, 4)
) -> Row:
    """One line of a recording."""
    label = rng.choices(LABELS, weights)[0]
    p = rng.choice((0.55, 0.7, 0.85, 0.9, 0.99, 1.0))
    return {"record": record, "source": source, "target": target, "label": label, "probability": p}


def claims(text: str, letter: str) -> list[Row]:
    """The sentences of a plain text as claims."""
    return [
        {"id": f"{letter}{i}", "text": sentence}
        for i, sentence in enumerate(re.split(r"(?<=\.)\s+", text.strip()))
    ]


def without_markers(text: str) -> str:
    """A cited text without its heading, its list marks and its citations."""
    prose = re.sub(r"^#.*|^- ", "", text, flags=re.MULTILINE)
    return re.sub(r" ?\[\^?\d\]|\]\([^)]*\)|\[|²| \(Source \d\)", "", prose)


def main() -> None:
    """Write everything."""
    rng = random.Random(25)
    wild = [wild_record(number, rng) for number in range(10)]
    empty = {"input": "Anything?", "output": "Nothing.", "contexts": [{"id": "c0", "text": "A passage."}]}
    write("wild", [*wild, {"id": "no-atoms", **empty, "atoms": []}])
    write("wild_relations", [row for record in wild for row in wild_verdicts(record, rng)])

    rag = [
        row | {"atoms": claims(row["output"], "a"), "reference_atoms": claims(row["reference"], "r")}
        for row in read(EXAMPLES / "rag.jsonl")
    ]
    write("rag", rag)
    pairs = [
        (row["id"], source, claim["id"])
        for row in rag
        for source, of in [
            *((context["id"], ("atoms", "reference_atoms")) for context in row["contexts"]),
            ("reference", ("atoms",)),
            ("answer", ("reference_atoms",)),
            ("contexts", ("atoms",)),
        ]
        for name in of
        for claim in row[name]
    ]
    write("rag_relations", [verdict(*pair, rng) for pair in pairs])

    facts = [
        (row["id"], f"f{i}") for row in read(EXAMPLES / "recall.jsonl") for i in range(len(row["facts"]))
    ]
    write(
        "recall_relations",
        [verdict(name, "answer", fact, rng) for name, fact in facts if rng.random() > 0.05],
    )

    cited = [
        row | {"atoms": claims(without_markers(row["output"]), "a")} for row in read(EXAMPLES / "cited.jsonl")
    ]
    write("cited", cited)
    write(
        "cited_relations",
        [
            verdict(row["id"], context["id"], atom["id"], rng)
            for row in cited
            for context in row["contexts"]
            for atom in row["atoms"]
        ],
    )


if __name__ == "__main__":
    main()
