"""Which pairs FR1, FR2 and FR3 judge, and how verdicts become relations."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from factreasoner.errors import InputError, InputProblem
from factreasoner.models import Atom, Context, Relation, Verdict
from factreasoner.models.rows import grouped


class ContextPairs(NamedTuple):
    """The targets of one context: atoms and, for FR3, the other contexts."""

    context_id: str
    atom_ids: tuple[str, ...]
    context_ids: tuple[str, ...] = ()


def merge_equal(contexts: Sequence[Context]) -> tuple[Context, ...]:
    """Merge contexts whose texts are equal up to white space, letter case and Unicode composition.

    The first of each group by :func:`text_order` remains with its id, title and link, all atom ids of the
    group in order, and the largest own prior of the group. Dropped contexts count only if the whole group is
    dropped.
    """
    return tuple(map(_survivor, equal_groups(contexts)))


def equal_groups(contexts: Sequence[Context]) -> list[list[Context]]:
    """Groups of contexts that :func:`merge_equal` merges, in the order of each group's first."""
    return list(grouped(contexts, lambda context: normalised(context.text)).values())


def normalised(text: str) -> str:
    """A text without differences in white space, case and Unicode composition."""
    # Not NFKC: it would make "10²" equal to "102".
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def text_order(context: Context) -> tuple[str, ...]:
    """The sort key of contexts: their texts, not their position in the input."""
    return (normalised(context.text), context.text, context.title, context.link, context.id)


def relevant(contexts: Sequence[Context]) -> tuple[Context, ...]:
    """The contexts that were not dropped as irrelevant."""
    return tuple(context for context in contexts if not context.dropped)


def _survivor(group: Sequence[Context]) -> Context:
    if len(group) == 1:
        return group[0]
    group = relevant(group) or group
    first = min(group, key=text_order)
    atom_ids = tuple(dict.fromkeys(atom_id for context in group for atom_id in context.atom_ids))
    prior = max((context.prior for context in group if context.prior is not None), default=None)
    return first.model_copy(update={"atom_ids": atom_ids, "prior": prior})


def pairs(
    version: Literal[1, 2, 3], atoms: Sequence[Atom], contexts: Sequence[Context]
) -> tuple[ContextPairs, ...]:
    """The pairs that FR`version` judges, one `ContextPairs` per context, in the order of `contexts`.

    FR1 pairs a context with the atoms it was retrieved for; FR2 with every atom; FR3 also with every other
    context, in both directions. Dropped contexts and those without targets are excluded.

    Raises InputError: FR1, and there are atoms and contexts but no context names an atom.
    """
    known = [atom.id for atom in atoms]
    if version == 1 and atoms and contexts and not any(context.atom_ids for context in contexts):
        message = "version 1 judges a context only for its own atoms, and no context names an atom"
        raise InputError([InputProblem("record", "contexts", f"{message}: use version 2 or 3")])
    contexts = relevant(contexts)
    if version == 1:
        wanted = [frozenset(context.atom_ids) for context in contexts]
        work = [
            ContextPairs(context.id, tuple(atom_id for atom_id in known if atom_id in own))
            for context, own in zip(contexts, wanted, strict=True)
        ]
    else:
        work = [
            ContextPairs(
                context.id,
                tuple(known),
                tuple(other.id for other in contexts if other.id != context.id) if version == 3 else (),
            )
            for context in contexts
        ]
    return tuple(item for item in work if item.atom_ids or item.context_ids)


def relations(
    verdicts: Sequence[Verdict], *, atom_ids: Collection[str], contexts: Sequence[Context] = ()
) -> tuple[Relation, ...]:
    """The relations that follow from verdicts; neutral ones give none.

    A verdict on an atom becomes a relation. The two verdicts on a pair of contexts become at most one
    relation, see :func:`combine`; without another direction, the texts of `contexts` decide it. Atom
    relations come first, each kind in the order of `verdicts`.

    Raises ValueError: two verdicts judge the same context for the same target.
    """
    atoms = frozenset(atom_ids)
    found: list[Relation] = []
    between: dict[frozenset[str], list[Verdict]] = {}
    seen: set[tuple[str, str]] = set()
    for verdict in verdicts:
        pair = (verdict.context_id, verdict.target_id)
        if pair in seen:
            raise ValueError(f"two verdicts for {pair[0]} -> {pair[1]}")
        seen.add(pair)
        if verdict.target_id not in atoms:
            between.setdefault(frozenset(pair), []).append(verdict)
        elif verdict.label != "neutral":
            found.append(_relation(verdict))
    # Sorting reads every text, which takes longer than all the rest.
    rank = {context.id: i for i, context in enumerate(sorted(contexts, key=text_order))} if between else {}
    for judged in between.values():
        judged.sort(key=lambda verdict: (rank.get(verdict.context_id, 0), verdict.context_id))
    combined = (combine(*judged) for judged in between.values())
    return (*found, *(relation for relation in combined if relation is not None))


def combine(forward: Verdict, backward: Verdict | None = None) -> Relation | None:
    """The one relation between two contexts that were judged in both directions.

    `forward` is the verdict of the context whose text sorts first. It gives the direction of an equivalence,
    and of a contradiction equally probable both ways.

    - Entailment both ways is equivalence, with the smaller probability.
    - Entailment against contradiction: the larger probability wins. On a tie the contradiction wins, because
      it never raises a probability.
    - Contradiction both ways: the larger probability, with its direction.
    - A neutral or failed direction (`backward` of None) leaves the other unchanged.
    """
    telling = [v for v in (forward, backward) if v is not None and v.label != "neutral"]
    if not telling:
        return None
    if len(telling) == 2 and all(verdict.label == "entailment" for verdict in telling):
        probability = min(verdict.probability for verdict in telling)
        source, target = telling[0].context_id, telling[0].target_id
        return Relation(source=source, target=target, kind="equivalence", probability=probability)
    return _relation(
        max(telling, key=lambda verdict: (verdict.probability, verdict.label == "contradiction"))
    )


def _relation(verdict: Verdict) -> Relation:
    if verdict.label == "neutral":
        raise ValueError("a neutral verdict makes no relation")
    return Relation(
        source=verdict.context_id,
        target=verdict.target_id,
        kind=verdict.label,
        probability=verdict.probability,
    )
