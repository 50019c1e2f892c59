"""Claims made false by one change: number, negation, opposite word, name. Not a benchmark by itself."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from labelled_pairs import Example, measure_against, records, spoken

from factreasoner.judges.embedded.features import COLUMN
from factreasoner.text.lexicon import CLASSES_OF, OPPOSITES, UNITS

SETS = ("factcheck_bench", "factscore_bios", "wice", "kqa")
_AUXILIARY = re.compile(r"\b(?:is|was|are|were|has|have|had|can|will|may|did|does)\b(?! not|n't)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_WELL_COVERED = 0.6


def changed(text: str, names: Sequence[str], chance: random.Random) -> list[str]:
    """Up to four false versions of a true claim."""
    versions = []
    if auxiliary := _AUXILIARY.search(text):
        versions.append(f"{text[: auxiliary.end()]} not{text[auxiliary.end() :]}")
    for pattern, other in ((r"\d+", _other_number), (r"[A-Za-z]+", _other_word)):
        places = [(m, new) for m in re.finditer(pattern, text) if (new := other(m.group(), chance))]
        if places:
            match, new = chance.choice(places)
            versions.append(text[: match.start()] + new + text[match.end() :])
    if (found := list(_NAME.finditer(text))) and names:
        match = chance.choice(found)
        versions.append(text[: match.start()] + chance.choice(names) + text[match.end() :])
    return versions


def _other_number(digits: str, chance: random.Random) -> str:
    steps = (-3, -2, -1, 1, 2, 3, 10) if int(digits) > 10 else (1, 2, 3)
    return str(int(digits) + chance.choice(steps))


def _other_word(word: str, chance: random.Random) -> str:
    low = word.lower()
    others = set(OPPOSITES.get(low, ()))
    for members in (*CLASSES_OF.get(low, ()), *(units for units in UNITS if low in units)):
        others |= members - {low}
    if not others:
        return ""
    new = chance.choice(sorted(others))
    return new.capitalize() if word[0].isupper() else new


def changed_examples(name: str, left_out: str | None) -> list[Example]:
    """Well-covered true atoms of a set and their false versions, each in its record's company."""
    chance = random.Random(0)
    names = sorted({n for r in records(name) for atom in r["atoms"] for n in _NAME.findall(atom["text"])})
    found = []
    for record in records(name):
        texts = [context["text"] for context in record["contexts"]]
        for atom in record["atoms"]:
            if atom["label"] != "S":
                continue
            company = [other["text"] for other in record["atoms"] if other["text"] != atom["text"]]
            true = spoken(measure_against(texts, [atom["text"], *company], left_out), 0)
            if true[COLUMN["cover_focus"]] < _WELL_COVERED:
                continue
            found.append(Example(true, True))
            for version in changed(atom["text"], names, chance):
                measured = measure_against(texts, [version, *company], left_out)
                found.append(Example(spoken(measured, 0), False))
    return found
