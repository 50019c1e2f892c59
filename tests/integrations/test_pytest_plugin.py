"""The fixture `factuality`, in runs of pytest of their own, and what it costs those who don't use it."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from factreasoner import ScriptedLLM
from factreasoner.errors import ConfigError, InputError, UnusableReplyError
from factreasoner.integrations import pytest_plugin
from factreasoner.integrations.pytest_plugin import Factuality
from factreasoner.judges import judged_by
from factreasoner.pipeline.config import Config

EXAMPLES = Path(__file__).parents[2] / "examples"
PASSAGES = ["Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high."]
RIGHT = "Skerry Point lighthouse opened on 4 May 1931."
WRONG = f"{RIGHT} Mark Twain was born in Vienna."


def run(folder, *arguments):
    """Its output and exit code; no plugin but ours is loaded."""
    command = [sys.executable, "-m", "pytest", "-p", pytest_plugin.__name__, "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--color=no", *arguments],
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "FACTREASONER_CACHE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr, done.returncode


def test_unused_plugin_imports_nothing(tmp_path):
    (tmp_path / "test_own.py").write_text(
        "import sys\n"
        "def test_own():\n"
        "    ours = {name for name in sys.modules if name.startswith('factreasoner')}\n"
        f"    assert ours == {{'factreasoner', 'factreasoner.integrations', {pytest_plugin.__name__!r}}}\n"
        "    assert not {'litellm', 'numpy', 'pydantic', 'httpx', 'rich'} & sys.modules.keys()\n"
        "def test_options(factuality):\n"
        "    settings = {'model': 'a-model', 'api_base': 'http://localhost:1'}\n"
        "    assert vars(factuality)['_defaults'] == settings\n"
    )
    said, code = run(
        tmp_path, "--factreasoner-model=a-model", "--factreasoner-api-base", "http://localhost:1"
    )
    assert code == 0, said


def test_pytest_finds_it():
    (found,) = entry_points(group="pytest11", name="factreasoner")
    assert found.load() is pytest_plugin


@pytest.mark.usefixtures("bundled_judge")
def test_failures_show_test_and_evidence_without_internals(tmp_path):
    (tmp_path / "test_own.py").write_text(
        f"PASSAGES, RIGHT, WRONG = {PASSAGES!r}, {RIGHT!r}, {WRONG!r}\n"
        "def test_right(factuality):\n"
        "    assert factuality.check(RIGHT, PASSAGES).metrics['precision'] == 1.0\n"
        "def test_wrong(factuality):\n"
        "    factuality.check(WRONG, contexts=PASSAGES)\n"
        "def test_mistake(factuality):\n"
        "    factuality.check(RIGHT, contexts={'text': RIGHT})\n"
    )
    shutil.copy(EXAMPLES / "integrations" / "test_answers.py", tmp_path)
    said, code = run(tmp_path)
    assert code == 1
    assert "2 failed, 2 passed" in said
    assert f"precision is below min_precision=0.9: precision 0.500, judged by {judged_by(Config())}" in said
    assert "unverified: Mark Twain was born in Vienna." in said
    assert "InputError: factreasoner: contexts: is a dict; it must be a list of strings" in said
    assert "pytest_plugin.py" not in said
    assert "scoring.py" not in said


def test_the_example_needs_pytest_alone_in_a_checkout():
    said, code = run(EXAMPLES.parent, "examples/integrations/test_answers.py")
    assert (code, "1 passed" in said) == (0, True), said


def scripted(*replies):
    return {"llm": ScriptedLLM(replies), "atomizer": "rules", "reviser": "none", "cache": False}


def test_failure_message_quotes_the_contradiction():
    settings = scripted({"fact_0": "False", "fact_0_citation": "opened on 4 May 1931"})
    with pytest.raises(pytest.fail.Exception) as failed:
        Factuality({}).check("It opened in 1932.", PASSAGES, mode="tfn_citation", **settings)
    assert 'contradicted: It opened in 1932.\n         c0: "opened on 4 May 1931"' in str(failed.value)


def test_a_judgement_that_failed_passes_no_test():
    replies = [{"fact_0": "True"}, *[UnusableReplyError("prose")] * 20]
    settings = scripted(*replies)
    with pytest.raises(pytest.fail.Exception, match="precision may be below") as failed:
        Factuality({}).check(RIGHT, [*PASSAGES, "Another passage."], **settings)
    assert "precision 1.000" in str(failed.value)
    assert "1 failed, the first:" in str(failed.value)


def test_unjudged_check_gives_the_reason():
    with pytest.raises(
        pytest.fail.Exception, match=r"min_precision=\S+ could not be checked: no precision; .*prose"
    ):
        Factuality({}).check(
            RIGHT, PASSAGES, min_precision=0.0, **scripted(*[UnusableReplyError("prose")] * 20)
        )
    with pytest.raises(pytest.fail.Exception, match="empty, abstains or makes no claim"):
        Factuality({}).check("I don't know.", PASSAGES, min_precision=0.0)


def test_contradictions_alone_may_fail_a_check():
    alone = {"contexts": PASSAGES, "min_precision": 0, "cache": False}
    wrong = "Skerry Point lighthouse opened on 4 May 1951."
    assert Factuality({}).check(response=WRONG, max_contradicted=0, **alone).metrics["precision"] == 0.5
    assert Factuality({}).check(wrong, prompt="When?", max_contradicted=1, **alone).prompt == "When?"
    with pytest.raises(pytest.fail.Exception, match="more than max_contradicted=0 atoms are contradicted"):
        Factuality({}).check(answer=wrong, max_contradicted=0, **alone)
    replies = scripted({"fact_0": "True"}, *[UnusableReplyError("prose")] * 20)
    contexts = [*PASSAGES, "Another passage."]
    with pytest.raises(pytest.fail.Exception, match=r"atoms may be contradicted: .*1 failed"):
        Factuality({}).check(RIGHT, contexts, min_precision=0, max_contradicted=0, **replies)
    with pytest.raises(InputError, match="given as 'output' and 'answer'; keep one"):
        Factuality({}).check(RIGHT, answer=RIGHT, **alone)


def test_checks_share_what_they_can():
    factuality = Factuality({"k": 5})
    for settings in ({}, {"version": 3}, {}, {"version": 3}, {"k": 5}):
        factuality.check(RIGHT, PASSAGES, **settings)
    assert len(vars(factuality)["_made"]) == 2


def test_mistakes_are_our_own_errors():
    for wrong in (90, "0.9"):
        with pytest.raises(
            ConfigError, match=f"min_precision is {wrong!r}; it must be a number between 0 and 1"
        ):
            Factuality({}).check(RIGHT, PASSAGES, min_precision=wrong)
    for wrong in (-1, "2", 0.5, True):
        with pytest.raises(ConfigError, match=f"max_contradicted is {wrong!r}; it must be a whole number"):
            Factuality({}).check(RIGHT, PASSAGES, max_contradicted=wrong)
    with pytest.raises(ConfigError, match="did you mean 'version'"):
        Factuality({}).check(RIGHT, PASSAGES, versoin=3)
    with pytest.raises(InputError, match="contexts: missing"):
        Factuality({}).check(RIGHT)
