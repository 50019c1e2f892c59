"""Settings of the test run that no single test owns."""

import gc
import os

import pytest
from forked import Forker
from hypothesis import settings
from word_judge import NAME

from factreasoner.calls import retry
from factreasoner.plugins.table import AUTO
from factreasoner.settings.sources import PREFIX, RESERVED
from factreasoner.text import parsing

# Threads of BLAS gain nothing on tables of a few rows and spin beside tests that run in parallel.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests that need some judge name none. What the bundled one finds changes when it learns more.
DEFAULT_JUDGE = AUTO["judge"]
AUTO["judge"] = ("llm", NAME)

retry.FIRST_WAIT = 0.01

COMMAND_LINE = (
    "scipy.sparse",
    "factreasoner.cli.running",
    "factreasoner.judges.functions",
    "factreasoner.llm.transport",
    "factreasoner.pipeline",
    "factreasoner.runs.runner",
    "factreasoner.solvers.exact",
)
"""What a command that asks a model imports."""

# Real servers, for which `make integration` installs what is needed.
collect_ignore = [] if os.environ.get("FACTREASONER_INTEGRATION") else ["integration", "real_server"]

# Whoever runs the tests may have settings in the environment. Variables that are none stay, and the model's
# name beside the address of a real server.
kept = RESERVED | ({f"{PREFIX}MODEL"} if os.environ.get(f"{PREFIX}API_BASE") else set())
for name in [name for name in os.environ if name.startswith(PREFIX) and name not in kept]:
    del os.environ[name]

# Examples are not timed: the first one may pay for an import, and machines differ.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Set what was collected aside, else the garbage collector looks through all of it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Tests that fork processes come first, so to one worker: what they fork off takes seconds to start."""
    items.sort(key=lambda item: "forker" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk():
    """What tests write is to outlive a killed process, and no machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture
def bundled_judge(monkeypatch):
    """The judge that judges without a model, as users have it."""
    monkeypatch.setitem(AUTO, "judge", DEFAULT_JUDGE)


@pytest.fixture
def whole_sentences(monkeypatch):
    """No parser: an atom made without a model is a sentence."""
    monkeypatch.setattr(parsing, "_chosen", lambda: None)


@pytest.fixture(scope="session")
def forker():
    """Starts processes that need not import what takes long."""
    forker = Forker(*COMMAND_LINE)
    yield forker
    forker.close()
