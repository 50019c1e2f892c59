"""The stand-in that answers, one for all tests here."""

from __future__ import annotations

from pathlib import Path

import pytest
from merlin_stand_in import brute_force_merlin


@pytest.fixture(scope="session")
def merlin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A merlin that answers by brute force."""
    return brute_force_merlin(tmp_path_factory.mktemp("merlin"))
