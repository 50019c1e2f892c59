from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest

from factreasoner.retrieval import cache
from factreasoner.retrieval.cache import RetrievalCache
from factreasoner.settings import Config


def never() -> object:
    raise AssertionError("asked although it is known")


def test_null_is_an_answer(tmp_path: Path) -> None:
    config = Config(cache_dir=tmp_path)
    assert RetrievalCache(config).value({"q": 1}, lambda: None) is None
    assert RetrievalCache(config).value({"q": 1}, never) is None


def test_answers_are_forgotten_after_thirty_days(tmp_path: Path) -> None:
    config = Config(cache_dir=tmp_path)
    RetrievalCache(config).value({"q": 1}, lambda: "old")
    with sqlite3.connect(tmp_path / cache.FILE) as connection:
        connection.execute("UPDATE found SET saved = ?", (time.time() - 31 * 86400,))
    connection.close()
    assert RetrievalCache(config).value({"q": 1}, lambda: "new") == "new"


def test_with_the_cache_off_nothing_is_left_behind(tmp_path: Path) -> None:
    config = Config(cache=False, cache_dir=tmp_path)
    kept = RetrievalCache(config)
    kept.value({"q": 1}, lambda: "x")
    assert kept.value({"q": 1}, never) == "x"
    assert list(tmp_path.iterdir()) == []


def test_errors_are_raised_and_not_kept(tmp_path: Path) -> None:
    kept = RetrievalCache(Config(cache_dir=tmp_path))
    with pytest.raises(ZeroDivisionError):
        kept.value({"q": 1}, lambda: 1 / 0)
    assert kept.value({"q": 1}, lambda: 2) == 2


def test_threads_share_one_question_and_its_error(tmp_path: Path) -> None:
    kept = RetrievalCache(Config(cache_dir=tmp_path))
    asked, outcomes = [], []
    gate = threading.Event()

    together = threading.Barrier(8)

    def ask() -> object:
        asked.append(1)
        gate.wait(60)
        raise OSError("down")

    def work() -> None:
        together.wait(60)
        try:
            kept.value({"q": 1}, ask)
        except OSError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    while not asked:
        time.sleep(0.001)
    time.sleep(0.3)
    gate.set()
    for thread in threads:
        thread.join()
    assert outcomes == ["down"] * 8
    assert len(asked) == 1
