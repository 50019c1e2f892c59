"""Probabilistic factuality assessment of long answers.

::

    from factreasoner import assess

    assessment = assess("Marie Curie was born in 1876.", contexts=["Marie Curie was born in Warsaw in 1867."])
    assessment.p_true  # {"a0": 0.1...}
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factreasoner.analysis.opened_run import Run as Run
    from factreasoner.api import assess_many as assess_many
    from factreasoner.errors import FactReasonerError as FactReasonerError
    from factreasoner.llm.scripted import ScriptedLLM as ScriptedLLM
    from factreasoner.models import Assessment as Assessment
    from factreasoner.models import Atom as Atom
    from factreasoner.models import Context as Context
    from factreasoner.models import Failure as Failure
    from factreasoner.models import Record as Record
    from factreasoner.models import factuality as factuality
    from factreasoner.pipeline.config import Config as Config
    from factreasoner.pipeline.loading import load_config as load_config
    from factreasoner.pipeline.pipeline import Pipeline as Pipeline
    from factreasoner.pipeline.pipeline import aassess as aassess
    from factreasoner.pipeline.pipeline import assess as assess
    from factreasoner.pipeline.pipeline import build_pipeline as build_pipeline
    from factreasoner.tasks.rag.table import ScoredRag as ScoredRag
    from factreasoner.tasks.rag.task import rag as rag
    from factreasoner.tasks.recall import RecallResult as RecallResult
    from factreasoner.tasks.recall import recall as recall
    from factreasoner.tasks.verify.result import VerifyResult as VerifyResult
    from factreasoner.tasks.verify.task import verify as verify

__version__ = "0.1.0"

_HOMES = {
    "Assessment": "factreasoner.models",
    "Atom": "factreasoner.models",
    "Config": "factreasoner.pipeline.config",
    "Context": "factreasoner.models",
    "FactReasonerError": "factreasoner.errors",
    "Failure": "factreasoner.models",
    "Pipeline": "factreasoner.pipeline.pipeline",
    "Record": "factreasoner.models",
    "RecallResult": "factreasoner.tasks.recall",
    "Run": "factreasoner.analysis.opened_run",
    "ScoredRag": "factreasoner.tasks.rag.table",
    "ScriptedLLM": "factreasoner.llm.scripted",
    "VerifyResult": "factreasoner.tasks.verify.result",
    "aassess": "factreasoner.pipeline.pipeline",
    "assess": "factreasoner.pipeline.pipeline",
    "assess_many": "factreasoner.api",
    "build_pipeline": "factreasoner.pipeline.pipeline",
    "factuality": "factreasoner.models",
    "load_config": "factreasoner.pipeline.loading",
    "rag": "factreasoner.tasks.rag.task",
    "recall": "factreasoner.tasks.recall",
    "verify": "factreasoner.tasks.verify.task",
}
__all__ = [*sorted(_HOMES)]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import factreasoner` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
