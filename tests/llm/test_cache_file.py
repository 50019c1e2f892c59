"""What every cache on disk does with a file that is damaged, can't be written, or breaks later."""

from __future__ import annotations

from pathlib import Path

import pytest

from factreasoner.errors import ConfigError
from factreasoner.llm.cache import CacheFile

SETUP = (
    "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value TEXT)",
    "DELETE FROM kept WHERE key = ''",
)
READ = "SELECT value FROM kept WHERE key = ?"
WRITE = "INSERT OR REPLACE INTO kept VALUES (?, ?)"


def opened(path: Path | None) -> CacheFile:
    return CacheFile(path, SETUP, remedy="do without")


def test_what_is_written_is_read_by_the_next_process(tmp_path: Path) -> None:
    first = opened(tmp_path / "folder" / "kept.sqlite")
    first.write(WRITE, [("a", "1"), ("b", "2"), ("a", "3")])
    first.close()
    assert opened(tmp_path / "folder" / "kept.sqlite").rows(READ, ["a"]) == [("3",)]


def test_without_a_path_it_is_this_processs_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = opened(None)
    file.write(WRITE, [("a", "1")])
    assert file.rows(READ, ["a"]) == [("1",)]
    assert opened(None).rows(READ, ["a"]) == []
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "kept.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(ConfigError, match=r"cache_dir: .*kept.sqlite is damaged .*delete it, or do without"):
        opened(tmp_path / "kept.sqlite")


def test_a_file_that_cant_be_made_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("in the way")
    with pytest.raises(ConfigError, match=r"can't be written .*another folder, or do without"):
        opened(tmp_path / "folder" / "kept.sqlite")


def test_one_that_cant_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kept.sqlite").mkdir()
    with pytest.raises(ConfigError, match="can't be written"):
        opened(tmp_path / "kept.sqlite")


def test_one_that_breaks_later_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = opened(tmp_path / "kept.sqlite")
    file.close()
    file.write(WRITE, [("a", "1")])
    assert file.rows(READ, ["a"]) == []
    assert [record.message.split(" (")[0] for record in caplog.records] == [
        f"the cache {tmp_path / 'kept.sqlite'} can't be used any more"
    ]
