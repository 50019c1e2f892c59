"""Network files: UAI networks with evidence and names, and fact graphs in JSON.

A UAI network is the word MARKOV or BAYES, the number of variables, their cardinalities, the number of
factors, each factor's scope (its length, then variables), then each factor's table (its length, then entries
with the scope's last variable fastest). White space, line breaks included, only separates.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import text_of
from factreasoner.graph.fact_graph import ATOM_PRIOR, CONTEXT_PRIOR, read_fact_graph
from factreasoner.graph.factors import factor_graph
from factreasoner.models import FactorTable, Relation
from factreasoner.models.graph import Factor, FactorGraph

_log = logging.getLogger(__name__)

MOST_AXES = 64
"""Maximum number of numpy array axes."""


def parse_uai(text: str, *, source: str = "network") -> FactorGraph:
    """Read a network from the text of a UAI file, in time linear in its length.

    Words after the last table are ignored, with a warning.

    Raises InputError: malformed; the line and item are named.
    """
    tokens = _UaiWords(text, source)
    kind = tokens.word("the type of network")
    if kind not in ("MARKOV", "BAYES"):
        raise tokens.wrong("the type of network", f"expected MARKOV or BAYES, not {kind!r}")
    count = tokens.natural("the number of variables")
    cardinalities = tokens.naturals(count, "cardinality of variable")
    if 0 in cardinalities:
        raise tokens.wrong(f"cardinality of variable {cardinalities.index(0)}", "a variable needs a state")
    scopes = []
    for j in range(tokens.natural("the number of factors")):
        scope = tokens.naturals(tokens.natural(f"size of scope {j}"), f"scope {j}, variable")
        if any(i >= count for i in scope) or len(set(scope)) < len(scope):
            raise tokens.wrong(f"scope {j}", f"{scope} names a variable twice, or one that does not exist")
        if len(scope) > MOST_AXES:
            message = f"{len(scope)} variables; a table of more than {MOST_AXES} can't be read"
            raise tokens.wrong(f"scope {j}", message)
        scopes.append(scope)
    factors = []
    for j, scope in enumerate(scopes):
        size = tokens.natural(f"size of table {j}")
        shape = tuple(cardinalities[i] for i in scope)
        if size != math.prod(shape):
            raise tokens.wrong(f"size of table {j}", f"{size}, but its scope has {math.prod(shape)} states")
        factors.append(Factor(scope, tokens.numbers(size, f"table {j}").reshape(shape)))
    if left := tokens.left():
        # Such networks exist, and other programs read them.
        _log.warning("%s: %d words after the last table are not read, from %s on", source, *left)
    return FactorGraph(tuple(map(str, range(count))), cardinalities, tuple(factors))


def parse_evidence(text: str, cardinalities: tuple[int, ...], *, source: str = "evidence") -> dict[int, int]:
    """Read evidence as variable -> state from the text of an evidence file.

    There are two layouts: the number of observations, then variable and state of each; or the same after
    the number of samples, 1. Their lengths are odd and even, so no file fits both. A file that is empty or
    begins with 0 observes nothing.

    Raises InputError: malformed, more than one sample, or a variable or state that does not exist.
    """
    tokens = _UaiWords(text, source)
    if not len(tokens):
        return {}
    first = tokens.natural("the number of observations")
    if first == 0:
        return {}
    if len(tokens) % 2 == 0:
        if first != 1:
            raise tokens.wrong("the number of samples", f"{first}; only one sample can be read")
        first = tokens.natural("the number of observations")
    observed: dict[int, int] = {}
    for k in range(first):
        i, state = tokens.natural(f"variable {k}"), tokens.natural(f"state {k}")
        if i >= len(cardinalities) or state >= cardinalities[i]:
            raise tokens.wrong(f"observation {k}", f"variable {i} has no state {state}")
        if observed.setdefault(i, state) != state:
            raise tokens.wrong(f"observation {k}", f"variable {i} has another state already")
    if left := tokens.left():
        raise tokens.wrong("end", f"{left[0]} words follow the last observation", back=0)
    return observed


def uai_text(graph: FactorGraph) -> str:
    """The network, without its evidence, as a UAI file; numbers read back as the same doubles."""
    lines = [
        "MARKOV",
        str(len(graph.names)),
        " ".join(map(str, graph.cardinalities)),
        str(len(graph.factors)),
    ]
    lines += [" ".join(map(str, (len(factor.scope), *factor.scope))) for factor in graph.factors]
    for factor in graph.factors:
        entries = " ".join(repr(float(value)) for value in factor.table.ravel())
        lines += ["", str(factor.table.size), entries]
    return "\n".join(lines) + "\n"


class _UaiWords:
    """The words of a file, in order; an error names the line of the last word read."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._words = text.split()
        self._next = 0
        self._source = source

    def __len__(self) -> int:
        return len(self._words)

    def wrong(self, item: str, message: str, *, back: int = 1) -> InputError:
        """The error for the word read `back` words ago."""
        return InputError([InputProblem(f"{self._source}, {self._line(back)}", item, message)])

    def _line(self, back: int) -> str:
        """The line of the word read `back` words ago."""
        left = max(self._next - back, 0) + 1
        for number, line in enumerate(self._text.splitlines(), start=1):
            left -= len(line.split())
            if left <= 0:
                return f"line {number}"
        return "end of file"

    def word(self, item: str) -> str:
        if self._next >= len(self._words):
            raise self.wrong(item, "missing", back=0)
        self._next += 1
        return self._words[self._next - 1]

    def natural(self, item: str) -> int:
        word = self.word(item)
        if not (word.isascii() and word.isdigit() and len(word) < 19):
            raise self.wrong(item, f"expected a whole number of at least 0, not {word[:40]!r}")
        return int(word)

    def naturals(self, count: int, item: str) -> tuple[int, ...]:
        if count > len(self._words) - self._next:
            self._next = len(self._words)
            raise self.wrong(item, f"{count} numbers expected, but the file ends", back=0)
        return tuple(self.natural(f"{item} {i}") for i in range(count))

    def numbers(self, count: int, item: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        words = self._words[self._next : self._next + count]
        self._next += len(words)
        if len(words) < count:
            raise self.wrong(item, f"{count} entries expected, but the file ends after {len(words)}", back=0)
        values = np.empty(count)
        for k, word in enumerate(words):
            try:
                values[k] = value = float(word)
            except ValueError:
                value = math.nan
            if not 0.0 <= value < math.inf:
                message = f"expected a finite number of at least 0, not {word[:40]!r}"
                raise self.wrong(f"{item}, entry {k}", message, back=count - k)
        return values

    def left(self) -> tuple[int, str] | None:
        """The number and first line of unread words; None if all were read."""
        count = len(self._words) - self._next
        return (count, self._line(0)) if count else None


SNIFFED = 1 << 12


class NetworkFile(NamedTuple):
    """A network, and the kind of each variable ("atom", "context"), in order, if known.

    `evidence` has the relations of each atom with contexts, if the file is a fact graph.
    """

    graph: FactorGraph
    kinds: tuple[str, ...] | None = None
    evidence: Mapping[str, Sequence[Relation]] | None = None


def is_uai(path: Path) -> bool:
    """Whether a file is a UAI network, by its first word; else it is a JSON object.

    Raises InputError: unreadable, not UTF-8, or neither.
    """
    start = text_of(path, SNIFFED).split(maxsplit=1)[:1]
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
    """The network of a fact graph in JSON; the priors are for nodes that have none.

    Raises InputError: unreadable or malformed.
    """
    facts = read_fact_graph(path, atom_prior=atom_prior, context_prior=context_prior)
    graph = factor_graph(facts, table)
    return NetworkFile(graph, tuple(node.kind for node in facts.nodes), facts.evidence())


def read_uai_network(path: Path, evidence: Path | None = None) -> NetworkFile:
    """A UAI network with its evidence, and with names and kinds if there is a variable map, PATH.map.json.

    Without `evidence`, it is PATH.evid, or PATH with .evid in place of its suffix, if one of these exists.

    Raises InputError: unreadable or malformed.
    """
    if evidence is None:
        beside = (Path(f"{path}.evid"), path.with_suffix(".evid"))
        evidence = next((file for file in beside if file.is_file()), None)
    graph = parse_uai(text_of(path), source=str(path))
    if evidence is not None:
        observed = parse_evidence(text_of(evidence), graph.cardinalities, source=str(evidence))
        graph = replace(graph, evidence=observed)
    variables = Path(f"{path}.map.json")
    return _mapped(graph, variables) if variables.is_file() else NetworkFile(graph)


def _mapped(graph: FactorGraph, path: Path) -> NetworkFile:
    """The graph with names and kinds from a map: {"variables": [name of variable 0, ...], "kinds": [...]}."""
    content = text_of(path)
    try:
        found = json.loads(content)
        names, kinds = found["variables"], found.get("kinds")
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError([InputProblem(str(path), "variables", "not a variable map")]) from error
    count = len(graph.names)
    if not _are_strings(names, count) or len(set(names)) < count:
        raise InputError([InputProblem(str(path), "variables", f"expected {count} distinct names")])
    if kinds is not None and not _are_strings(kinds, count):
        raise InputError([InputProblem(str(path), "kinds", f"expected {count} words")])
    return NetworkFile(replace(graph, names=tuple(names)), None if kinds is None else tuple(kinds))


def _are_strings(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(isinstance(word, str) for word in value)
