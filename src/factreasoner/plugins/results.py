"""Checks of custom components' results. Each returns what is wrong, or None.

Values of models are checked too, since `model_construct` and `model_copy` do not validate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from factreasoner.errors import InputError
from factreasoner.models import (
    Atom,
    Claim,
    Context,
    FactGraph,
    Failure,
    Marginals,
    Outcome,
    Premise,
    Record,
    Verdict,
)
from factreasoner.models.formatting import reworded
from factreasoner.models.graph import FactorGraph
from factreasoner.protocols import Atomized, Judged, Retrieved
from factreasoner.text.language import check_citation

T = TypeVar("T")
ELEMENTS: dict[type, tuple[type, ...]] = {
    Atomized: (Atom, Failure),
    Retrieved: (Context, Failure, str),
    Judged: (Verdict, Failure),
}
TOLERANCE = 1e-3
"""Tolerance on the sum of a solver's probabilities: some print few digits."""


def misfit(wanted: type, result: object) -> str | None:
    """Problem: a result of another type, or with an invalid value."""
    if not isinstance(result, wanted):
        return f"{type(result).__name__}; it must be of type {wanted.__name__}"
    if wanted is object:
        return None
    if issubclass(wanted, BaseModel):
        return _unsound(cast(BaseModel, result))
    for given, kind in zip(cast(tuple[object, ...], result), ELEMENTS[wanted], strict=True):
        if not isinstance(given, list | tuple):
            return f"a {type(given).__name__} where a tuple belongs"
        for element in given:
            if not isinstance(element, kind):
                return f"a {type(element).__name__} where a {kind.__name__} belongs"
            if isinstance(element, BaseModel) and (problem := _unsound(element)):
                return problem
    return None


def _unsound(found: BaseModel) -> str | None:
    kind = type(found)
    try:
        kind.model_validate(found.model_dump(warnings=False))
        found.model_dump_json(warnings=False)
    except ValidationError as error:
        return f"a wrong {kind.__name__}: {next(reworded(error, '', {}))}"
    except InputError as error:
        return f"a wrong {kind.__name__}: {error}"
    except PydanticSerializationError as error:  # half a surrogate pair, for one
        return f"a {kind.__name__} that can't be written to a file: {error}"
    return None


def judged(result: Judged, premise: Premise, claims: Sequence[Claim]) -> str | None:
    """Problem: a claim without verdict or failure, or a verdict on something else."""
    asked = [claim.id for claim in claims]
    answered = [verdict.target_id for verdict in result.verdicts]
    silent = [claim for claim in asked if claim not in answered]
    if strange := [v for v in result.verdicts if v.target_id not in asked or v.context_id != premise.id]:
        return f"a verdict on {strange[0].context_id}->{strange[0].target_id}, which was not asked for"
    if len(set(answered)) < len(answered):
        return "two verdicts on the same claim"
    if len(silent) > len(result.failures):
        return f"neither a verdict nor a failure for {', '.join(silent)} (premise {premise.id})"
    return None


def with_true_quote(verdict: Verdict, premise: Premise) -> Verdict:
    """A verdict without an invented quote. `citation` says so, or that it is from elsewhere."""
    if verdict.quote is None:
        return verdict
    place = check_citation(verdict.quote, premise.text, premise.others)
    if place == "found":
        return verdict
    quote = verdict.quote if place == "elsewhere" else None
    return verdict.model_copy(update={"quote": quote, "citation": place})


def atomized(result: Atomized, record: Record) -> str | None:
    """Problem: two atoms with the same id, or an atom without text."""
    ids = [atom.id for atom in result.atoms]
    return "two atoms with the same id" if len(set(ids)) < len(ids) else _atom_without_text(result)


def revised(result: Atomized, atoms: Sequence[Atom], record: Record) -> str | None:
    """Problem: other atoms, or an atom without text."""
    return _others(atoms, result.atoms, "id") or _atom_without_text(result)


def worded(result: Atomized, atoms: Sequence[Atom], record: Record) -> str | None:
    """Problem: other atoms, or changed texts; queries belong in `query`."""
    return _others(atoms, result.atoms, "id", "text")


def retrieved(result: Retrieved, atoms: Sequence[Atom], record: Record) -> str | None:
    """Problem: a duplicate id, or a context for an unknown atom."""
    known = {atom.id for atom in atoms}
    taken = set(known)
    for context in result.contexts:
        if strange := [name for name in context.atom_ids if name not in known]:
            return f"context {context.id!r} for atom {strange[0]!r}, which it was not asked about"
        if context.id in taken:
            return f"the id {context.id!r} twice; no two contexts, and no context and atom, may share an id"
        taken.add(context.id)
    return None


def summarized(result: Retrieved, contexts: Sequence[Context], atoms: Sequence[Atom]) -> str | None:
    """Problem: other or changed contexts; summaries belong in `summary`."""
    return _others(contexts, result.contexts, "id", "text", "atom_ids")


def _atom_without_text(result: Atomized) -> str | None:
    return next((f"atom {atom.id!r} without text" for atom in result.atoms if not atom.text.strip()), None)


def _others(given: Sequence[T], found: Sequence[T], *kept: str) -> str | None:
    """The problem of items that differ from the given ones in fixed fields."""

    def fields(items: Sequence[T]) -> list[list[object]]:
        return [[getattr(item, field) for field in kept] for item in items]

    if fields(given) == fields(found):
        return None
    ids, others = (", ".join(str(item[0]) for item in fields(items)) for items in (given, found))
    return (
        f"{others or 'nothing'}; it must return {ids} in this order, each with the same {' and '.join(kept)}"
    )


def marginals(result: Marginals, graph: FactorGraph) -> str | None:
    """Problem: a variable without probabilities of its states."""
    return _distributed(result, dict(zip(graph.names, graph.cardinalities, strict=True)))


def _distributed(result: Marginals, states: Mapping[str, int]) -> str | None:
    for name, number in states.items():
        found = result.probabilities.get(name)
        if found is None:
            return f"no probabilities of {name!r}; it must give those of every name of the graph"
        if len(found) != number or min(found) < 0.0 or not math.isclose(sum(found), 1.0, abs_tol=TOLERANCE):
            return f"{found} for {name!r}; it has {number} states, whose probabilities add up to 1"
    return None


def concluded(
    result: Outcome, atoms: Sequence[Atom], contexts: Sequence[Context], record: Record
) -> str | None:
    """Problem: an invalid probability, an atom without a conclusion, or an unknown name."""
    ids = {atom.id for atom in atoms}
    if wrong := [p for p in result.p_true.values() if not 0.0 <= p <= 1.0]:
        return f"P(true) {wrong[0]}; it must be from 0 to 1"
    silent = ids - result.p_true.keys() - set(result.unjudged)
    if silent and not result.failures:
        return f"neither P(true) nor a failure for {', '.join(sorted(silent))}"
    if result.support.keys() != result.p_true.keys():
        return "`support` and `p_true` of different atoms"
    graph = result.graph or FactGraph(nodes=())
    nodes = {node.id for node in graph.nodes}
    named = {name for verdict in result.verdicts for name in verdict.pair}
    strange = {*result.p_true, *result.unjudged, *result.partly_judged} - ids
    strange |= {answer.atom_id for answer in result.answers} - ids
    strange |= (named | nodes) - ids - {context.id for context in contexts}
    if strange:
        return f"something about {min(strange)!r}, which it was not asked about"
    if (given := result.marginals) is None:
        return None
    return _distributed(given, dict.fromkeys([*given.probabilities, *(node.id for node in graph.nodes)], 2))
