"""Results and summary of large journals are made in little memory."""

import tracemalloc

from run_folders import append

from factreasoner.models import Record
from factreasoner.pipeline import build_pipeline
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK

TEXT = "word " * 8_000


def peak_of_scoring(path, records):
    """The most bytes that reading and scoring a journal takes, and the journal's size."""
    config = Config()
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    pipeline = build_pipeline(config)
    one = pipeline.assess(Record(id="r", response="", atoms=(), contexts=(), metadata={"note": TEXT}))
    append(folder, *(one.model_copy(update={"record_id": f"r{number}"}) for number in range(records)))
    folder.close()
    score_journal(folder, list(folder.entries), config)  # imports and caches are not what is measured
    tracemalloc.start()
    folder = RunFolder(path, TASK)
    score_journal(folder, list(folder.entries), config)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak, folder.journal_path.stat().st_size


def test_a_journal_is_scored_a_record_at_a_time(tmp_path):
    small, size = peak_of_scoring(tmp_path / "small", 10)
    large, larger = peak_of_scoring(tmp_path / "large", 100)
    assert larger > 9 * size > 3_000_000
    assert large < 1.2 * small
    assert large < larger / 5
