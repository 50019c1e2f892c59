"""Probabilistic factuality assessment of long answers.

::

    from factreasoner import assess

    result = assess("Marie Curie was born in 1876.", contexts=["Marie Curie was born in Warsaw in 1867."])
    for row in result.rows():
        print(row.label, row.p_true, row.text, row.quote)
"""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factreasoner.analysis.opened_run import Run as Run
    from factreasoner.analysis.opened_run import compare as compare
    from factreasoner.api import aassess_many as aassess_many
    from factreasoner.api import assess_many as assess_many
    from factreasoner.llm.scripted import ScriptedLLM as ScriptedLLM
    from factreasoner.models import Assessment as Assessment
    from factreasoner.models import Record as Record
    from factreasoner.models import Result as Result
    from factreasoner.pipeline.config import Config as Config
    from factreasoner.pipeline.pipeline import build_pipeline as build_pipeline
    from factreasoner.tasks.factuality import aassess as aassess
    from factreasoner.tasks.factuality import assess as assess
    from factreasoner.tasks.rag.table import RagResult as RagResult
    from factreasoner.tasks.rag.task import arag as arag
    from factreasoner.tasks.rag.task import rag as rag
    from factreasoner.tasks.recall import RecallResult as RecallResult
    from factreasoner.tasks.recall import arecall as arecall
    from factreasoner.tasks.recall import recall as recall
    from factreasoner.tasks.verify.result import VerifyResult as VerifyResult
    from factreasoner.tasks.verify.task import averify as averify
    from factreasoner.tasks.verify.task import verify as verify

__version__ = "0.1.0"

_HOMES = {
    "factreasoner.analysis.opened_run": "Run compare",
    "factreasoner.api": "aassess_many assess_many",
    "factreasoner.llm.scripted": "ScriptedLLM",
    "factreasoner.models": "Assessment Record Result",
    "factreasoner.pipeline.config": "Config",
    "factreasoner.pipeline.pipeline": "build_pipeline",
    "factreasoner.tasks.factuality": "aassess assess",
    "factreasoner.tasks.rag.table": "RagResult",
    "factreasoner.tasks.rag.task": "arag rag",
    "factreasoner.tasks.recall": "RecallResult arecall recall",
    "factreasoner.tasks.verify.result": "VerifyResult",
    "factreasoner.tasks.verify.task": "averify verify",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_MOVED = {
    "Atom": "factreasoner.models",
    "Context": "factreasoner.models",
    "FactReasonerError": "factreasoner.errors",
    "Failure": "factreasoner.models",
    "Pipeline": "factreasoner.pipeline.pipeline",
    "factuality": "factreasoner.models",
}
"""Former public names and where they are now."""
_REMOVED = {
    "ScoredRag": "rag() returns a RagResult, with `metrics`",
    "load_config": "pass the path of a profile, config=PATH",
}
__all__ = [*sorted(_HOME_OF)]


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that `import factreasoner` is cheap."""
    if name in _REMOVED:
        imported = sys._getframe(1).f_globals["__name__"] == "importlib._bootstrap"  # noqa: SLF001
        kind = ImportError if imported else AttributeError  # `from` would hide the text of an AttributeError
        raise kind(f"{name} was removed: {_REMOVED[name]}")
    if (home := _HOME_OF.get(name) or _MOVED.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(home), name)
    if name in _MOVED:
        warnings.warn(f"import {name} from {home}", DeprecationWarning, stacklevel=2)
    else:
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
