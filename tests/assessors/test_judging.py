"""Whether a judge asks a model, which decides on threads, audits and contexts judged together."""

from __future__ import annotations

import pytest

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.assessors.judging import asks_model, judging_threads
from factreasoner.errors import ConfigError
from factreasoner.judges.overlap import OverlapJudge
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

OF_JUDGES: dict[str, dict[str, str]] = {
    "llm": {"model": "m"},
    "verifier": {"verifier": "factcg", "verifier_model": "m"},
    "recorded": {"relations": "r.jsonl"},
}


@pytest.mark.parametrize("name", PLUGINS["judge"])
def test_only_the_judge_by_a_model_asks_one(name: str) -> None:
    config = Config.model_validate({"judge": name} | OF_JUDGES.get(name, {}))
    assert asks_model(config) is (name == "llm")
    assert judging_threads(config) == (config.concurrency if name == "llm" else 1)


def test_a_judge_is_registered_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLUGINS["judge"], "overlap", PLUGINS["judge"]["embedded"])
    config = Config(judge="overlap", audit_share=0.5)
    assert not asks_model(config)
    with pytest.raises(ConfigError, match="the overlap judge is none"):
        GraphEvaluator(OverlapJudge(), ExactSolver(), config)


def test_a_judge_of_a_users_own_may_wait_for_a_server() -> None:
    assert asks_model(Config(judge="my_package.my_module:MyJudge"))
