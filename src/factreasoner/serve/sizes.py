"""The amount of work in a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from factreasoner.models import Record
from factreasoner.pipeline.config import Config
from factreasoner.text.sentences import sentences


def pairs_of(record: Record, config: Config, claims_in: Callable[[str], int]) -> int:
    """Estimated pairs of claim and passage of a record.

    Given atoms and facts count, else the claims in the texts; passages to be searched count as the maximum. A
    pair of two passages counts as four, since its claim is longer.
    """

    def size(items: Sequence[object] | None, text: str) -> int:
        if items is not None:
            return len(items)
        return claims_in(text) if text.strip() else 0

    answer = size(record.atoms, record.response)
    right = size(record.facts or record.reference_atoms, record.reference or "")
    premises = answer * config.retrieve_k if record.contexts is None else len(record.contexts)
    among = 4 * premises * premises if config.version == 3 else 0
    return (answer + right) * (premises + bool(right)) + among


def most_claims(text: str) -> int:
    """An upper bound on a text's claims: its words, or sentences without spaces."""
    return max(len(text.split()), len(sentences(text)))
