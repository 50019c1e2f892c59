"""Plug-ins by name: a table of "module:Name" strings, imported when used; a user's own string goes, too."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator

from factreasoner.errors import MissingExtraError

PLUGINS: dict[str, dict[str, str]] = {
    "atomizer": {
        "llm": "factreasoner.atoms.atomizer:LLMAtomizer",
        "rules": "factreasoner.atoms.embedded:EmbeddedAtomizer",
    },
    "fact_generator": {
        "llm": "factreasoner.atoms.atomizer:LLMFactGenerator",
        "rules": "factreasoner.atoms.embedded:EmbeddedFactGenerator",
    },
    "reviser": {
        "llm": "factreasoner.atoms.reviser:LLMReviser",
        "rules": "factreasoner.atoms.embedded:EmbeddedReviser",
        "none": "factreasoner.atoms.reviser:KeepAtoms",
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
        "recorded": "factreasoner.judges.recorded:RecordedJudge",
        "verifier": "factreasoner.judges.encoder.judge:VerifierJudge",
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

AUTO: dict[str, tuple[str, str]] = {
    "atomizer": ("llm", "rules"),
    "fact_generator": ("llm", "rules"),
    "reviser": ("llm", "rules"),
    "query_builder": ("llm", "subject"),
    "summarizer": ("llm", "none"),
    "judge": ("llm", "verifier"),
}
"""What `auto` means with a model, and without one."""

EXTRA_OF_MODULE: dict[str, tuple[str, str]] = {
    "bm25s": ("searching own documents", "corpus"),
    "chromadb": ("keeping own documents", "corpus"),
    "huggingface_hub": ("finding verifiers on the hub", "verifiers"),
    "mcp": ("offering tools to agents", "mcp"),
    "opentelemetry.exporter.otlp.proto.http": ("publishing over OTLP", "otel"),
    "opentelemetry.sdk": ("publishing over OTLP", "otel"),
    "protego": ("honouring robots.txt", "web"),
    "pyarrow": ("writing parquet files", "frames"),
    "pdf_oxide": ("reading PDF files", "web"),
    "ray": ("running on a Ray cluster", "ray"),
    "spacy": ("parsing English", "english"),
    "starlette": ("serving over HTTP", "serve"),
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


MOST_NAMED = 50
"""Known names up to which a message lists all of them."""


def nearest(name: str, known: list[str]) -> str:
    """A remedy for an unknown name: the nearest known one, or all of them; of many, the nearest three.

    One with the same letters comes first: swapped letters are the most common slip.
    """
    close = difflib.get_close_matches(name, known)
    close.sort(key=lambda other: sorted(other) != sorted(name))
    if close:
        return f"did you mean {close[0]!r}?"
    if len(known) > MOST_NAMED:
        return f"the nearest of {len(known)}: {', '.join(difflib.get_close_matches(name, known, cutoff=0.0))}"
    return f"known: {', '.join(sorted(known))}"
