"""What users are promised is there. What the contract does not name, settings aside, may change or go."""

import contract
import pytest

from factreasoner.pipeline.config import Config


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    return contract.live(tmp_path_factory.mktemp("contract"))


def test_promised_names_exist(there):
    missing = {
        section: gone
        for section, names in contract.PROMISED.items()
        if (gone := sorted(name for name in names if name[0] != "+" and name not in there[section]))
    }
    assert missing == {}


def test_future_names_are_absent(there):
    come = {
        section: found
        for section, names in contract.PROMISED.items()
        if (found := sorted(name for name in names if name[0] == "+" and name[1:] in there[section]))
    }
    assert come == {}, "in tests/data/contract.txt, take the + away"


def test_every_setting_is_promised():
    groups = (names for section, names in contract.PROMISED.items() if section.startswith("settings "))
    assert set(Config.model_fields) == set().union(*groups)


def test_contract_reads_groups_and_continued_lines():
    text = "# Prose: no.\nsettings a: x_y +z\ntakes run: a\nflags run\n    show: --json\n    --limit\n"
    assert contract.promised(text) == {
        "settings a": {"x_y", "+z"},
        "flags run": {"--json", "--limit", "--x-y", "+--z"},
        "flags show": {"--json", "--limit"},
    }
