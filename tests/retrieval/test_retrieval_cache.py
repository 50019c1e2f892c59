from __future__ import annotations

import sqlite3
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
