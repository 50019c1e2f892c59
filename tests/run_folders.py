"""Run folders made by hand, for tests of what is read from them."""

from factreasoner.pipeline.config import Config
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.task import FACTUALITY, line_of, task_named


def run_folder(path, *results, task=FACTUALITY, config=None, finished=True):
    """A run of these results; one that is not `finished` was killed before it wrote its results."""
    config = config or Config()
    folder = RunFolder(path, task_named(task))
    folder.start(config, {})
    append(folder, *results)
    if finished:
        score_journal(folder, list(folder.entries), config)
    folder.close()
    return path


def append(folder, *results):
    """Add results to a run's journal."""
    folder.write([line_of(folder.task, result) for result in results])
