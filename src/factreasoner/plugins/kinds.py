"""How the parts of a pipeline are made: one contract for every kind of plug-in, also for a user's own.

A constructor gets the arguments that it names, and nothing else: `config`, `llm`, `cache`, `solver`, `judge`.
An error in a user's own part, or a result that its kind does not allow, is reported as that part's fault,
with file and line.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from pydantic import ValidationError

from factreasoner.errors import (
    BudgetError,
    ConfigError,
    FactReasonerError,
    InputError,
    MissingExtraError,
    PluginError,
    RetrievalError,
    RunError,
    SolverError,
)
from factreasoner.models import (
    Atom,
    Claim,
    Context,
    Failure,
    Marginals,
    Outcome,
    Premise,
    Record,
    StageError,
    Verdict,
)
from factreasoner.models.wording import reworded
from factreasoner.plugins.table import EXTRA_OF_MODULE, PLUGINS, nearest
from factreasoner.protocols import (
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


class OnDemand(NamedTuple):
    """An offer that is made when it is asked for."""

    make: Callable[[], object]


Offers = Mapping[str, object]
"""What a constructor may ask for, by name; None: there is nothing."""

_TOLD = (BudgetError, ConfigError, InputError, RetrievalError, RunError, SolverError, StageError)
"""What a part may raise on purpose. Everything else is its fault."""


@dataclass(frozen=True)
class PluginKind(Generic[P]):
    """One kind of part: the method it must have, and the type that the method returns.

    `problem` takes a result and the method's arguments, and says what is wrong; None if nothing is.
    """

    name: str
    method: str
    returns: type
    problem: Callable[..., str | None] = lambda *_: None

    def make(self, plugin: object, offers: Offers) -> P:
        """The part that `plugin` names or makes.

        `plugin` is a registered name, a user's `package.module:Name`, a class or function that makes the
        part, or the part itself.

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
        if inspect.isclass(found) or not hasattr(found, self.method):
            if not callable(found):
                raise ConfigError(f"{self.name} {name!r}: it has no method {self.method}()")
            part = self._made(name, found, offers)
        if not callable(getattr(part, self.method, None)):
            raise ConfigError(f"{self.name} {name!r}: {type(part).__name__} has no method {self.method}()")
        return cast(P, _CheckedPlugin(self, name, part))

    def _made(self, name: str, factory: Callable[..., object], offers: Offers) -> object:
        wanted = self._wanted(name, factory, offers)
        try:
            return factory(**wanted)
        except FactReasonerError:
            raise
        except Exception as error:
            raise ConfigError(f"{self.name} {name!r} can't be made: {told(error, factory)}") from error

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
                raise ConfigError(
                    f"{self.name} {name!r}: its constructor asks for {asked!r}; it can ask for {known}"
                )
            if needed and asked == "llm" and value is None:
                raise ConfigError(f"{self.name} {name!r}: a language model is needed here: add --model NAME")
            if needed or value is not None:
                wanted[asked] = value
        return wanted


def load(kind: str, name: str) -> Any:
    """The class or function registered as `name`, or the user's own `pkg.mod:Name`.

    Raises:
        ConfigError: no such name, module or attribute.
        MissingExtraError: the plug-in needs an optional package that is not installed.
    """
    target = PLUGINS[kind].get(name, name)
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
        raise ConfigError(f"{kind} {name!r}: can't import {module_name!r}: {told(error)}") from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise ConfigError(f"{kind} {name!r}: module {module_name!r} has no {attribute!r}") from error


def told(error: BaseException, part: object = None) -> str:
    """An error in a user's code with its file and line: in the file of `part` if it passed through there."""
    own = None if part is None else _file_of(part)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")]
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
    """The name of a plug-in in configurations and messages."""
    if isinstance(plugin, str):
        return plugin
    owner = plugin if inspect.isclass(plugin) or inspect.isroutine(plugin) else type(plugin)
    return f"{owner.__module__}:{owner.__qualname__}"


def importable(plugin: object) -> bool:
    """Whether a plug-in is a class or function that another process can import by name."""
    if not (inspect.isclass(plugin) or inspect.isroutine(plugin)) or plugin.__module__ == "__main__":
        return False
    return getattr(sys.modules.get(plugin.__module__), plugin.__qualname__, None) is plugin


class _CheckedPlugin(Generic[P]):
    """A user's own part, whose errors and results are checked; its other attributes show through."""

    def __init__(self, kind: PluginKind[P], name: str, part: object) -> None:
        self.name = getattr(part, "name", name)
        self._kind = kind
        self._called = name
        self._part = part
        setattr(self, kind.method, self._call)

    def __getattr__(self, name: str) -> object:
        found = getattr(self._part, name)
        return partial(self._guarded, name) if name == "requests" else found

    def _guarded(self, method: str, *given: object) -> object:
        """The result of a method of the part; an error in it is reported as the part's fault."""
        try:
            return getattr(self._part, method)(*given)
        except _TOLD:
            raise
        except Exception as error:
            raise self._fault(told(error, self._part)) from error

    def _call(self, *given: object) -> object:
        result = self._guarded(self._kind.method, *given)
        if not isinstance(result, self._kind.returns):
            raise self._returned(type(result).__name__)
        if isinstance(result, tuple) and self._kind.returns in _ELEMENTS:
            result = self._of_tuples(result)
        if (problem := self._kind.problem(result, *given)) is not None:
            raise self._fault(problem)
        return result

    def _of_tuples(self, result: tuple[Sequence[object], ...]) -> tuple[Sequence[object], ...]:
        """A named tuple of tuples, made from what may be lists."""
        wanted = _ELEMENTS[self._kind.returns]
        for given, kind in zip(result, wanted, strict=True):
            if not isinstance(given, list | tuple):
                raise self._returned(f"a {type(given).__name__} where a tuple belongs")
            for element in given:
                if not isinstance(element, kind):
                    raise self._returned(f"a {type(element).__name__} where a {kind.__name__} belongs")
        return cast(tuple[Sequence[object], ...], self._kind.returns(*map(tuple, result)))

    def _returned(self, what: str) -> PluginError:
        wanted = self._kind.returns.__name__
        return self._fault(f"{self._kind.method}() returned {what}; it must be a {wanted}")

    def _fault(self, message: str) -> PluginError:
        return PluginError(self._kind.name, f"{self._kind.name} {self._called!r}: {message}")


_ELEMENTS: dict[type, tuple[type, ...]] = {
    Atomized: (Atom, Failure),
    Retrieved: (Context, Failure, str),
    Judged: (Verdict, Failure),
}


def _unequal(kind: str, given: Collection[str], found: Collection[str]) -> str | None:
    if list(given) == list(found):
        return None
    return (
        f"it must return the same {kind}, with the same ids in the same order: {', '.join(given)}; "
        f"not {', '.join(found)}"
    )


def _judged(result: Judged, premise: Premise, claims: Sequence[Claim]) -> str | None:
    asked = [claim.id for claim in claims]
    answered = [verdict.target_id for verdict in result.verdicts]
    strange = [v for v in result.verdicts if v.target_id not in asked or v.context_id != premise.id]
    silent = [claim for claim in asked if claim not in answered]
    if strange:
        return f"a verdict on {strange[0].context_id}->{strange[0].target_id}, which was not asked for"
    if len(set(answered)) < len(answered):
        return "two verdicts on the same claim"
    if len(silent) > len(result.failures):
        return f"neither a verdict nor a failure for {', '.join(silent)} (premise {premise.id})"
    return None


def _atomized(result: Atomized, record: Record) -> str | None:
    ids = [atom.id for atom in result.atoms]
    return None if len(set(ids)) == len(ids) else "two atoms with the same id"


def _same_atoms(result: Atomized, atoms: Sequence[Atom], record: Record) -> str | None:
    return _unequal("atoms", [atom.id for atom in atoms], [atom.id for atom in result.atoms])


def _retrieved(result: Retrieved, atoms: Sequence[Atom], record: Record) -> str | None:
    known = {atom.id for atom in atoms}
    taken = set(known)
    for context in result.contexts:
        if strange := [name for name in context.atom_ids if name not in known]:
            return f"context {context.id!r} is for atom {strange[0]!r}, which it was not asked about"
        if context.id in taken:
            return f"the id {context.id!r} twice; no two contexts, and no context and atom, may share an id"
        taken.add(context.id)
    return None


def _same_contexts(result: Retrieved, contexts: Sequence[Context], atoms: Sequence[Atom]) -> str | None:
    return _unequal("contexts", [c.id for c in contexts], [c.id for c in result.contexts])


ATOMIZER: PluginKind[Atomizer] = PluginKind("atomizer", "atomize", Atomized, _atomized)
FACT_GENERATOR: PluginKind[FactGenerator] = PluginKind("fact_generator", "generate", Atomized, _atomized)
REVISER: PluginKind[Reviser] = PluginKind("reviser", "revise", Atomized, _same_atoms)
QUERY_BUILDER: PluginKind[QueryBuilder] = PluginKind("query_builder", "build", Atomized, _same_atoms)
RETRIEVER: PluginKind[Retriever] = PluginKind("retriever", "retrieve", Retrieved, _retrieved)
SUMMARIZER: PluginKind[Summarizer] = PluginKind("summarizer", "summarize", Retrieved, _same_contexts)
JUDGE: PluginKind[Judge] = PluginKind("judge", "judge", Judged, _judged)
SOLVER: PluginKind[Solver] = PluginKind("solver", "marginals", Marginals)
ASSESSOR: PluginKind[Evaluator] = PluginKind("assessor", "evaluate", Outcome)


def own_modules(names: Iterable[str]) -> list[str]:
    """Files and folders of the modules with a user's own parts, named in `names`, unless they are installed.

    For a module inside a package it is the package's folder.
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
