"""Tasks by name."""

import pytest

from factreasoner.errors import RunError
from factreasoner.tasks.registry import TASKS, task_named
from factreasoner.tasks.task import Task


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_called_as_it_is_registered(name):
    task = task_named(name)
    assert isinstance(task, Task)
    assert task.name == name


def test_an_unknown_task_is_refused_with_the_known_ones():
    with pytest.raises(RunError, match=r"'ragg'.*known: run, recall"):
        task_named("ragg")
