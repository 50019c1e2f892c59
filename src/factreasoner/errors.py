"""Every exception the package raises on purpose.

    FactReasonerError
    ├── ConfigError: UsageError, MissingExtraError, MissingPackageError
    ├── InputError, RunError, PublishError, BudgetError, PendingError, PluginError, NoScoreError
    ├── StageError (in `models`)
    ├── LLMError: CallTimeoutError, ProviderError, UnusableReplyError
    ├── RetrievalError: SearchError, StoreError
    │   ├── DocumentError: NoTextError
    │   └── FetchError: ForbiddenUrlError, FetchLimitError, UnreadablePageError
    └── SolverError: WidthError, OutOfTimeError

Raise for what the user must fix; record a `factreasoner.Failure` for one item that went wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

QUOTED = r"""(?<!\w)(?:'(?:[^'\\\n]|\\.)+'|"(?:[^"\\\n]|\\.)+")(?!\w)"""
"""A quotation in a message, as a pattern."""


class FactReasonerError(Exception):
    """Base of all exceptions of this package; `run` has the finished part of `assess_many`."""

    run: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling with any constructor arguments."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class ConfigError(FactReasonerError):
    """A setting, key or model name is wrong; the message says how to fix it."""


class UsageError(ConfigError):
    """An argument other than a setting is missing or has a wrong value."""


def pip_command(extra: str) -> str:
    """The command that installs an extra, in a checkout."""
    return f"pip install '.[{extra}]'"


class MissingExtraError(ConfigError):
    """An optional package is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: {pip_command(extra)}")
        self.extra = extra


class MissingPackageError(ConfigError):
    """The tool of an integration is not installed, or its version is unsupported."""

    def __init__(self, feature: str, packages: str, error: ModuleNotFoundError) -> None:
        super().__init__(f"{feature} can't find the module {error.name!r}: pip install {packages}")


class InputProblem(NamedTuple):
    """One problem at one place of the input."""

    where: str
    field: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.field, self.message) if part)


class InputError(FactReasonerError):
    """Input data is wrong. `problems` lists every problem found.

    `valid` is the number of records without a problem; None if records could not be separated. `hint` says
    how to go on without the others.
    """

    def __init__(self, problems: Sequence[InputProblem], *, valid: int | None = None, hint: str = "") -> None:
        super().__init__("\n".join(filter(None, (*map(str, problems), hint))))
        self.problems = tuple(problems)
        self.valid = valid
        self.hint = hint


class RunError(FactReasonerError):
    """A run folder is locked, damaged, or made with other settings."""


class PublishError(FactReasonerError):
    """A collector of scores is down or rejects them."""


class BudgetError(FactReasonerError):
    """The next call could exceed the allowed cost, so it was not sent."""


class PendingError(FactReasonerError):
    """The answer to a call will come with a later batch."""


class PluginError(FactReasonerError):
    """A custom component failed or returned a wrong result. `kind` is its kind."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class NoScoreError(FactReasonerError):
    """An answer has no score, and the calling tool accepts only an error for that."""


class AttemptedError(FactReasonerError):
    """A request failed. `attempts` counts the requests sent."""

    def __init__(self, message: str, *, attempts: int = 1) -> None:
        super().__init__(message)
        self.attempts = attempts


class LLMError(AttemptedError):
    """A model call failed finally."""


class CallTimeoutError(LLMError):
    """No answer before the call's deadline."""


class ProviderError(LLMError):
    """The provider answered with an error status, or the connection broke."""


class UnusableReplyError(LLMError):
    """The provider's answer can't be used.

    `reason` is short and stable: "content filter", "refusal", "empty", or "malformed" without a function call
    or JSON object with an argument of the function.
    """

    def __init__(self, message: str, *, reason: str = "malformed", attempts: int = 1) -> None:
        super().__init__(message, attempts=attempts)
        self.reason = reason


class RetrievalError(AttemptedError):
    """Retrieval failed for a claim."""


class SearchError(RetrievalError):
    """A search service failed or did not answer."""


class StoreError(RetrievalError):
    """The store of passages can't be read or written."""


class DocumentError(RetrievalError):
    """A file can't be read, or is not a document."""


class NoTextError(DocumentError):
    """A readable file has no text."""


class FetchError(RetrievalError):
    """A page could not be fetched. `reason` is short and stable ("loopback", "bytes", "status 404").

    A `passing` error may disappear; `retry_after` is in seconds, if the server gave it.
    """

    def __init__(
        self, reason: str, message: str, *, passing: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{message} ({reason})")
        self.reason = reason
        self.passing = passing
        self.retry_after = retry_after


class ForbiddenUrlError(FetchError):
    """The URL, or an address it resolves to, is not allowed; nothing was sent."""


class FetchLimitError(FetchError):
    """The page exceeds the limits on bytes, time or redirects."""


class UnreadablePageError(FetchError):
    """The server failed, or sent something that can't be read as text."""


class SolverError(FactReasonerError):
    """Inference was refused or failed."""


class WidthError(SolverError):
    """Exact inference would need more memory than allowed."""


class OutOfTimeError(SolverError):
    """Inference exceeded its time limit."""
