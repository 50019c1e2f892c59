"""Building a fact graph, and reading one from JSON: our own round trip and the reference system's formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from factreasoner.errors import InputError, InputProblem
from factreasoner.models import Atom, Context, FactGraph, Node, NodeKind, Relation, RelationKind

ATOM_PRIOR = 0.5
CONTEXT_PRIOR = 0.9
_KINDS = ("entailment", "contradiction", "equivalence")


def build_fact_graph(
    atoms: Sequence[Atom],
    contexts: Sequence[Context],
    relations: Sequence[Relation],
    *,
    atom_prior: float = ATOM_PRIOR,
    context_prior: float = CONTEXT_PRIOR,
) -> FactGraph:
    """A fact graph with a node for every atom, then every context; a context's own prior wins.

    Raises:
        InputError: an id is used twice, also by an atom and a context, or a relation names an unknown
            node or joins a node to itself.
    """
    nodes = [Node(id=atom.id, kind="atom", prior=atom_prior) for atom in atoms]
    for context in contexts:
        prior = context_prior if context.prior is None else context.prior
        nodes.append(Node(id=context.id, kind="context", prior=prior))
    return _checked(nodes, relations, "fact graph")


def read_fact_graph(
    path: Path | str, *, atom_prior: float = ATOM_PRIOR, context_prior: float = CONTEXT_PRIOR
) -> FactGraph:
    """Read a fact graph file; see :func:`parse_fact_graph`.

    Raises:
        InputError: unreadable, not UTF-8, not JSON, or not a fact graph; the file and the field are named.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError([InputProblem(str(path), "", f"can't be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise InputError([InputProblem(str(path), "", f"not UTF-8 (byte {error.start})")]) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError([InputProblem(str(path), "", f"not JSON: {error.msg} ({where})")]) from error
    except RecursionError as error:
        raise InputError([InputProblem(str(path), "", "not a fact graph: nested too deeply")]) from error
    return parse_fact_graph(data, source=str(path), atom_prior=atom_prior, context_prior=context_prior)


def parse_fact_graph(
    data: object,
    *,
    source: str = "fact graph",
    atom_prior: float = ATOM_PRIOR,
    context_prior: float = CONTEXT_PRIOR,
) -> FactGraph:
    """Read a fact graph from decoded JSON.

    Nodes stand in `nodes` ({id, kind or type, prior or probability}), or in `atoms` and `contexts` (a
    mapping by id, a list of ids, or a list of objects with an id). Relations stand in `relations` or
    `edges`: from/to or source/target, the kind in `kind`, `label`, `type` or `relation`, and `probability`.
    A node without a prior takes its kind's; neutral relations are dropped.

    Raises:
        InputError: every field that is missing or wrong, each with its place in `source`.
    """
    if not isinstance(data, Mapping):
        raise InputError([InputProblem(source, "", "a fact graph is a JSON object")])
    reader = _GraphParser(source, {"atom": atom_prior, "context": context_prior})
    nodes = reader.nodes(data)
    relations = reader.relations(data)
    if reader.problems:
        raise InputError(reader.problems)
    return _checked(nodes, relations, source)


def _checked(nodes: Sequence[Node], relations: Sequence[Relation], source: str) -> FactGraph:
    problems = []
    kinds: dict[str, str] = {}
    for node in nodes:
        if node.id in kinds:
            message = f"id {node.id!r} is used by {_a(kinds[node.id])} and by {_a(node.kind)}"
            problems.append(InputProblem(source, "nodes", message))
        kinds[node.id] = node.kind
    for i, relation in enumerate(relations):
        for end in ("source", "target"):
            if getattr(relation, end) not in kinds:
                message = f"unknown node {getattr(relation, end)!r}"
                problems.append(InputProblem(source, f"relations[{i}].{end}", message))
        if relation.source == relation.target:
            problems.append(InputProblem(source, f"relations[{i}]", f"joins {relation.source!r} to itself"))
    if problems:
        raise InputError(problems)
    return FactGraph(nodes=tuple(nodes), relations=tuple(relations))


def _a(kind: str) -> str:
    return "an atom" if kind == "atom" else "a context"


class _GraphParser:
    """Collects every problem of one file, so that all are reported at once."""

    def __init__(self, source: str, priors: Mapping[str, float]) -> None:
        self.source = source
        self.priors = priors
        self.problems: list[InputProblem] = []

    def wrong(self, field: str, message: str) -> None:
        self.problems.append(InputProblem(self.source, field, message))

    def nodes(self, data: Mapping[str, Any]) -> list[Node]:
        if "nodes" in data:
            return [
                node
                for i, item in self._objects(data["nodes"], "nodes")
                if (node := self._node(item, f"nodes[{i}]", None)) is not None
            ]
        if "atoms" not in data and "contexts" not in data:
            self.wrong("nodes", "missing; expected 'nodes', or 'atoms' and 'contexts'")
            return []
        found: list[Node] = []
        kinds: tuple[NodeKind, ...] = ("atom", "context")
        for kind in kinds:
            field = f"{kind}s"
            items = data.get(field, ())
            if isinstance(items, Mapping):
                items = [{"id": name} for name in items]
            if not isinstance(items, Sequence) or isinstance(items, str):
                self.wrong(field, "expected a list, or an object keyed by id")
                continue
            for i, item in enumerate(items):
                entry = item if isinstance(item, Mapping) else {"id": item}
                if (node := self._node(entry, f"{field}[{i}]", kind)) is not None:
                    found.append(node)
        return found

    def _node(self, item: Mapping[str, Any], field: str, kind: NodeKind | None) -> Node | None:
        node_id = self._text(item, ("id",), field)
        found = kind or self._text(item, ("kind", "type"), field)
        if found not in (None, "atom", "context"):
            self.wrong(f"{field}.kind", f"{found!r} is neither 'atom' nor 'context'")
            return None
        if node_id is None or found is None:
            return None
        default = self.priors[found]
        given = any(item.get(key) is not None for key in ("prior", "probability"))
        prior = self._probability(item, ("prior", "probability"), field) if given else default
        if prior is None:
            return None
        return Node(id=node_id, kind=cast(NodeKind, found), prior=prior)

    def relations(self, data: Mapping[str, Any]) -> list[Relation]:
        name = next((key for key in ("relations", "edges") if key in data), None)
        if name is None:
            self.wrong("relations", "missing; expected 'relations' or 'edges'")
            return []
        return [
            relation
            for i, item in self._objects(data[name], name)
            if (relation := self._relation(item, f"{name}[{i}]")) is not None
        ]

    def _relation(self, item: Mapping[str, Any], field: str) -> Relation | None:
        start = self._text(item, ("source", "from"), field)
        end = self._text(item, ("target", "to"), field)
        kind = self._text(item, ("kind", "label", "relation", "type"), field)
        if kind == "neutral":
            return None
        if kind is not None and kind not in _KINDS:
            self.wrong(f"{field}.kind", f"{kind!r} is none of {', '.join(_KINDS)}, neutral")
            return None
        probability = self._probability(item, ("probability",), field)
        if start is None or end is None or kind is None or probability is None:
            return None
        return Relation(source=start, target=end, kind=cast(RelationKind, kind), probability=probability)

    def _objects(self, items: object, field: str) -> list[tuple[int, Mapping[str, Any]]]:
        if not isinstance(items, list):
            self.wrong(field, "expected a list")
            return []
        for i, item in enumerate(items):
            if not isinstance(item, Mapping):
                self.wrong(f"{field}[{i}]", "expected an object")
        return [(i, item) for i, item in enumerate(items) if isinstance(item, Mapping)]

    def _text(self, item: Mapping[str, Any], keys: tuple[str, ...], field: str) -> str | None:
        key = next((key for key in keys if key in item), None)
        if key is None:
            self.wrong(field, f"missing {' or '.join(repr(key) for key in keys)}")
            return None
        if not isinstance(item[key], str) or not item[key]:
            self.wrong(f"{field}.{key}", f"expected a non-empty string, not {item[key]!r}")
            return None
        return cast(str, item[key])

    def _probability(self, item: Mapping[str, Any], keys: tuple[str, ...], field: str) -> float | None:
        key = next((key for key in keys if item.get(key) is not None), None)
        if key is None:
            self.wrong(field, f"missing {' or '.join(repr(key) for key in keys)}")
            return None
        value = item[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            self.wrong(f"{field}.{key}", f"expected a probability in [0, 1], not {value!r}")
            return None
        return float(value)
