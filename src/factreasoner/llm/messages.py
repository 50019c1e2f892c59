"""What goes to a language model and what comes back, whatever the provider."""

from __future__ import annotations

import sys
from typing import Annotated, Any, NamedTuple

from jsonschema import Draft202012Validator
from pydantic import Field

from factreasoner.models import Model, Usage


class Example(Model):
    """A call with its answer, shown to the model before the call itself.

    `user` is what its user's turn says beside the items, as `Prompt.user` is; `items` are the texts that the
    call asks about, by argument, as `FunctionSchema.items` are; `arguments` is the whole answer. The call
    form words both turns: the answer stands in the shape that the real one is to have.
    """

    user: str
    items: dict[str, str] = Field(default_factory=dict)
    arguments: dict[str, Any]


class Prompt(Model):
    """A rendered prompt. `fingerprint` identifies the template file it was made from.

    `examples` come between the system's text and the user's turn, as turns of the chat.

    `shared`: other calls ask about the same items, so that the beginning of the request is worth caching.
    """

    name: str
    user: str
    system: str = ""
    fingerprint: str = ""
    examples: tuple[Example, ...] = ()
    shared: bool = False


class FunctionSchema(Model):
    """A function the model must call; `parameters` is a JSON schema of type object.

    `items` is the material that arguments are about, word for word, by argument: facts to verify, statements
    to rewrite. `parameters` tell it too, in descriptions (see `prompts.about`); `blank` does not, for where a
    model is not shown its schema and the material must stand in the message. `item` is what one is called.
    `spellings` maps other ways to write an allowed value, in lower case, to it.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    items: dict[str, str] = Field(default_factory=dict)
    item: str = "item"
    spellings: dict[str, str] = Field(default_factory=dict)

    @property
    def blank(self) -> dict[str, Any]:
        """`parameters` without the material: the same for all functions of as many arguments."""
        properties = {
            name: prop | {"description": f"The answer on {name}."} if name in self.items else prop
            for name, prop in self.parameters["properties"].items()
        }
        return self.parameters | {"properties": properties}

    @property
    def arguments(self) -> tuple[str, ...]:
        """Argument names, in the order they are asked."""
        return tuple(self.parameters["properties"])

    def value(self, argument: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """The value given for `argument`, or None. JSON spellings of one allowed (true, "TRUE") are it."""
        given = arguments.get(argument)
        spelled = str(given).strip().casefold()
        spelled = self.spellings.get(spelled, spelled).casefold()
        for allowed in self.parameters["properties"][argument].get("enum", ()):
            if spelled == str(allowed).casefold():
                return allowed
        return given

    def problem(self, argument: str, arguments: dict[str, Any]) -> str | None:
        """Why `argument` can't be used (missing, or the wrong type or value), or None when it is fine."""
        if argument not in arguments:
            return "missing"
        value = self.value(argument, arguments)
        schema = self.parameters["properties"][argument]
        if isinstance(value, str) and value in schema.get("enum", ()):
            return None
        error = next(Draft202012Validator(schema).iter_errors(value), None)
        return None if error is None else _shortened(error.message)


def _shortened(message: str) -> str:
    """A message about a value without the middle of it, should that be long."""
    return message if len(message) <= 200 else f"{message[:100]} … {message[-90:]}"


_LEAST = -sys.float_info.max
"""JSON can spell whole numbers beyond it, which no float can hold."""
_ROUNDING = 1e-3
"""How far above 0 rounding may put a log-probability."""
Logprob = Annotated[float, Field(le=_ROUNDING, allow_inf_nan=False)]


def sound_logprob(value: object) -> float | None:
    """`value` as a natural log-probability, at most 0; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _LEAST <= value <= _ROUNDING:
        return None
    return min(float(value), 0.0)


class TokenLogprob(NamedTuple):
    """One generated token with its natural log-probability and the alternatives at its position.

    `logprob` is None where the provider sent none, or what is none, for the token or an alternative.
    """

    token: str
    logprob: Logprob | None
    top: tuple[tuple[str, Logprob], ...] = ()


class Reply(Model):
    """A usable answer: the function's arguments, as the model gave them, not yet validated one by one.

    `truncated` is True when the token limit cut the reply; `arguments` is then empty.
    `form` names the call form that worked. `tokens` is None where no log-probabilities were returned;
    joined, they spell `text`, which is the JSON the arguments were read from.
    """

    arguments: dict[str, Any]
    text: str = ""
    truncated: bool = False
    form: str = ""
    tokens: tuple[TokenLogprob, ...] | None = None
    usage: Usage = Field(default_factory=Usage)
