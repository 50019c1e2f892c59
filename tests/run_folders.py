"""Run folders made by hand, for tests of what is read from them."""

from factreasoner.runs.journal import line_of
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK


def run_folder(path, *assessments, config=None, finished=True):
    """A run of these assessments; one that is not `finished` was killed before it wrote its results."""
    config = config or Config()
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    append(folder, *assessments)
    if finished:
        score_journal(folder, list(folder.entries), config)
    folder.close()
    return path


def append(folder, *results):
    """Add results to a run's journal."""
    folder.write([line_of(folder.task, result) for result in results])
