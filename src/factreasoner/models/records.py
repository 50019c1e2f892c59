"""Inputs: a response to assess, with given or made atoms and contexts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import to_jsonable_python

from factreasoner.errors import FactReasonerError, InputError
from factreasoner.models.formatting import reworded, reworded_for_python

_UNIQUE = "ids are unique within a record"
_KNOWN = "atom_ids names atoms of the record"
_REMEDIES = {
    "missing": "missing; give it",
    "extra_forbidden": "no such field; remove it",
    "model_type": "is {found}; it must be {class_name}(...), or an object with its fields",
}
Gold = Literal["S", "NS", "C", "U"]


class Model(BaseModel):
    """Base of all data models: frozen, no unknown fields; every number is finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __dir__(self) -> list[str]:
        """Own members, and pydantic's methods for copies and JSON."""
        kept = ("model_copy", "model_dump", "model_dump_json", "model_validate", "model_validate_json")
        renamed = {name for name, field in type(self).model_fields.items() if field.validation_alias}
        public = {name for name in super().__dir__() if not name.startswith("_")} - renamed
        return sorted(name for name in public if name in kept or not hasattr(BaseModel, name))


class CallerModel(Model):
    """Base of models that callers build; validation errors are ours."""

    if not TYPE_CHECKING:  # a type checker goes by the fields

        def __init__(self, **values):
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise reworded_for_python(self._refusal(error)) from None

        __init__.__pydantic_base_init__ = True  # so that `model_validate` does not call it

    @classmethod
    def _refusal(cls, error: ValidationError) -> FactReasonerError:
        """Our error for one of pydantic's."""
        return InputError(list(reworded(error, f"{cls.__name__}()", {}, **_REMEDIES)))


class Atom(CallerModel):
    """One checkable statement of a response.

    `text` is judged. `original` is the text before revision. `span` is its place (start, end) in the
    response, in characters, None if it was not found. `gold` is a human label: S for supported, NS for not
    supported or, if these are told apart, C for contradicted and U for neither. `query` is what to search
    for; if it is empty, the text is.

    Raises InputError: a field is unknown, missing or wrong.
    """

    id: str
    text: str
    original: str | None = None
    gold: Gold | None = None
    span: tuple[int, int] | None = None
    query: str = ""


class Context(CallerModel):
    """One passage of evidence.

    `atom_ids` names the atoms it was retrieved for; empty: for the question. `prior` is P(true) before any
    verdict; None: from the settings. `source` names the retrievers that found it, if several were used.
    `note` says what happened to it ("page not read: status 403; the snippet is used"); `unread` is the reason
    if a retry may succeed ("status 503"). `summary` is a summary with regard to the atoms, and `p_summary`
    its confidence. `dropped` is the reason why the context is neither judged nor in the graph.

    Raises InputError: a field is unknown, missing or wrong.
    """

    id: str
    text: str
    title: str = ""
    link: str = ""
    snippet: str = ""
    summary: str = ""
    p_summary: float | None = Field(default=None, ge=0.0, le=1.0)
    note: str = ""
    unread: str = ""
    source: str = ""
    dropped: str = ""
    prior: float | None = Field(default=None, ge=0.0, le=1.0, strict=True)
    atom_ids: tuple[str, ...] = ()


class Exchange:
    """The names of record keys for an answer and its question."""

    if TYPE_CHECKING:
        response: str
        prompt: str

    @property
    def output(self) -> str:
        """The answer."""
        return self.response

    @property
    def input(self) -> str:
        """The question."""
        return self.prompt


class Record(CallerModel, Exchange):
    """One response to assess, with all that is known about it.

    `atoms` or `contexts` are None if not given, and empty if there are none. Ids are unique within a record.
    `facts` are what the response should state; their `gold` is a human label of whether it does (S or NS).
    `reference` is the right answer, `reference_atoms` are its statements. `gold_contexts` are the ids of all
    relevant contexts, retrieved or not.

    Raises InputError: a field is unknown, missing or wrong.
    """

    id: str
    response: str = Field(validation_alias=AliasChoices("output", "response"))
    prompt: str = Field("", validation_alias=AliasChoices("input", "prompt"))
    topic: str | None = None
    atoms: tuple[Atom, ...] | None = None
    contexts: tuple[Context, ...] | None = None
    reference: str | None = None
    reference_atoms: tuple[Atom, ...] | None = None
    facts: tuple[Atom, ...] | None = None
    gold_contexts: tuple[str, ...] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ids_agree(self) -> Record:
        groups = {"an atom": self.atoms, "a context": self.contexts, "a fact": self.facts}
        kinds: dict[str, str] = {}
        for kind, items in (groups | {"a reference atom": self.reference_atoms}).items():
            for item in items or ():
                if item.id in kinds:
                    both = f"{kinds[item.id]} and {kind}"
                    raise ValueError(f"{both} have the id {item.id!r}; {_UNIQUE}")
                kinds[item.id] = kind
        for context in self.contexts or () if self.atoms is not None else ():
            for atom_id in context.atom_ids:
                if kinds.get(atom_id) != "an atom":
                    raise ValueError(f"context {context.id!r} names unknown atom {atom_id!r}; {_KNOWN}")
        return self


def new_id(letter: str, number: int, taken: Collection[str]) -> str:
    """The id of `letter` and `number`, or of the next number that is not `taken`."""
    while (made := f"{letter}{number}") in taken:
        number += 1
    return made


def record_fingerprint(record: Record) -> str:
    """Short digest of a record's content, to detect changed input.

    It is the same in every process, Python version, and order of metadata keys.
    """
    content = record.model_dump_json(exclude={"metadata"})
    metadata = json.dumps(to_jsonable_python(record.metadata, fallback=str), sort_keys=True)
    return hashlib.sha256(f"{content}{metadata}".encode()).hexdigest()[:16]
