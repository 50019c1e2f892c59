"""Read merlin's JSON answer to the task MAR, and believe none of it unchecked.

::

    { "algorithm" : "cte", "task" : "MAR", "value" : -1.139434, "status" : "true", "message" : "...",
      "marginals" : [ { "variable" : 0, "states" : 2, "probabilities" : [0.500000, 0.500000] }, ... ] }

`value`, log Z or an estimate of it, is not read. Numbers are printed by C++ streams: 6 decimals, and `nan`
and `-inf` as such, which is not JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

PRECISION = 1e-6
"""Probabilities come with 6 decimals."""

_CPP_NUMBER = re.compile(r"([:,\[]\s*)(-?(?:nan|inf))(?=\s*[,\]}])", re.IGNORECASE)


class BadAnswer(ValueError):  # noqa: N818 - becomes a MerlinOutputError, which adds the command
    """What is wrong with an answer."""


def parse_answer(
    text: str, *, algorithm: str, cardinalities: Sequence[int], evidence: Mapping[int, int]
) -> tuple[tuple[float, ...], ...]:
    """The marginals of an answer, checked: one distribution a variable, in order of the variables.

    Raises:
        BadAnswer: it is not JSON of the form above, answers another question, says that it failed, or holds
            anything but one distribution for each variable, with probability 1 on observed states.
    """
    answer = _object(text)
    _check_status(answer)
    for key, expected in (("task", "MAR"), ("algorithm", algorithm)):
        if answer.get(key, expected) != expected:
            raise BadAnswer(f"the answer has {key} {answer[key]!r}, but {expected!r} was asked for")
    entries = answer.get("marginals")
    if not isinstance(entries, list):
        raise BadAnswer("the answer has no list of marginals")
    if len(entries) != len(cardinalities):
        raise BadAnswer(f"the answer has {len(entries)} marginals for {len(cardinalities)} variables")
    found: dict[int, tuple[float, ...]] = {}
    for entry in entries:
        i, probabilities = _marginal(entry, cardinalities)
        if i in found:
            raise BadAnswer(f"the answer has two marginals for variable {i}")
        if i in evidence and probabilities[evidence[i]] < 1.0 - PRECISION:
            raise BadAnswer(f"variable {i} was observed in state {evidence[i]}, but has {probabilities}")
        found[i] = probabilities
    return tuple(found[i] for i in range(len(cardinalities)))


def _object(text: str) -> dict[str, Any]:
    if not text.strip():
        raise BadAnswer("the answer is empty: merlin stopped before it had one")
    try:
        answer = json.loads(_CPP_NUMBER.sub(r'\1"\2"', text))
    except json.JSONDecodeError as error:
        raise BadAnswer(f"the answer is not JSON ({error}); it begins {text[:80]!r}") from error
    if not isinstance(answer, dict):
        raise BadAnswer(f"the answer is not a JSON object; it begins {text[:80]!r}")
    return answer


def _check_status(answer: dict[str, Any]) -> None:
    if answer.get("status") in ("true", True):
        return
    said = {key: answer.get(key) for key in ("status", "message", "value")}
    raise BadAnswer(
        f"merlin gave up ({said}). "
        "Either no joint state is possible, or the algorithm can't take the zeros in the tables ('cte' and "
        "'bte' can), or floating point did not reach"
    )


def _marginal(entry: object, cardinalities: Sequence[int]) -> tuple[int, tuple[float, ...]]:
    if not isinstance(entry, dict):
        raise BadAnswer(f"a marginal is not an object: {entry!r}")
    i, probabilities = entry.get("variable"), entry.get("probabilities")
    if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < len(cardinalities):
        raise BadAnswer(f"a marginal names variable {i!r}, but there are {len(cardinalities)}")
    size = cardinalities[i]
    if not isinstance(probabilities, list) or len(probabilities) != size or entry.get("states", size) != size:
        raise BadAnswer(f"variable {i} has {size} states, but its marginal is {entry!r}")
    # Rounding to 6 decimals moves the sum by half of this at most; the rest is for the arithmetic before it.
    tolerance = PRECISION * size
    numeric = all(isinstance(p, float | int) and not isinstance(p, bool) for p in probabilities)
    if not numeric or not all(0.0 <= p <= 1.0 + tolerance for p in probabilities):
        raise BadAnswer(f"the marginal of variable {i} is not a distribution: {probabilities}")
    total = math.fsum(probabilities)
    if abs(total - 1.0) > tolerance:
        raise BadAnswer(f"the marginal of variable {i} sums to {total}, not to 1: {probabilities}")
    return i, tuple(float(p) for p in probabilities)
