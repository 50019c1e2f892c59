"""The typed settings of functions are those of Config."""

from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from factreasoner.assembly import Parts
from factreasoner.choices import RemovedMerlinAlgorithm
from factreasoner.config import Config
from factreasoner.settings import Settings

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
