"""The typed settings of functions are those of Config."""

from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from factreasoner import assess, verify
from factreasoner.assembly import Parts
from factreasoner.choices import RemovedMerlinAlgorithm
from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.integrations.pytest_plugin import Factuality
from factreasoner.integrations.scoring import Scoring
from factreasoner.settings import Settings, in_python

KINDS = get_type_hints(Settings)
OTHERWISE = {"model", "model_param"}
"""A list of models makes an ensemble; parameters may be given as texts."""


def members(kind: Any) -> set[Any]:
    """The types of a union, or the values of a literal."""
    return {part for one in get_args(kind) for part in members(one)} if get_args(kind) else {kind}


def test_every_setting_is_there_in_order():
    assert list(KINDS) == list(Config.model_fields)


@pytest.mark.parametrize(
    "name", sorted(Config.model_fields.keys() - Parts.__annotations__.keys() - OTHERWISE)
)
def test_a_setting_takes_what_config_takes(name):
    ours = members(KINDS[name])
    theirs = members(Config.model_fields[name].annotation) - set(get_args(RemovedMerlinAlgorithm))
    if Path in theirs:
        theirs |= {str}
    assert ours - {...} == theirs - {...}


@pytest.mark.parametrize("name", Parts.__annotations__)
def test_a_part_may_be_named_or_given(name):
    assert get_args(KINDS[name])[0] is str
    assert set(get_args(KINDS[name])[1:]) == set(get_args(get_type_hints(Parts)[name]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assess("x", contexts=["y"], modle="m"), "unknown setting 'modle'; did you mean 'model'?"),
        (lambda: assess("x", context=["y"]), "unknown setting 'context'; did you mean 'contexts'?"),
        (lambda: verify("x", source=["y"]), "did you mean 'sources'?"),
        (lambda: Scoring(metrik="rag"), "did you mean 'metric'?"),
        (lambda: Factuality({}).check("x", min_precison=1), "did you mean 'min_precision'?"),
        (lambda: assess("x", contexts=["y"], judge="nli"), "add verifier_model=FOLDER or ID"),
        (lambda: assess("x", contexts=["y"], workers=2), 'as many as concurrency; add executor="processes"'),
    ],
)
def test_what_is_wrong_with_a_call_is_told_in_words_of_python(call, message):
    with pytest.raises(ConfigError) as caught:
        call()
    assert message in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("(--column-map anwser=output)", "(column_map={'anwser': 'output'})"),
        ("name its key with --column-map KEY=output", "name its key with column_map={'KEY': 'output'}"),
        ("delete it, or use --no-cache", "delete it, or use cache=False"),
        ("use another --out, or start over with --fresh", "use another out, or start over with fresh=True"),
        ("use --version 2 or 3; raise --max-cost and go on", "use version=2 or 3; raise max_cost and go on"),
        ("fetch it with `factreasoner doctor --verifier-model m --verifier-download`",) * 2,
        ("text (--summarizer llm), --gold FILE", 'text (summarizer="llm"), --gold FILE'),
    ],
)
def test_flags_are_told_as_the_arguments_they_are(message, told):
    assert in_python(message) == told
