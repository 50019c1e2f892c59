"""What the tests of all tools share: how one is found, a model's replies, and examples run."""

import os
import runpy
from pathlib import Path

import pytest

from factreasoner import ScriptedLLM
from factreasoner.errors import UnusableReplyError

EXAMPLES = Path(__file__).parents[2] / "examples" / "integrations"
PASSAGES = ["Skerry Point lighthouse opened on 4 May 1931."]
RIGHT = "Skerry Point lighthouse opened on 4 May 1931."

for name, value in (("RAGAS_DO_NOT_TRACK", "true"), ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")):
    os.environ.setdefault(name, value)


def tool(module):
    """Skip where the tool is not installed; `make integration` installs it."""
    pytest.importorskip(module, reason=f"{module} is not installed; make integration installs it")


def scripted(*replies):
    """Settings with a model that judges so and fails from then on."""
    llm = ScriptedLLM([*replies, *[UnusableReplyError("prose")] * 20])
    return {"llm": llm, "atomizer": "rules", "reviser": "none", "cache": False}


def run_example(name):
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
