"""Facts as a function: claims become the arguments of one function call, and its answer becomes verdicts.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), constructor of
section 3.2. Unlike there, arguments are named by position and a claim's text is passed unaltered.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from factreasoner.choices import Mode
from factreasoner.errors import ConfigError
from factreasoner.llm.messages import FunctionSchema, Reply, TokenLogprob
from factreasoner.models import Claim, Label
from factreasoner.prompts.fences import about

TRUE, FALSE, NOT_CLEAR = "True", "False", "Not clear"
SPELLINGS = {"not clear from the given passage": NOT_CLEAR}
"""The paper's own words for the third value, four tokens longer in every answer."""
LABELS: dict[str, Label] = {TRUE: "entailment", FALSE: "contradiction", NOT_CLEAR: "neutral"}

Citation = Literal["found", "elsewhere", "absent"]
First = Literal["sources", "citation", "reasoning"]
"""What an answer may be preceded by."""

_FIRST_TEXT: dict[First, str] = {
    "sources": 'The numbers of the sources that decide {name}, as "1, 3"; an empty string where none does.',
    "citation": "The exact words of the passage that decide {name}, copied verbatim; "
    "an empty string when the passage has none.",
    "reasoning": "What the evidence says on {name} and what follows from it, in one or two sentences.",
}
_FIRST_TOKENS: dict[First, int] = {"sources": 12, "citation": 80, "reasoning": 80}


class ClaimAnswer(NamedTuple):
    """What the model said of one claim. `p_logprobs` is None without log-probabilities."""

    label: Label
    quote: str
    p_verbal: float | None
    p_logprobs: float | None
    reasoning: str = ""
    sources: str = ""


class ParsedReply(NamedTuple):
    """A reply, claim by claim: usable answers, and why each other claim has none.

    `problems` are mended by asking again; `unreadable` answers are whole, and say nothing all the same.
    """

    answers: dict[str, ClaimAnswer]
    problems: dict[str, str]
    unreadable: dict[str, str]


class Inquiry(NamedTuple):
    """What a call asks of every claim: one of `values` (free words where None), after each of `first`.

    With `verbal`, a certainty from 0 to 100 follows. `task` describes the function, `item` names a claim.
    """

    values: tuple[str, ...] | None
    task: str
    item: str = "fact"
    first: tuple[First, ...] = ()
    verbal: bool = False

    def label_of(self, value: str) -> Label | None:
        """What an answer of that value means, None when it means nothing.

        Where only True and False can be answered, False does not tell silence from a contradiction: neutral.
        """
        if value == FALSE and self.values is not None and NOT_CLEAR not in self.values:
            return "neutral"
        return LABELS.get(value)

    @property
    def tokens_per_claim(self) -> int:
        """About how many output tokens one claim takes."""
        before = sum(_FIRST_TOKENS[first] for first in self.first)
        return (40 if self.values is None else 16) + before + (12 if self.verbal else 0)

    def build(self, claims: Sequence[Claim]) -> FunctionSchema:
        """The function object of `claims`: one required argument each, `fact_0`, `fact_1`, ...

        What comes first stands before it (`fact_0_citation`), so that the model quotes or thinks first and
        decides then; the certainty (`fact_0_certainty`) stands behind it.
        """
        properties: dict[str, dict[str, Any]] = {}
        for position, claim in enumerate(claims):
            name = f"fact_{position}"
            for first in self.first:
                text = _FIRST_TEXT[first].format(name=name)
                properties[f"{name}_{first}"] = {"type": "string", "description": text}
            properties[name] = {"type": "string", "description": about(self.item, claim.text)}
            if self.values is not None:
                properties[name]["enum"] = list(self.values)
            if self.verbal:
                properties[f"{name}_certainty"] = {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 100,
                    "description": f"How certain the answer to {name} is, in percent.",
                }
        return FunctionSchema(
            name="verify_facts",
            description=self.task,
            parameters={
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
            items={f"fact_{position}": claim.text for position, claim in enumerate(claims)},
            item=self.item,
            spellings=SPELLINGS,
        )


def inquiry(mode: Mode, *, verbal: bool = False) -> Inquiry:
    """The inquiry of a mode; those with citation have the model quote first, those with reasoning think.

    Raises:
        ConfigError: prompt-tf, which asks no function.
    """
    if mode == "prompt-tf":
        raise ConfigError("mode: prompt-tf is one of `recall` alone; elsewhere take --assessor prompt-tf")
    return Inquiry(
        values=(TRUE, FALSE) if mode in ("tf", "tf_citation") else (TRUE, FALSE, NOT_CLEAR),
        task="Say of each fact, by the passage alone, whether it is true.",
        first=tuple(first for first in _FIRST_TEXT if mode.endswith(first)),
        verbal=verbal,
    )


def read(
    reply: Reply,
    schema: FunctionSchema,
    claims: Sequence[Claim],
    label_of: Callable[[str], Label | None] = LABELS.get,
) -> ParsedReply:
    """Validate a reply argument by argument; results are keyed by position, never by text.

    `label_of` says what a valid answer means, None when it means nothing.
    """
    reading = ParsedReply({}, {}, {})
    names = schema.arguments
    behind = _finder(reply)
    for position, claim in enumerate(claims):
        name = f"fact_{position}"
        certainty = f"{name}_certainty"
        required = [name, certainty] if certainty in names else [name]
        problem = next((p for a in required if (p := schema.problem(a, reply.arguments))), None)
        if problem:
            reading.problems[claim.id] = problem
            continue
        value = schema.value(name, reply.arguments)
        label = label_of(value)
        if label is None:
            reading.unreadable[claim.id] = f"the answer decides nothing: {shortened(value)}"
            continue
        allowed = schema.parameters["properties"][name].get("enum")
        reading.answers[claim.id] = ClaimAnswer(
            label=label,
            quote=_words(reply.arguments.get(f"{name}_citation")),
            p_verbal=reply.arguments[certainty] / 100 if certainty in names else None,
            p_logprobs=value_probability(*behind(name), value, allowed) if allowed else None,
            reasoning=_words(reply.arguments.get(f"{name}_reasoning")),
            sources=_listed(reply.arguments.get(f"{name}_sources")),
        )
    return reading


def numbered(text: str, count: int) -> list[int]:
    """The numbers in `text` from 1 to `count`; of ranges (2-4) both ends and what is between."""
    found: list[int] = []
    for first, last in re.findall(r"(?<!\d)(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?(?!\d)", text):
        found += [n for n in range(int(first), min(int(last or first), count) + 1) if 1 <= n <= count]
    return found


def _listed(given: object) -> str:
    """Numbers as text, however they were given."""
    if isinstance(given, list):
        return ", ".join(map(str, given))
    return str(given) if isinstance(given, int) else _words(given)


def _words(given: object) -> str:
    return given.strip() if isinstance(given, str) else ""


def shortened(text: str, length: int = 80) -> str:
    """`text` in quotes, on one line, cut for a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= length else f"{line[:length]}…")


def value_probability(
    token: TokenLogprob | None, prefix: str, value: str, allowed: Sequence[str]
) -> float | None:
    """The chosen value's share among the allowed ones at the token where they part, or None if unknown.

    The allowed values differ in their first letter, so the token that holds it decides; `prefix` is what
    stands before it in that token. Without alternatives the token's own probability is returned.

    An allowed value that is not among the alternatives is at most as probable as the least of these, and as
    what they leave of 1, and is taken to be that: a server that reports probabilities from before its grammar
    may name none of the others though the chosen one was improbable.
    """
    if token is None or token.logprob is None:
        return None
    mass = dict.fromkeys(allowed, 0.0)
    seen = dict(((token.token, token.logprob), *token.top))
    for text, logprob in seen.items():
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
    shares = [math.exp(logprob) for logprob in seen.values()]
    unseen = min(*shares, max(0.0, 1.0 - sum(shares)))
    return mass[value] / sum(known or unseen for known in mass.values())


def _finder(reply: Reply) -> Callable[[str], tuple[TokenLogprob | None, str]]:
    """What finds the token that holds the first letter of an argument's value, and what it holds before."""
    tokens = reply.tokens or ()
    ends = list(itertools.accumulate(len(token.token) for token in tokens))

    def behind(argument: str) -> tuple[TokenLogprob | None, str]:
        found = re.search(rf'"{re.escape(argument)}"\s*:\s*"?', reply.text) if tokens else None
        number = len(tokens) if found is None else bisect.bisect_right(ends, found.end())
        if found is None or number == len(tokens):
            return None, ""
        text = tokens[number].token
        return tokens[number], text[: found.end() - ends[number] + len(text)]

    return behind


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
