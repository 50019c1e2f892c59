"""What all tests of retrieval share."""

import pytest


@pytest.fixture(autouse=True)
def _own_cache_and_no_waiting(tmp_path, monkeypatch):
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("factreasoner.retrieval.service.FIRST_WAIT", 0.01)
    monkeypatch.setattr("factreasoner.retrieval.web_pages.FIRST_WAIT", 0.01)
