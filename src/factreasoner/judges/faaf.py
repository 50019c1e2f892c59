"""Facts as a function: claims become the arguments of one function call, and its answer becomes verdicts.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), constructor of
section 3.2. Unlike there, arguments are named by position and a claim's text is passed unaltered.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from factreasoner.choices import Mode
from factreasoner.llm.messages import FunctionSchema, Reply, TokenLogprob
from factreasoner.models import Claim, Label

TRUE, FALSE, NOT_CLEAR = "True", "False", "Not clear from the given passage"
LABELS: dict[str, Label] = {TRUE: "entailment", FALSE: "contradiction", NOT_CLEAR: "neutral"}

Citation = Literal["found", "elsewhere", "absent"]


class Answer(NamedTuple):
    """What the model said of one claim. `p_logprobs` is None without log-probabilities."""

    label: Label
    quote: str
    p_verbal: float | None
    p_logprobs: float | None


class Reading(NamedTuple):
    """A reply, claim by claim: usable answers, and why each other claim has none."""

    answers: dict[str, Answer]
    problems: dict[str, str]


def enum_values(mode: Mode) -> tuple[str, ...]:
    """The values a verdict argument may take."""
    return (TRUE, FALSE) if mode in ("tf", "tf_citation") else (TRUE, FALSE, NOT_CLEAR)


def build(claims: Sequence[Claim], mode: Mode, *, verbal: bool = False) -> FunctionSchema:
    """The function object of `claims`: one required enum argument each, `fact_0`, `fact_1`, ...

    With a citation mode, `fact_i_citation` stands before `fact_i`, so that the model quotes first and
    decides then; with `verbal`, `fact_i_certainty` (0 to 100) stands behind it.
    """
    properties: dict[str, dict[str, Any]] = {}
    for position, claim in enumerate(claims):
        name = f"fact_{position}"
        if mode.endswith("citation"):
            properties[f"{name}_citation"] = {
                "type": "string",
                "description": f"The exact words of the passage that decide {name}, copied verbatim; "
                "an empty string when the passage has none.",
            }
        properties[name] = {"type": "string", "enum": list(enum_values(mode)), "description": claim.text}
        if verbal:
            properties[f"{name}_certainty"] = {
                "type": "integer",
                "minimum": 0,
                "maximum": 100,
                "description": f"How certain the answer to {name} is, in percent.",
            }
    return FunctionSchema(
        name="verify_facts",
        description="Say of each fact, by the passage alone, whether it is true.",
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    )


def tokens_per_claim(mode: Mode, *, verbal: bool = False) -> int:
    """About how many output tokens one claim takes."""
    return 16 + (80 if mode.endswith("citation") else 0) + (12 if verbal else 0)


def read(reply: Reply, schema: FunctionSchema, claims: Sequence[Claim]) -> Reading:
    """Validate a reply argument by argument; results are keyed by position, never by text."""
    answers: dict[str, Answer] = {}
    problems: dict[str, str] = {}
    names = schema.arguments
    for position, claim in enumerate(claims):
        name = f"fact_{position}"
        certainty = f"{name}_certainty"
        required = [name, certainty] if certainty in names else [name]
        problem = next((p for a in required if (p := schema.problem(a, reply.arguments))), None)
        if problem:
            problems[claim.id] = problem
            continue
        value = schema.value(name, reply.arguments)
        quote = reply.arguments.get(f"{name}_citation")
        allowed = schema.parameters["properties"][name]["enum"]
        answers[claim.id] = Answer(
            label=LABELS[value],
            quote=quote.strip() if isinstance(quote, str) else "",
            p_verbal=reply.arguments[certainty] / 100 if certainty in names else None,
            p_logprobs=value_probability(reply, name, value, allowed),
        )
    return Reading(answers, problems)


def value_probability(reply: Reply, argument: str, value: str, allowed: Sequence[str]) -> float | None:
    """The chosen value's share among the allowed ones at the token where they part, or None if unknown.

    The allowed values differ in their first letter, so the token that holds it decides. Without
    alternatives at that position the token's own probability is returned.
    """
    found = re.search(rf'"{re.escape(argument)}"\s*:\s*"?', reply.text)
    token, prefix = _token_at(reply.tokens, found.end()) if reply.tokens and found else (None, "")
    if token is None:
        return None
    mass = dict.fromkeys(allowed, 0.0)
    for text, logprob in dict(((token.token, token.logprob), *token.top)).items():
        rest = text[len(prefix) :].casefold() if text.startswith(prefix) else ""
        fits = [
            v for v in allowed if rest and (v.casefold().startswith(rest) or rest.startswith(v.casefold()))
        ]
        if len(fits) == 1:
            mass[fits[0]] += math.exp(logprob)
    if mass[value] == 0.0:
        return None
    if len(token.top) <= 1:
        return min(1.0, mass[value])
    return mass[value] / sum(mass.values())


def _token_at(tokens: Sequence[TokenLogprob] | None, position: int) -> tuple[TokenLogprob | None, str]:
    """The token covering a character position, with the part of it that comes before."""
    start = 0
    for token in tokens or ():
        if start <= position < start + len(token.token):
            return token, token.token[: position - start]
        start += len(token.token)
    return None, ""


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def check_citation(quote: str, passage: str, others: Sequence[str] = ()) -> Citation:
    """Where a quote stands, white space and case folded: in the passage, in another one, or nowhere."""
    wanted = _folded(quote)
    if wanted and wanted in _folded(passage):
        return "found"
    if wanted and any(wanted in _folded(other) for other in others):
        return "elsewhere"
    return "absent"
