"""The tasks by name, imported when used."""

from __future__ import annotations

import importlib
from typing import Any

from factreasoner.errors import ConfigError, RunError
from factreasoner.plugins.table import nearest
from factreasoner.tasks.task import Task

FACTUALITY = "run"
TASKS = {
    FACTUALITY: "factreasoner.tasks.factuality:TASK",
    "recall": "factreasoner.tasks.recall:TASK",
    "rag": "factreasoner.tasks.rag.task:TASK",
    "verify": "factreasoner.tasks.verify.task:TASK",
}
"""Name of a task, which is that of its command -> where it is."""


def check_task(name: str) -> None:
    """Raise ConfigError if no task has the name that a user gave."""
    if name not in TASKS:
        raise ConfigError(f"no task is called {name!r}; {nearest(name, list(TASKS))}")


def task_named(name: str) -> Task[Any]:
    """The task of a run. Raises RunError for one that this version does not know."""
    if name not in TASKS:
        raise RunError(
            f"this is a run of {name!r}, a task that this version does not know; known: {', '.join(TASKS)}"
        )
    module, _, attribute = TASKS[name].partition(":")
    task: Task[Any] = getattr(importlib.import_module(module), attribute)
    return task
