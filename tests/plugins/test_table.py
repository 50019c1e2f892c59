"""Plug-ins by name."""

import sys

import pytest

from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.plugins import table
from factreasoner.plugins.kinds import load
from factreasoner.plugins.table import PLUGINS


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, known in PLUGINS.items() for name in known if not known[name].is_none],
)
def test_every_registered_name_loads(kind, name):
    assert callable(load(kind, name))


def test_a_users_own_class():
    assert load("solver", "collections:Counter").__name__ == "Counter"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gibsb", ["did you mean 'gibbs'?"]),
        ("exakt", ["unknown solver 'exakt'", "did you mean 'exact'?", "package.module:Name"]),
        ("no.such.module:X", ["can't import", "no.such.module"]),
        ("collections:NoSuch", ["no 'NoSuch'"]),
    ],
)
def test_unknown_names_suggest_a_fix(name, words):
    with pytest.raises(ConfigError) as caught:
        load("solver", name)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    "code",
    [
        "import not_installed_here",
        "from factreasoner.plugins.table import extras_named\nwith extras_named(): import not_installed_here",
    ],
    ids=["own", "ours"],
)
def test_a_missing_optional_package_names_the_extra(monkeypatch, tmp_path, code):
    (tmp_path / "needs_it.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(table.EXTRA_OF_MODULE, "not_installed_here", ("dense search", "corpus"))
    with pytest.raises(MissingExtraError, match=r"^dense search .* pip install '\.\[corpus\]'$"):
        load("retriever", "needs_it:X")
    sys.modules.pop("needs_it", None)
