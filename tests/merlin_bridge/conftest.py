"""The stand-in that answers, one for all tests here."""

import os

import pytest
from merlin_stand_in import brute_force_merlin


@pytest.fixture(scope="session")
def merlin(tmp_path_factory):
    """A merlin that answers by brute force."""
    return brute_force_merlin(tmp_path_factory.mktemp("merlin"))


@pytest.fixture(scope="session", params=["stand-in", "real"])
def any_merlin(request, merlin):
    """That one, and the binary named by MERLIN_PATH when there is one."""
    if request.param == "stand-in":
        return merlin
    return os.environ.get("MERLIN_PATH") or pytest.skip("MERLIN_PATH is not set")
