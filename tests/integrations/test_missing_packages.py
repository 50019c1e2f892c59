"""Without the tool that a module is for, it says what to install."""

import importlib
import sys

import pytest

from factreasoner.errors import ConfigError


@pytest.mark.parametrize(
    ("module", "package", "remedy"),
    [
        ("ragas_metric", "ragas.dataset_schema", "pip install ragas 'langchain-community<0.4'"),
        ("deepeval_metric", "deepeval.metrics", "pip install deepeval"),
        ("inspect_scorer", "inspect_ai.scorer", "pip install inspect-ai"),
    ],
)
def test_the_package_is_named(module, package, remedy, monkeypatch):
    for name in (package, package.partition(".")[0]):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"factreasoner.integrations.{module}", raising=False)
    with pytest.raises(ConfigError) as missing:
        importlib.import_module(f"factreasoner.integrations.{module}")
    assert str(missing.value).endswith(remedy)
