"""Facts as a function: claims become the arguments of one function call.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), constructor of
section 3.2. Unlike there, arguments are named by position and a claim's text is passed unaltered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.llm.settings import Mode
from factreasoner.models import Claim, Label
from factreasoner.models.messages import Example, FunctionSchema
from factreasoner.models.verdicts import FALSE, LABEL_OF_VALUE, NOT_CLEAR, TRUE

SPELLINGS = {"not clear from the given passage": NOT_CLEAR}
"""The paper's words for the third value, four tokens longer in every answer."""

First = Literal["sources", "citation", "reasoning"]

ANSWERED_FALSE = "the model said False, which may mean silence or a contradiction"
"""The note on a verdict if a model could answer only True or False."""

_FIRST_TEXT: dict[First, str] = {
    "sources": 'The numbers of the sources that decide {name}, as "1, 3"; an empty string where none does.',
    "citation": "The exact words of the passage that decide {name}, copied verbatim; "
    "an empty string when the passage has none.",
    "reasoning": "What the evidence says on {name} and what follows from it, in one or two sentences.",
}
_FIRST_TOKENS: dict[First, int] = {"sources": 12, "citation": 80, "reasoning": 80}


class Inquiry(NamedTuple):
    """The question about every claim of a call: one of `values` (free text if None), after each of `first`.

    With `verbal`, a certainty from 0 to 100 follows. `task` describes the function, `item` names a claim.
    """

    values: tuple[str, ...] | None
    task: str
    item: str = "fact"
    first: tuple[First, ...] = ()
    verbal: bool = False

    def label_of(self, value: str) -> Label | None:
        """The meaning of an answer; None if it has none.

        If only True and False are allowed, False may mean silence or contradiction: neutral.
        """
        if value == FALSE and self.values is not None and NOT_CLEAR not in self.values:
            return "neutral"
        return LABEL_OF_VALUE.get(value)

    @property
    def one_word(self) -> bool:
        """Whether the answer about a claim is only one value."""
        return self.values is not None and not self.first and not self.verbal

    @property
    def verdicts(self) -> str:
        """The meaning of the values, for a judge's prompt."""
        return _text(f"verdicts_{'tf' if self.values == (TRUE, FALSE) else 'tfn'}.txt").strip()

    @property
    def tokens_per_claim(self) -> int:
        """Estimated output tokens per claim."""
        before = sum(_FIRST_TOKENS[first] for first in self.first)
        return (40 if self.values is None else 16) + before + (12 if self.verbal else 0)

    def build(self, claims: Sequence[Claim]) -> FunctionSchema:
        """The function of `claims`: one required argument each, `fact_0`, `fact_1`, ...

        Citations and reasons precede it (`fact_0_citation`), so that the model quotes or thinks before it
        decides; the certainty (`fact_0_certainty`) follows.
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
        self,
        *,
        one: bool = False,
        user: Callable[[Sequence[str], Sequence[str]], str],
        words: Mapping[str, str] | None = None,
    ) -> tuple[Example, ...]:
        """Worked calls for a prompt: `user` formats passages and facts as the call does.

        `words` replace True, False and Not clear if the prompt has its own. With `one`, six calls of one
        fact, two per label. Otherwise one of two facts and one of six, since a model that saw one size
        repeats that number of keys.
        """
        cases = _cases()
        shown = [(cases[0], cases[0]["facts"][:2]), (cases[1], cases[1]["facts"])]
        if one:
            shown = [(case, [fact]) for case in cases for fact in case["facts"][:3]]
        every = [case["passage"] for case in cases]
        found = []
        for number, (case, facts) in enumerate(shown, start=1):
            texts = [fact["text"] for fact in facts]
            found.append(
                Example(
                    user=user(every if "sources" in self.first else [case["passage"]], texts),
                    items={f"fact_{position}": text for position, text in enumerate(texts)},
                    arguments=self._answers(facts, str(number), words),
                )
            )
        return tuple(found)

    def _answers(
        self, facts: Sequence[Mapping[str, str]], source: str, words: Mapping[str, str] | None
    ) -> dict[str, Any]:
        """The arguments of an example's answer."""
        arguments: dict[str, Any] = {}
        for position, fact in enumerate(facts):
            name, value = f"fact_{position}", fact["value"]
            before: dict[First, str] = {
                "sources": source if value != NOT_CLEAR else "",
                "citation": fact["quote"],
                "reasoning": fact["why"],
            }
            arguments |= {f"{name}_{first}": before[first] for first in self.first}
            silent = value == NOT_CLEAR and self.values is not None and NOT_CLEAR not in self.values
            arguments[name] = words[value] if words else FALSE if silent else value
            if self.verbal:
                arguments[f"{name}_certainty"] = 95
        return arguments


@cache
def _cases() -> list[dict[str, Any]]:
    """The example passages, with facts, verdicts, quotes and reasons."""
    found: list[dict[str, Any]] = json.loads(_text("judge_examples.json"))
    return found


@cache
def _text(name: str) -> str:
    """A file beside the prompts."""
    return (resources.files("factreasoner.prompts") / name).read_text(encoding="utf-8")


def inquiry(mode: Mode, *, verbal: bool = False) -> Inquiry:
    """The inquiry of a mode, with citation or reasoning before the verdict if the mode has them.

    Raises ConfigError: prompt-tf, which uses no function.
    """
    if mode == "prompt-tf":
        raise ConfigError("mode: prompt-tf works only in `recall`; elsewhere use `assessor='prompt-tf'`")
    return Inquiry(
        values=(TRUE, FALSE) if mode in ("tf", "tf_citation") else (TRUE, FALSE, NOT_CLEAR),
        task="Say of each fact, by the passage alone, whether it is true.",
        first=tuple(first for first in _FIRST_TEXT if mode.endswith(first)),
        verbal=verbal,
    )


def numbered(text: str, count: int) -> list[int]:
    """The numbers in `text` from 1 to `count`, with ranges (2-4) expanded."""
    found: list[int] = []
    for first, last in re.findall(r"(?<!\d)(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?(?!\d)", text):
        found += [n for n in range(int(first), min(int(last or first), count) + 1) if 1 <= n <= count]
    return found
