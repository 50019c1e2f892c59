"""Networks from files of either kind: a fact graph in JSON, or a UAI network with its companions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.errors import InputError, InputProblem
from factreasoner.graph.fact_graph import ATOM_PRIOR, CONTEXT_PRIOR, read_fact_graph
from factreasoner.graph.factors import factor_graph
from factreasoner.graph.uai import named, read_uai
from factreasoner.models import FactorTable, Relation
from factreasoner.models.factor_graph import FactorGraph

SNIFFED = 1 << 12


class NetworkFile(NamedTuple):
    """A network, and what each variable is ("atom", "context"), in order, where the file says.

    `evidence` has the relations of each atom with contexts, where the file is a fact graph.
    """

    graph: FactorGraph
    kinds: tuple[str, ...] | None = None
    evidence: Mapping[str, Sequence[Relation]] | None = None


def is_uai(path: Path) -> bool:
    """Whether a file is a UAI network, by its first word; else it is a JSON object.

    Raises:
        InputError: unreadable, or neither.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            start = file.read(SNIFFED).split(maxsplit=1)[:1]
    except OSError as error:
        raise InputError([InputProblem(str(path), "", f"can't be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise InputError([InputProblem(str(path), "", "neither a UAI network nor JSON: not text")]) from error
    word = start[0] if start else ""
    if word in ("MARKOV", "BAYES"):
        return True
    if word.startswith(("{", "[")):
        return False
    begin = f"it begins with {word[:20]!r}" if word else "it is empty"
    message = f"neither a UAI network, which begins with MARKOV or BAYES, nor a fact graph in JSON: {begin}"
    raise InputError([InputProblem(str(path), "", message)])


def read_fact_network(
    path: Path,
    table: FactorTable = "conditional",
    *,
    atom_prior: float = ATOM_PRIOR,
    context_prior: float = CONTEXT_PRIOR,
) -> NetworkFile:
    """The network of a fact graph in JSON; the priors are those of nodes that have none.

    Raises:
        InputError: unreadable or malformed.
    """
    facts = read_fact_graph(path, atom_prior=atom_prior, context_prior=context_prior)
    graph = factor_graph(facts, table)
    return NetworkFile(graph, tuple(node.kind for node in facts.nodes), facts.evidence())


def read_uai_network(path: Path, evidence: Path | None = None) -> NetworkFile:
    """A UAI network with its evidence, and with names and kinds where a variable map lies beside it.

    Without `evidence`, that is looked for as PATH.evid, then with .evid in place of PATH's suffix. The map
    is PATH.map.json.

    Raises:
        InputError: unreadable or malformed.
    """
    if evidence is None:
        beside = (Path(f"{path}.evid"), path.with_suffix(".evid"))
        evidence = next((file for file in beside if file.is_file()), None)
    graph = read_uai(path, evidence)
    names = Path(f"{path}.map.json")
    if not names.is_file():
        return NetworkFile(graph)
    return NetworkFile(named(graph, names), _kinds(names, len(graph.names)))


def _kinds(path: Path, count: int) -> tuple[str, ...] | None:
    """The kinds in a map that was read for its names before."""
    kinds: Any = json.loads(path.read_text(encoding="utf-8-sig")).get("kinds")
    if kinds is None:
        return None
    if not isinstance(kinds, list) or len(kinds) != count or not all(isinstance(kind, str) for kind in kinds):
        raise InputError([InputProblem(str(path), "kinds", f"expected {count} words")])
    return tuple(kinds)
