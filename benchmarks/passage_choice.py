"""How much of the evidence lies in the passages chosen for a claim, beside the page's first 4,000 characters.

Data: WiCE (claims, the article each cites, the parts of it that support the claim), in the folder named by
FACTREASONER_DATA or in ../shared/data. A supporting part counts as found to the share of its words' trigrams
that stand in the chosen text. Articles of at most 4,000 characters are left out: there is nothing to choose.
Run: `python benchmarks/passage_choice.py`.
"""

from __future__ import annotations

import json
import re
import time
from typing import Any

from data_folder import data_folder

from factreasoner.text.passages import best, split_passages

FIRST = 4000
LONG = 10_000
WAYS = ("first 4,000 characters", "best passage", "best 3", "best 5")


def trigrams(text: str) -> set[tuple[str, ...]]:
    """Every three words that follow one another."""
    words = re.findall(r"\w+", text.lower())
    return set(zip(words, words[1:], words[2:], strict=False))


def found(gold: list[str], chosen: str) -> float:
    """Mean share of the gold parts that `chosen` holds."""
    held = trigrams(chosen)
    shares = [len(trigrams(text) & held) / max(len(trigrams(text)), 1) for text in gold]
    return sum(shares) / len(shares)


def main() -> None:
    """Print one table for all articles and one for the long ones."""
    path = data_folder() / "wice" / "records.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for longer_than in (FIRST, LONG):
        measure(records, longer_than)


def measure(records: list[dict[str, Any]], longer_than: int) -> None:
    """Print what each way of choosing holds of the evidence, for articles longer than so many characters."""
    shares: dict[str, list[float]] = {way: [] for way in WAYS}
    characters: dict[str, list[int]] = {way: [] for way in WAYS}
    seconds = 0.0
    for record in records:
        atom, text = record["atoms"][0], "\n".join(c["text"] for c in record["contexts"])
        gold = [c["text"] for c in record["contexts"] if c["id"] in (atom.get("gold_contexts") or ())]
        if not gold or len(text) <= longer_than:
            continue
        start = time.perf_counter()
        passages = [passage.text for passage in split_passages(text)]
        order = best(atom["text"], [f"{record['topic']}. {passage}" for passage in passages], 5)
        seconds += time.perf_counter() - start
        chosen = [text[:FIRST], *("\n".join(passages[i] for i in order[:k]) for k in (1, 3, 5))]
        for way, part in zip(WAYS, chosen, strict=True):
            shares[way].append(found(gold, part))
            characters[way].append(len(part))
    count = len(shares[WAYS[0]])
    each = 1000 * seconds / count
    print(f"{count} claims on articles of more than {longer_than} characters; {each:.1f} ms a claim")
    for way in WAYS:
        mean = sum(shares[way]) / count
        print(f"  {way:24}{mean:6.1%} of the evidence in {sum(characters[way]) / count:5.0f} characters")


if __name__ == "__main__":
    main()
