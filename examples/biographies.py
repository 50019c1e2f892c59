"""Score 100 biographies by FactScore and by FactReasoner, and hold both against the labels of their atoms.

    python examples/biographies.py                              # the bundled judge, no key
    python examples/biographies.py --model openai/gpt-4o-mini   # any flag of `compare`

The biographies are made here, of people who do not exist. Of each a page, an obituary and a forum tell; the
forum repeats the first two statements of the answer, right or wrong. Answers of yours are scored by

    factreasoner compare FILE --assessors factscore,fr2
"""

import json
import random
import subprocess
import sys
from pathlib import Path

FILE = Path("runs/biographies.jsonl")
TOWNS = ["Bergen", "Ghent", "Leeds", "Porto", "Trieste"]
WORK = ["a baker", "a glazier", "a pilot", "a surgeon", "a weaver"]


def facts(name: str, chance: random.Random) -> list[str]:
    """Four statements about somebody."""
    return [
        f"{name} was born in {chance.randint(1880, 1940)}.",
        f"{name} lived in {chance.choice(TOWNS)}.",
        f"{name} worked as {chance.choice(WORK)}.",
        f"{name} retired at the age of {chance.randint(55, 70)}.",
    ]


def biography(number: int) -> dict[str, object]:
    """A record in the format of `factreasoner run`: every third statement of the answer or so is wrong."""
    chance, name = random.Random(number), f"Person {number}"
    true, other = facts(name, chance), facts(name, chance)
    said = [wrong if chance.random() < 0.35 else right for right, wrong in zip(true, other, strict=True)]
    sources = {"page": true, "obituary": true[::-1], "forum": said[:2]}
    return {
        "id": f"b{number}",
        "input": f"Tell me about {name}.",
        "output": " ".join(said),
        "atoms": [
            {"id": f"a{n}", "text": text, "label": "S" if text in true else "NS"}
            for n, text in enumerate(said)
        ],
        "contexts": [{"id": source, "text": " ".join(told)} for source, told in sources.items()],
    }


def main() -> None:
    """Write the biographies, and compare the two assessors on them."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("".join(json.dumps(biography(n)) + "\n" for n in range(100)), encoding="utf-8")
    flags = ["--assessors", "factscore,fr2", "--out", "runs/biographies", *sys.argv[1:]]
    subprocess.run([sys.executable, "-m", "factreasoner", "compare", str(FILE), *flags], check=True)


if __name__ == "__main__":
    main()
