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


class FactReasonerError(Exception):
    """Root of every exception raised on purpose; `run` has what `assess_many` had finished before."""

    run: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes unchanged, with any arguments of the constructor."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class ConfigError(FactReasonerError):
    """A setting, a key or a model name is wrong and only the user can fix it; the message says how."""


class UsageError(ConfigError):
    """An argument that is no setting is missing, or has a value that it does not take."""


class MissingExtraError(ConfigError):
    """An optional package is needed for what was asked."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: pip install 'factreasoner[{extra}]'")
        self.extra = extra


class MissingPackageError(ConfigError):
    """A tool that a module is for is not installed, or not in a version that it goes with."""

    def __init__(self, feature: str, packages: str, error: ModuleNotFoundError) -> None:
        super().__init__(f"{feature} can't find the module {error.name!r}: pip install {packages}")


class InputProblem(NamedTuple):
    """One thing wrong with one place of the input."""

    where: str
    field: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.field, self.message) if part)


class InputError(FactReasonerError):
    """Input data is wrong. `problems` lists every one that was found, not only the first.

    `valid` is the number of records without a problem; None if no record could be read by itself.
    """

    def __init__(self, problems: Sequence[InputProblem], *, valid: int | None = None) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)
        self.valid = valid


class RunError(FactReasonerError):
    """A run folder can't be used as asked: it is locked, damaged, or of other settings."""


class PublishError(FactReasonerError):
    """A collector of scores is down, or takes none of them."""


class BudgetError(FactReasonerError):
    """The next call could exceed the allowed cost, so it was not sent."""


class PendingError(FactReasonerError):
    """The answer to a call comes with a later batch: what needs it is neither done nor failed."""


class PluginError(FactReasonerError):
    """A user's own part failed, or returned what its seam does not ask for. `kind` is the kind of part."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class NoScoreError(FactReasonerError):
    """An answer has no score, and the tool that asked for one takes no other answer than an error."""


class AttemptedError(FactReasonerError):
    """Something was asked for in vain. `attempts` counts the requests that were sent."""

    def __init__(self, message: str, *, attempts: int = 1) -> None:
        super().__init__(message)
        self.attempts = attempts


class LLMError(AttemptedError):
    """One model call failed for good."""


class CallTimeoutError(LLMError):
    """No answer came before the call's deadline."""


class ProviderError(LLMError):
    """The provider answered with an error status, or the connection broke."""


class UnusableReplyError(LLMError):
    """The provider answered, but with nothing that can be used.

    `reason` is short and stable: "content filter", "refusal", "empty", or "malformed" where there is neither
    a function call nor a JSON object with an argument of the function.
    """

    def __init__(self, message: str, *, reason: str = "malformed", attempts: int = 1) -> None:
        super().__init__(message, attempts=attempts)
        self.reason = reason


class RetrievalError(AttemptedError):
    """No evidence came for one atom."""


class SearchError(RetrievalError):
    """A search service answered with an error, or not at all."""


class StoreError(RetrievalError):
    """The store of passages can't be read or written, now or in its present state."""


class DocumentError(RetrievalError):
    """One file of documents can't be read, or is not a document."""


class NoTextError(DocumentError):
    """One file of documents was read to its end and has no text."""


class FetchError(RetrievalError):
    """One page did not come. `reason` is short and stable ("loopback", "bytes", "status 404").

    A `passing` one may be gone the next time; `retry_after` is in seconds, where the server said it.
    """

    def __init__(
        self, reason: str, message: str, *, passing: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{message} ({reason})")
        self.reason = reason
        self.passing = passing
        self.retry_after = retry_after


class ForbiddenUrlError(FetchError):
    """The URL, or an address it leads to, is not one to connect to; nothing was sent there."""


class FetchLimitError(FetchError):
    """The page takes more bytes, time or redirects than allowed."""


class UnreadablePageError(FetchError):
    """The server failed, or sent what can't be read as text."""


class SolverError(FactReasonerError):
    """Inference was refused or failed."""


class WidthError(SolverError):
    """Exact inference would need more memory than allowed."""


class OutOfTimeError(SolverError):
    """Inference was not done in the time allowed."""
