"""Plug-ins by name: a table of "module:Name" strings, imported when used; a user's own string goes, too."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import traceback
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from factreasoner import models
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.models.wording import reworded

PLUGINS: dict[str, dict[str, str]] = {
    "atomizer": {
        "llm": "factreasoner.atoms.atomizer:LLMAtomizer",
        "embedded": "factreasoner.atoms.embedded:EmbeddedAtomizer",
    },
    "fact_generator": {
        "llm": "factreasoner.atoms.atomizer:LLMFactGenerator",
        "embedded": "factreasoner.atoms.embedded:EmbeddedFactGenerator",
    },
    "reviser": {
        "llm": "factreasoner.atoms.reviser:LLMReviser",
        "embedded": "factreasoner.atoms.embedded:EmbeddedReviser",
        "none": "factreasoner.atoms.reviser:KeepAtoms",
        "inline": "factreasoner.atoms.reviser:KeepAtoms",
    },
    "retriever": {
        "given": "factreasoner.retrieval.per_atom:GivenRetriever",
        "corpus": "factreasoner.retrieval.corpus:CorpusRetriever",
        "wikipedia": "factreasoner.retrieval.wikipedia:WikipediaRetriever",
        "web": "factreasoner.retrieval.web:WebRetriever",
    },
    "embedding": {
        "minilm": "factreasoner.corpus.embeddings:MiniLM",
    },
    "query_builder": {
        "llm": "factreasoner.retrieval.query_builder:LLMQueryBuilder",
        "subject": "factreasoner.retrieval.query_builder:SubjectQueryBuilder",
    },
    "summarizer": {
        "llm": "factreasoner.retrieval.summarizer:LLMSummarizer",
    },
    "judge": {
        "llm": "factreasoner.judges.llm:LLMJudge",
        "embedded": "factreasoner.judges.overlap:OverlapJudge",
        "recorded": "factreasoner.judges.recorded:RecordedJudge",
        "verifier": "factreasoner.judges.encoder:VerifierJudge",
        "nli": "factreasoner.judges.encoder:VerifierJudge",
    },
    "solver": {
        "auto": "factreasoner.solvers.gibbs:AutoSolver",
        "exact": "factreasoner.solvers.exact:ExactSolver",
        "gibbs": "factreasoner.solvers.gibbs:GibbsSolver",
        "pgmpy": "factreasoner.solvers.pgmpy_solver:PgmpySolver",
        "merlin": "factreasoner.solvers.merlin_solver:MerlinSolver",
    },
    "assessor": {
        "factreasoner": "factreasoner.assessors.graph:GraphEvaluator",
        "factscore": "factreasoner.assessors.prompted:PromptedEvaluator",
        "veriscore": "factreasoner.assessors.prompted:PromptedEvaluator",
        "factverify": "factreasoner.assessors.prompted:PromptedEvaluator",
        "prompt-tf": "factreasoner.assessors.prompted:PromptedEvaluator",
    },
}

EXTRA_OF_MODULE: dict[str, tuple[str, str]] = {
    "bm25s": ("searching own documents", "corpus"),
    "chromadb": ("keeping own documents", "corpus"),
    "huggingface_hub": ("finding models of the hub", "verifiers"),
    "mammoth": ("reading docx files", "office"),
    "matplotlib": ("drawing figures", "plots"),
    "mcp": ("offering tools to agents", "mcp"),
    "onnxruntime": ("running verifiers", "verifiers"),
    "opentelemetry.exporter.otlp.proto.http": ("publishing over OTLP", "otel"),
    "opentelemetry.sdk": ("publishing over OTLP", "otel"),
    "pandas": ("handing out tables as data frames", "frames"),
    "pptx": ("reading pptx files", "office"),
    "protego": ("honouring robots.txt", "web"),
    "pyarrow": ("writing parquet files", "frames"),
    "pypdf": ("reading PDF files", "web"),
    "ray": ("running on a Ray cluster", "ray"),
    "spacy": ("parsing English", "english"),
    "starlette": ("serving over HTTP", "serve"),
    "tokenizers": ("reading texts as verifiers do", "verifiers"),
    "trafilatura": ("reading web pages", "web"),
    "uvicorn": ("serving over HTTP", "serve"),
}
"""For an optional package, by import name: what it is for, and the extra that installs it."""


@contextlib.contextmanager
def extras_named() -> Iterator[None]:
    """Raise MissingExtraError if our imports fail because an optional package is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        for module, extra in EXTRA_OF_MODULE.items():
            if module.partition(".")[0] == missing:
                raise MissingExtraError(*extra) from error
        raise


def nearest(name: str, known: list[str]) -> str:
    """A remedy for an unknown name: the nearest known one, or all of them.

    One with the same letters comes first: swapped letters are the most common slip.
    """
    close = difflib.get_close_matches(name, known)
    close.sort(key=lambda other: sorted(other) != sorted(name))
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"


def told(error: BaseException, part: object = None) -> str:
    """An error in a user's code with its file and line: in the file of `part` if it passed through there."""
    own = None if part is None else _file_of(part)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")]
    frame = next((f for f in reversed(frames) if f.filename == own), frames[-1] if frames else None)
    place = "" if frame is None else f" ({frame.filename}:{frame.lineno})"
    if isinstance(error, ValidationError) and _is_of_ours(error):
        return f"{error.title}: {'; '.join(map(str, reworded(error, '', {})))}{place}"
    return f"{type(error).__name__}: {error}{place}"


def _is_of_ours(error: ValidationError) -> bool:
    """Whether it is about a model of this package, and not about a user's own of the same name.

    What was made is known from pydantic's own method, unless another process or a TypeAdapter made it.
    """
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    made = frame.f_locals.get("cls") or type(frame.f_locals.get("self"))
    theirs = isinstance(made, type) and issubclass(made, BaseModel) and not issubclass(made, models.Model)
    return error.title in models.__all__ and not theirs


def _file_of(part: object) -> str | None:
    try:
        return inspect.getsourcefile(part if inspect.isroutine(part) or inspect.isclass(part) else type(part))
    except TypeError:
        return None


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
