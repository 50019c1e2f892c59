"""How a model is asked, learnt from its first answers and then kept."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from pydantic import Field, ValidationError, model_validator

from factreasoner.llm.cache import Cache
from factreasoner.llm.dialect import Dialect
from factreasoner.llm.forms import Kind
from factreasoner.models import Model, Probe
from factreasoner.settings.choices import CallForm


class FoundForm(Model):
    """The form for one kind of function; `logprobs`: they come in it (None: nobody wants any)."""

    form: CallForm
    logprobs: bool | None = None


class Capabilities(Model):
    """How a model is asked.

    `forms` are by kind of function. `thinks`: it reasons before it answers, so that replies need room.
    `refused`, `most_tokens`, `most_alternatives` and `system_role` are its `Dialect`. `probes` say how many
    facts it may be asked about at once, by the prompt that asks.
    """

    forms: dict[Kind, FoundForm] = Field(default_factory=dict)
    thinks: bool = False
    refused: tuple[str, ...] = ()
    most_tokens: int | None = None
    most_alternatives: int | None = None
    system_role: bool = True
    probes: dict[str, Probe] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_this_version(cls, given: Any) -> Any:  # noqa: ANN401 - JSON
        """Nothing is known of what an earlier version kept, which searched otherwise."""
        return {} if isinstance(given, dict) and "form" in given else given

    def with_dialect(self, dialect: Dialect) -> Capabilities:
        """The same capabilities with what `dialect` says that requests must heed."""
        refused, most, alternatives, system_role = dialect
        learnt = {"refused": tuple(sorted(refused)), "most_tokens": most, "system_role": system_role}
        return self.model_copy(update=learnt | {"most_alternatives": alternatives})

    @property
    def dialect(self) -> Dialect:
        """The part of these capabilities that says what requests must heed."""
        return Dialect(frozenset(self.refused), self.most_tokens, self.most_alternatives, self.system_role)

    def __str__(self) -> str:
        forms = [str(probe) for probe in self.probes.values()]
        forms += dict.fromkeys(f"form: {found.form}" for found in self.forms.values())
        scored = any(found.logprobs for found in self.forms.values())
        parts = [*forms, f"probabilities: {'log-probabilities' if scored else 'no log-probabilities'}"]
        lacking = [*self.refused, *([] if self.system_role else ["a system role"])]
        parts += [f"without {', '.join(lacking)}"] if lacking else []
        parts += [f"replies of {self.most_tokens:,} tokens at most"] if self.most_tokens else []
        parts += ["it thinks before it answers"] if self.thinks else []
        return "; ".join(parts)


class Memory(Protocol):
    """Where a run keeps what it learnt about its models, for when it goes on."""

    def capabilities(self, model: str) -> Capabilities | None:
        """What was kept of that model, if anything was."""

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        """Keep it. Called from any thread."""


class KeptCapabilities:
    """What is learnt of one model: kept with the run, and in the cache under `key`. Thread-safe.

    It starts with what an earlier run learnt: this one's, or else any with the same model. Without a cache
    nothing is kept or recalled: batches learn nothing, as the same results are to lead to the same requests.
    """

    def __init__(self, model: str, key: str, cache: Cache | None, memory: Memory | None) -> None:
        self._model = model
        self._key = key
        self._cache = cache
        self._memory = memory
        self.lock = threading.RLock()
        self.known = self._recalled()
        self._earlier = set(self.known.forms)

    def keep(
        self,
        dialect: Dialect,
        *,
        forms: dict[Kind, FoundForm] | None = None,
        probes: dict[str, Probe] | None = None,
        thinks: bool = False,
    ) -> None:
        """Add what was learnt."""
        with self.lock:
            known = self.known.with_dialect(dialect)
            learnt = {
                "forms": known.forms | (forms or {}),
                "probes": known.probes | (probes or {}),
                "thinks": known.thinks or thinks,
            }
            self.adopt(known.model_copy(update=learnt))

    def adopt(self, known: Capabilities) -> None:
        """Keep what another client learnt of the same model."""
        with self.lock:
            self.known = known
        if self._cache is not None:
            self._cache.note_all({self._key: known.model_dump_json()})
            if self._memory is not None:
                self._memory.keep_capabilities(self._model, known)

    def confirm(self, kind: Kind) -> None:
        """The form of that kind works in this run too."""
        self._earlier.discard(kind)

    def forget(self, kind: Kind) -> bool:
        """Forget the form of that kind where an earlier run found it; whether that was so."""
        with self.lock:
            if kind not in self._earlier:
                return False
            self.confirm(kind)
            left = {known: found for known, found in self.known.forms.items() if known != kind}
            self.known = self.known.model_copy(update={"forms": left})
            return True

    def _recalled(self) -> Capabilities:
        if self._cache is None:
            return Capabilities()
        known = None if self._memory is None else self._memory.capabilities(self._model)
        if known is not None:
            return known
        stored = self._cache.noted(self._key)
        try:
            return Capabilities() if stored is None else Capabilities.model_validate_json(stored)
        except ValidationError:
            return Capabilities()  # of another version
