"""What all tests of retrieval share."""

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "cache"))
