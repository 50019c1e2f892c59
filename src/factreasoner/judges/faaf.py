"""Facts as a function: claims become the arguments of one function call, and its answer becomes verdicts.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), constructor of
section 3.2. Unlike there, arguments are named by position and a claim's text is passed unaltered.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.llm.ask import NoResult
from factreasoner.models import Claim, Label
from factreasoner.models.messages import Chances, Example, FunctionSchema, Reply
from factreasoner.models.verdicts import FALSE, LABEL_OF_VALUE, LEAST_MASS, NOT_CLEAR, TRUE
from factreasoner.settings.choices import Mode

SPELLINGS = {"not clear from the given passage": NOT_CLEAR}
"""The paper's own words for the third value, four tokens longer in every answer."""
log = logging.getLogger(__name__)

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
    chances: Chances | None = None


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
        return LABEL_OF_VALUE.get(value)

    @property
    def one_word(self) -> bool:
        """Whether one of the values is all that is asked of a claim."""
        return self.values is not None and not self.first and not self.verbal

    @property
    def verdicts(self) -> str:
        """What the values mean, for a judge's prompt."""
        return _text(f"verdicts_{'tf' if self.values == (TRUE, FALSE) else 'tfn'}.txt").strip()

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
        for position in range(len(claims)):
            name = f"fact_{position}"
            for first in self.first:
                text = _FIRST_TEXT[first].format(name=name)
                properties[f"{name}_{first}"] = {"type": "string", "description": text}
            properties[name] = {"type": "string", "description": f"The answer on {name}."}
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


def examples(
    asked: Inquiry,
    *,
    one: bool = False,
    user: Callable[[Sequence[str], Sequence[str]], str],
    said: Mapping[str, str] | None = None,
) -> tuple[Example, ...]:
    """Worked calls for a prompt: `user` words their passages and facts as the call's own.

    `said` has the words for True, False and Not clear where the prompt has its own. With `one`, six calls
    of one fact, two of each label. Else one of two facts and one of six: a model that saw one size
    answers that many keys whatever it is asked.
    """
    cases = _cases()
    if one:
        order = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
        shown = [(cases[case], [cases[case]["facts"][fact]]) for case, fact in order]
    else:
        shown = [(cases[0], cases[0]["facts"][:2]), (cases[1], cases[1]["facts"])]
    every = [case["passage"] for case in cases]
    return tuple(
        _example(
            asked._replace(values=None) if said else asked,
            user(every if "sources" in asked.first else [case["passage"]], [fact["text"] for fact in facts]),
            facts,
            source=number,
            said=said or {},
        )
        for number, (case, facts) in enumerate(shown, start=1)
    )


def _example(
    asked: Inquiry, user: str, facts: Sequence[dict[str, str]], *, source: int, said: Mapping[str, str]
) -> Example:
    arguments: dict[str, Any] = {}
    for position, fact in enumerate(facts):
        name, value = f"fact_{position}", fact["value"]
        before: dict[First, str] = {
            "sources": str(source) if value != NOT_CLEAR else "",
            "citation": fact["quote"],
            "reasoning": fact["why"],
        }
        arguments |= {f"{name}_{first}": before[first] for first in asked.first}
        silent = value == NOT_CLEAR and asked.values is not None and NOT_CLEAR not in asked.values
        arguments[name] = FALSE if silent else said.get(value, value)
        if asked.verbal:
            arguments[f"{name}_certainty"] = 95
    items = {f"fact_{position}": fact["text"] for position, fact in enumerate(facts)}
    return Example(user=user, items=items, arguments=arguments)


@cache
def _cases() -> list[dict[str, Any]]:
    """The passages of the examples, with facts, their verdicts, quotes and reasons."""
    found: list[dict[str, Any]] = json.loads(_text("judge_examples.json"))
    return found


@cache
def _text(name: str) -> str:
    """A file that stands beside the prompts."""
    return (resources.files("factreasoner.prompts") / name).read_text(encoding="utf-8")


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
    count: int,
    label_of: Callable[[str], Label | None] = LABEL_OF_VALUE.get,
) -> list[ClaimAnswer | NoResult]:
    """What a reply says of each of `count` claims, by position, never by text, or why it says nothing usable.

    `label_of` says what a valid answer means, None when it means nothing.
    """
    return [_read(reply, schema, f"fact_{position}", label_of) for position in range(count)]


def _read(
    reply: Reply, schema: FunctionSchema, name: str, label_of: Callable[[str], Label | None]
) -> ClaimAnswer | NoResult:
    certainty = f"{name}_certainty"
    verbal = certainty in schema.arguments
    for required in (name, certainty) if verbal else (name,):
        if problem := schema.problem(required, reply.arguments):
            return NoResult(problem)
    value = schema.value(name, reply.arguments)
    label = label_of(value)
    if label is None:
        return NoResult(f"the answer decides nothing: {shortened(value)}", final=True)
    chances = (reply.chances or {}).get(name)
    return ClaimAnswer(
        label=label,
        quote=_words(reply.arguments.get(f"{name}_citation")),
        p_verbal=reply.arguments[certainty] / 100 if verbal else None,
        p_logprobs=_confidence(chances, value),
        reasoning=_words(reply.arguments.get(f"{name}_reasoning")),
        sources=_listed(reply.arguments.get(f"{name}_sources")),
        chances=chances,
    )


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


def _confidence(chances: Chances | None, value: str) -> float | None:
    """The chosen value's share; None where all values together have too little of the mass."""
    if chances is None or value not in chances.probabilities:
        return None
    if chances.mass is not None and chances.mass < LEAST_MASS:
        warn_of_mass()
        return None
    return chances.probabilities[value]


@cache
def warn_of_mass() -> None:
    """Say once that log-probabilities are of no use."""
    log.warning(
        "the allowed answers have less than half of the probability of all that the model could have said: "
        "such a number is no confidence, and the constant one is taken (--constant-confidence)"
    )


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
