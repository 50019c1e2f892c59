"""Where a sentence has what stands beside a part of a claim: the place in which that part is looked for."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.judges.embedded.pairing import Pairing

_MEANT = frozenset({"it", "him", "them"})


def anchors(pair: Pairing, beside: Sequence[int], side: int, least: int) -> list[int]:
    """Indices in `pair.there` of the words `beside` a part, going on as far as the claim does.

    `side` is 1 for what follows the part, and -1 for what stands before it. Of several places it is those
    that have most of the words, `least` of them at least. An aside is read for itself.
    """
    claim, there = pair.claim, pair.there
    found: list[tuple[int, int]] = []
    for index in range(len(there)):
        following = there[index:] if side == 1 else there[: index + 1][::-1]
        shared = 0
        for own, place in zip(beside, following, strict=False):
            meant = shared > 0 and claim.content[own] and pair.passage.words[place] in _MEANT
            if not (meant or place in pair.found[claim.stems[own]]):
                break
            shared += 1
        said = beside[:shared]
        aside = pair.passage.aside[there[index]] and not any(claim.aside[own] for own in said)
        if shared >= least and any(claim.content[own] for own in said) and not aside:
            found.append((shared, index))
    most = max(found, default=(0, 0))[0]
    return [index for shared, index in found if shared == most]
