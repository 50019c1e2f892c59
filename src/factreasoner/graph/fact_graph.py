"""Build a fact graph, or read one from JSON: this project's and the reference system's formats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import text_of
from factreasoner.models import Atom, Context, FactGraph, Node, NodeKind, Relation
from factreasoner.models.formatting import OF_PROBABILITIES, reworded

ATOM_PRIOR = 0.5
CONTEXT_PRIOR = 0.9
_FORM = "a fact graph is one JSON object with its nodes and relations; records are for `run`"


def build_fact_graph(
    atoms: Sequence[Atom],
    contexts: Sequence[Context],
    relations: Sequence[Relation],
    *,
    atom_prior: float = ATOM_PRIOR,
    context_prior: float = CONTEXT_PRIOR,
) -> FactGraph:
    """A fact graph with a node for every atom, then every context; a context's own prior wins.

    Raises InputError: an id is used twice, or a relation names an unknown node or joins a node to itself.
    """
    nodes = [Node(id=atom.id, kind="atom", prior=atom_prior) for atom in atoms]
    for context in contexts:
        prior = context_prior if context.prior is None else context.prior
        nodes.append(Node(id=context.id, kind="context", prior=prior))
    return FactGraph(nodes=tuple(nodes), relations=tuple(relations))


def read_fact_graph(
    path: Path | str, *, atom_prior: float = ATOM_PRIOR, context_prior: float = CONTEXT_PRIOR
) -> FactGraph:
    """Read a fact graph in JSON.

    Nodes are in `nodes` ({id, kind or type, prior or probability}), or in `atoms` and `contexts` (a
    mapping by id, a list of ids, or a list of objects with an id). Relations are in `relations` or
    `edges`: from/to or source/target, the kind in `kind`, `label`, `type` or `relation`, and `probability`.
    A node without a prior takes its kind's; neutral relations are dropped.

    Raises:
        InputError: unreadable, not UTF-8, not JSON, or not a fact graph; every field that is missing or wrong
            is named with its file.
    """
    source, data = str(path), _object_in(path)
    problems: list[InputProblem] = []
    given = [
        node
        for field, item in _node_items(data, source, problems)
        if (node := _parsed(_GivenNode, item, (source, field), problems)) is not None
    ]
    edges = "relations" if "relations" in data else "edges"
    if edges not in data:
        problems.append(InputProblem(source, "relations", "missing; expected 'relations' or 'edges'"))
    relations = [
        relation
        for field, item in _objects(data.get(edges, []), (source, edges), problems)
        if not any(item.get(key) == "neutral" for key in _KIND_KEYS)
        and (relation := _parsed(_GivenRelation, item, (source, field), problems)) is not None
    ]
    if problems:
        raise InputError(problems)
    priors = {"atom": atom_prior, "context": context_prior}
    nodes = [
        Node(id=node.id, kind=node.kind, prior=priors[node.kind] if node.prior is None else node.prior)
        for node in given
    ]
    edges_given = tuple(Relation(**relation.model_dump()) for relation in relations)
    try:
        return FactGraph(nodes=tuple(nodes), relations=edges_given)
    except InputError as error:
        raise InputError([problem._replace(where=source) for problem in error.problems]) from None


def _object_in(path: Path | str) -> Mapping[str, Any]:
    message = _FORM
    try:
        data: object = json.loads(text_of(path))
    except json.JSONDecodeError as error:
        message = f"not JSON in line {error.lineno}, at column {error.colno}; {_FORM}"
    except RecursionError:
        message = "not a fact graph: nested too deeply"
    else:
        if isinstance(data, Mapping):
            return data
    raise InputError([InputProblem(str(path), "", message)])


_Text = Annotated[str, Field(strict=True, min_length=1)]
_Probability = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]


class _GivenNode(BaseModel, title="a node has 'id', 'kind' or 'type', and may have 'prior' or 'probability'"):
    id: _Text
    kind: NodeKind = Field(validation_alias=AliasChoices("kind", "type"))
    prior: _Probability | None = Field(None, validation_alias=AliasChoices("prior", "probability"))


_KIND_KEYS = ("kind", "label", "relation", "type")


class _GivenRelation(BaseModel, title="a relation has 'from', 'to', 'kind' or 'label', and 'probability'"):
    source: _Text = Field(validation_alias=AliasChoices("source", "from"))
    target: _Text = Field(validation_alias=AliasChoices("target", "to"))
    kind: Literal["entailment", "contradiction", "equivalence"] = Field(
        validation_alias=AliasChoices(*_KIND_KEYS)
    )
    probability: _Probability


_Given = TypeVar("_Given", bound=BaseModel)
_Item = tuple[str, Mapping[str, Any]]


def _node_items(data: Mapping[str, Any], source: str, problems: list[InputProblem]) -> Iterator[_Item]:
    """The position and fields of every node."""
    if "nodes" in data:
        yield from _objects(data["nodes"], (source, "nodes"), problems)
    elif "atoms" not in data and "contexts" not in data:
        missing = "missing; expected 'nodes', or 'atoms' and 'contexts'"
        problems.append(InputProblem(source, "nodes", missing))
    for kind in () if "nodes" in data else ("atom", "context"):
        items = data.get(f"{kind}s", ())
        if not isinstance(items, Mapping | Sequence) or isinstance(items, str):
            wrong = "expected a list, or an object keyed by id"
            problems.append(InputProblem(source, f"{kind}s", wrong))
            continue
        for i, item in enumerate(items):
            fields = item if isinstance(item, Mapping) else {"id": item}
            yield f"{kind}s[{i}]", {**fields, "kind": kind}


def _objects(items: object, where: tuple[str, str], problems: list[InputProblem]) -> Iterator[_Item]:
    source, field = where
    if not isinstance(items, list):
        problems.append(InputProblem(source, field, "expected a list"))
        return
    for i, item in enumerate(items):
        if isinstance(item, Mapping):
            yield f"{field}[{i}]", item
        else:
            problems.append(InputProblem(source, f"{field}[{i}]", "expected an object"))


def _parsed(
    model: type[_Given], item: Mapping[str, Any], where: tuple[str, str], problems: list[InputProblem]
) -> _Given | None:
    """The item as a model; None and its problems if invalid. Null counts as missing."""
    source, field = where
    try:
        return model.model_validate({key: value for key, value in item.items() if value is not None})
    except ValidationError as error:
        words = OF_PROBABILITIES | {"missing": f"missing; {error.title}"}
        problems += reworded(error, source, {}, field, **words)
        return None
