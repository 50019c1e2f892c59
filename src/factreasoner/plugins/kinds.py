"""Make the components of a pipeline: one contract for every kind of plug-in, custom ones included.

A constructor gets the arguments that it names: `config`, `llm`, `cache`, `solver`, `judge`. An error in a
custom component, or an invalid result, is reported as its fault, with file and line.
"""

from __future__ import annotations

import importlib.util
import inspect
import logging
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from pydantic import ValidationError

from factreasoner.errors import (
    BudgetError,
    ConfigError,
    FactReasonerError,
    LLMError,
    MissingExtraError,
    PluginError,
    RetrievalError,
    RunError,
    SolverError,
)
from factreasoner.models import Marginals, Outcome, Premise, StageError
from factreasoner.models.formatting import reworded
from factreasoner.plugins import results
from factreasoner.plugins.results import ELEMENTS, misfit, with_true_quote
from factreasoner.plugins.table import EXTRA_OF_MODULE, PLUGINS, Plugin, nearest
from factreasoner.protocols import (
    LLM,
    Atomized,
    Atomizer,
    Evaluator,
    FactGenerator,
    Judge,
    Judged,
    QueryBuilder,
    Retrieved,
    Retriever,
    Reviser,
    Solver,
    Summarizer,
)

P = TypeVar("P")
log = logging.getLogger(__name__)


class OnDemand(NamedTuple):
    """An offer that is made on request."""

    make: Callable[[], object]


Offers = Mapping[str, object]
"""What a constructor may request, by name; None: not available."""

_PASSED_ON = (BudgetError, ConfigError, PluginError, RetrievalError, RunError, SolverError, StageError)
"""Exceptions that a component may raise on purpose. All others are its fault."""


@dataclass(frozen=True)
class PluginKind(Generic[P]):
    """One kind of component: its required method, and that method's return type.

    `problem` takes a result and the method's arguments, and returns what is wrong, or None.
    """

    name: str
    method: str
    returns: type
    problem: Callable[..., str | None] = lambda *_: None
    raises: tuple[type[Exception], ...] = _PASSED_ON

    def make(self, plugin: object, offers: Offers) -> P:
        """The component that `plugin` names or makes.

        `plugin` is a registered name, a custom `package.module:Name`, a class or function that makes the
        component, or the component itself.

        Raises:
            ConfigError: it does not exist, or can't be made.
            MissingExtraError: it needs an optional package.
        """
        name = named(plugin)
        if isinstance(plugin, str) and plugin in PLUGINS[self.name]:
            ours = load(self.name, plugin)
            return cast(P, ours(**self._wanted(name, ours, offers)))
        found: object = load(self.name, plugin) if isinstance(plugin, str) else plugin
        part = found
        _refuse_async(self.name, name, found, getattr(found, self.method, None))
        if inspect.isclass(found) or not hasattr(found, self.method):
            if not callable(found):
                raise ConfigError(f"{self.name} {name!r}: it has no method {self.method}()")
            part = self._construct(name, found, offers)
            _refuse_async(self.name, name, getattr(part, self.method, None))
        if not callable(getattr(part, self.method, None)):
            raise ConfigError(f"{self.name} {name!r}: {type(part).__name__} has no method {self.method}()")
        return cast(P, _CheckedPlugin(self, name, part))

    def _construct(self, name: str, factory: Callable[..., object], offers: Offers) -> object:
        wanted = self._wanted(name, factory, offers)
        try:
            return factory(**wanted)
        except FactReasonerError:
            raise
        except Exception as error:
            raise ConfigError(
                f"{self.name} {name!r} can't be made: {describe_error(error, factory)}"
            ) from error

    def _wanted(self, name: str, factory: Callable[..., object], offers: Offers) -> dict[str, object]:
        """The offers that the constructor names."""
        try:
            parameters = inspect.signature(factory).parameters.values()
        except (TypeError, ValueError):  # written in C, without a signature
            return {}
        wanted: dict[str, object] = {}
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            asked, needed = parameter.name, parameter.default is parameter.empty
            offer = offers.get(asked)
            value = offer.make() if isinstance(offer, OnDemand) else offer
            if needed and asked not in offers:
                known = ", ".join(offers)
                message = f"it is called to make the {self.name}, and can ask for {known}, not {asked!r}"
                made = hasattr(factory, self.method)
                remedy = f"to use it as the {self.name}, write a class with a method {self.method}()"
                remedy = f"pass an object of the class, made with its {asked!r}" if made else remedy
                raise ConfigError(f"{self.name} {name!r}: {message}; {remedy}")
            if needed and asked == "llm" and value is None:
                raise ConfigError(f"{self.name} {name!r}: a language model is needed here: add `model=NAME`")
            if needed or value is not None:
                wanted[asked] = value
        return wanted


def _refuse_async(kind: str, name: str, *functions: object) -> None:
    """Raise ConfigError if one is a coroutine function."""
    if strange := next(filter(inspect.iscoroutinefunction, functions), None):
        remedy = "write a class with plain methods; they may use asyncio.run()"
        raise ConfigError(f"{kind} {name!r}: {strange.__name__}() is async, and threads call it; {remedy}")


def load(kind: str, name: str) -> Any:
    """The class or function registered as `name`, or the custom `pkg.mod:Name`.

    Raises:
        ConfigError: no such name, module or attribute.
        MissingExtraError: the plug-in needs an optional package that is not installed.
    """
    target = PLUGINS[kind].get(name, Plugin(name)).target
    if ":" not in target:
        raise ConfigError(
            f"unknown {kind} {name!r}; {nearest(name, list(PLUGINS[kind]))}; "
            "name your own class as 'package.module:Name'"
        )
    module_name, _, attribute = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name in EXTRA_OF_MODULE:
            raise MissingExtraError(*EXTRA_OF_MODULE[error.name]) from error
        raise ConfigError(
            f"{kind} {name!r}: can't import {module_name!r}: {error}; is its folder on PYTHONPATH?"
        ) from error
    except MissingExtraError:
        raise
    except Exception as error:
        raise ConfigError(
            f"{kind} {name!r}: can't import {module_name!r}: {describe_error(error)}"
        ) from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise ConfigError(f"{kind} {name!r}: module {module_name!r} has no {attribute!r}") from error


def describe_error(error: BaseException, part: object = None) -> str:
    """An error in custom code with file and line, in the file of `part` if possible."""
    own = None if part is None else _file_of(part)
    found = traceback.extract_tb(error.__traceback__)
    frames = [f for f in found if not f.filename.startswith(("<", __file__))]
    frame = next((f for f in reversed(frames) if f.filename == own), frames[-1] if frames else None)
    place = "" if frame is None else f" ({frame.filename}:{frame.lineno})"
    if isinstance(error, ValidationError):
        return f"{error.title}: {'; '.join(map(str, reworded(error, '', {})))}{place}"
    return f"{type(error).__name__}: {error}{place}"


def _file_of(part: object) -> str | None:
    try:
        return inspect.getsourcefile(part if inspect.isroutine(part) or inspect.isclass(part) else type(part))
    except TypeError:
        return None


def named(plugin: object) -> str:
    """The name of a plug-in in settings and messages."""
    if isinstance(plugin, str):
        return plugin
    owner = plugin if hasattr(plugin, "__qualname__") else type(plugin)
    return f"{owner.__module__}:{owner.__qualname__}"


def importable(plugin: object) -> bool:
    """Whether another process can import the plug-in by name."""
    if not hasattr(plugin, "__qualname__") or plugin.__module__ == "__main__":
        return False
    return getattr(sys.modules.get(plugin.__module__), plugin.__qualname__, None) is plugin


class _CheckedPlugin(Generic[P]):
    """A custom component with checked errors and results; other attributes pass through."""

    def __init__(self, kind: PluginKind[P], name: str, part: object) -> None:
        self.name = getattr(part, "name", name)
        self._kind = kind
        self._called = name
        self._part = part
        setattr(self, kind.method, self._call)

    def __getattr__(self, name: str) -> object:
        return getattr(self._part, name)

    def _guarded(self, *given: object, **options: object) -> object:
        """The method's result; an error is logged and reported as the component's fault."""
        try:
            return getattr(self._part, self._kind.method)(*given, **options)
        except self._kind.raises:
            raise
        except (Exception, SystemExit) as error:
            fault = self._fault(describe_error(error, self._part))
            log.error("%s", fault, exc_info=error)
            raise fault from error

    def _call(self, *given: object, **options: object) -> object:
        result = self._guarded(*given, **options)
        problem = misfit(self._kind.returns, result) or self._kind.problem(result, *given)
        if problem is not None:
            code = getattr(getattr(self._part, self._kind.method), "__code__", None)
            place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
            raise self._fault(f"{self._kind.method}() returned {problem}{place}")
        if self._kind.returns not in ELEMENTS:
            return result
        found = self._kind.returns(*map(tuple, cast(tuple[Iterable[object], ...], result)))
        if isinstance(found, Judged):
            premise = cast(Premise, given[0])
            return found._replace(verdicts=tuple(with_true_quote(v, premise) for v in found.verdicts))
        return found

    def _fault(self, message: str) -> PluginError:
        return PluginError(self._kind.name, f"{self._kind.name} {self._called!r}: {message}")


ATOMIZER: PluginKind[Atomizer] = PluginKind("atomizer", "atomize", Atomized, results.atomized)
FACT_GENERATOR: PluginKind[FactGenerator] = PluginKind(
    "fact_generator", "generate", Atomized, results.atomized
)
REVISER: PluginKind[Reviser] = PluginKind("reviser", "revise", Atomized, results.revised)
QUERY_BUILDER: PluginKind[QueryBuilder] = PluginKind("query_builder", "build", Atomized, results.worded)
RETRIEVER: PluginKind[Retriever] = PluginKind("retriever", "retrieve", Retrieved, results.retrieved)
SUMMARIZER: PluginKind[Summarizer] = PluginKind("summarizer", "summarize", Retrieved, results.summarized)
JUDGE: PluginKind[Judge] = PluginKind("judge", "judge", Judged, results.judged)
SOLVER: PluginKind[Solver] = PluginKind("solver", "marginals", Marginals, results.marginals)
ASSESSOR: PluginKind[Evaluator] = PluginKind("assessor", "evaluate", Outcome, results.concluded)
_MODEL: PluginKind[LLM] = PluginKind("llm", "call", object, raises=(*_PASSED_ON, LLMError))


def checked_model(llm: LLM) -> LLM:
    """A custom model with checked errors. Raises ConfigError: it has no method call()."""
    if isinstance(llm, type) or not callable(getattr(llm, "call", None)):
        hint = 'name a model instead, as model="openai/gpt-4o-mini", or write a class as protocols.LLM'
        raise ConfigError(f"llm: {named(llm)!r} has no method call(): {hint}")
    ours = type(llm).__module__.startswith("factreasoner.")
    return llm if ours else cast(LLM, _CheckedPlugin(_MODEL, named(llm), llm))


def own_modules(names: Iterable[str]) -> list[str]:
    """Files and folders of the custom modules in `names`, unless they are installed.

    For a module inside a package, the package's folder.
    """
    installed = [Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib", "stdlib")]
    found: list[str] = []
    for top in sorted({name.partition(":")[0].split(".")[0] for name in names if ":" in name}):
        spec = importlib.util.find_spec(top)
        if spec is None or spec.origin is None:
            continue
        file = Path(spec.origin).resolve()
        if not any(file.is_relative_to(folder) for folder in installed):
            found.append(str(file.parent if spec.submodule_search_locations else file))
    return found
