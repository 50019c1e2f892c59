"""Messages to and from a language model, for any provider."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from jsonschema import Draft202012Validator
from pydantic import AfterValidator, Field

from factreasoner.models.records import Model
from factreasoner.models.results import Usage
from factreasoner.models.verdicts import Probability

Shown = Annotated[str, AfterValidator(lambda text: unicodedata.normalize("NFC", text))]
"""A text for a model, in Unicode normal form."""


class Example(Model):
    """An example call with its answer, shown to the model before the real call.

    `user` is the user's turn without the items, as in `Prompt.user`. `items` are the texts asked about, by
    argument, as in `FunctionSchema.items`. `arguments` is the whole answer. The call form formats both turns
    like real ones.
    """

    user: str
    items: dict[str, str] = Field(default_factory=dict)
    arguments: dict[str, Any]


class Prompt(Model):
    """A rendered prompt. `fingerprint` identifies its template file.

    `examples` come between the system text and the user's turn, as chat turns. `user` ends where the items
    begin: calls with the same `user` share a request prefix.
    """

    name: str
    user: Shown
    system: Shown = ""
    fingerprint: str = ""
    examples: tuple[Example, ...] = ()


class FunctionSchema(Model):
    """A function the model must call; `parameters` is a JSON schema of type object.

    `items` are the texts that arguments are about, word for word, by argument: facts to verify or statements
    to rewrite. Every call form lists them in the message. `item` is their name, in lower case. `spellings`
    maps other spellings of an allowed value, in lower case, to it. `expected_tokens` is the approximate
    answer length; 0: estimated from its arguments.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    items: dict[str, Shown] = Field(default_factory=dict)
    item: str = "item"
    spellings: dict[str, str] = Field(default_factory=dict)
    expected_tokens: int = 0

    @property
    def properties(self) -> dict[str, dict[str, Any]]:
        """The JSON schema of each argument."""
        found: dict[str, dict[str, Any]] = self.parameters["properties"]
        return found

    @property
    def choices(self) -> tuple[str, ...]:
        """The arguments with a few allowed values."""
        return tuple(name for name, prop in self.properties.items() if "enum" in prop)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Argument names, in order."""
        return tuple(self.parameters["properties"])

    def value(self, argument: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """The value of `argument`, or None. JSON spellings (true, "TRUE") count as the allowed value."""
        given = arguments.get(argument)
        spelled = str(given).strip().casefold()
        spelled = self.spellings.get(spelled, spelled).casefold()
        for allowed in self.parameters["properties"][argument].get("enum", ()):
            if spelled == str(allowed).casefold():
                return allowed
        return given

    def problem(self, argument: str, arguments: dict[str, Any]) -> str | None:
        """Why `argument` is invalid (missing, wrong type or value), or None."""
        if argument not in arguments:
            return "missing"
        value = self.value(argument, arguments)
        schema = self.parameters["properties"][argument]
        if isinstance(value, str) and value in schema.get("enum", ()):
            return None
        error = next(Draft202012Validator(schema).iter_errors(value), None)
        message = None if error is None else str(error.message)
        return message if message is None or len(message) <= 200 else f"{message[:100]} … {message[-90:]}"


class Chances(Model):
    """The probability of each allowed value of an argument; they add up to 1.

    `mass` is their total probability among all possible outputs; None without alternatives from the provider.
    """

    probabilities: dict[str, Probability]
    mass: Probability | None = None


class Reply(Model):
    """A usable answer: the function's arguments as the model gave them, not yet validated.

    `truncated`: the token limit cut the reply; `arguments` is then empty. `form` names the call form.
    `chances` are those of arguments with allowed values, None without log-probabilities. `model` and
    `system_fingerprint` are as reported by the server.
    """

    arguments: dict[str, Any]
    text: str = ""
    truncated: bool = False
    form: str = ""
    chances: dict[str, Chances] | None = None
    model: str = ""
    system_fingerprint: str = ""
    usage: Usage = Field(default_factory=Usage)
