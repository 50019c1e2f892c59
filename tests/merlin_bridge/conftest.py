"""The stand-in that answers, one for all tests here."""

import pytest
from merlin_stand_in import brute_force_merlin


@pytest.fixture(scope="session")
def merlin(tmp_path_factory):
    """A merlin that answers by brute force."""
    return brute_force_merlin(tmp_path_factory.mktemp("merlin"))
