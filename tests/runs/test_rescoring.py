from __future__ import annotations

from typing import Any

import pytest

from factreasoner import ScriptedLLM, build_pipeline
from factreasoner.config import Config
from factreasoner.models import Assessment, Atom, Context, Record
from factreasoner.runs.rescoring import rescore
from factreasoner.solvers.exact import ExactSolver

PAGE = "https://x.example/bridge"
RECORD = Record(
    id="r",
    response="x",
    atoms=(Atom(id="a0", text="The bridge is red."), Atom(id="a1", text="It opened in 1931.")),
    contexts=(
        Context(id="c0", text="The bridge is painted red.", link=PAGE, summary="s", p_summary=0.9),
        Context(id="c1", text="Its opening was in 1931.", link=f"{PAGE}#history", summary="s", p_summary=0.5),
        Context(id="c2", text="Nothing of it.", dropped="irrelevant"),
        Context(id="c3", text="THE BRIDGE is painted red.", link="https://y.example/"),
    ),
)


def assessed(**settings: Any) -> Assessment:
    llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.arguments, "True"))
    return build_pipeline(Config(model="scripted", **settings), llm=llm).assess(RECORD)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(
    "change", [{"independence": True}, {"independence": False}, {"summary_prior": True}, {"atom_prior": 0.3}]
)
def test_a_rescored_run_is_what_a_run_with_these_settings_would_have_been(
    version: int, before: bool, change: dict[str, Any]
) -> None:
    first = assessed(version=version, independence=before)
    config = Config(version=version, **({"independence": before} | change))
    again = rescore(first, ExactSolver(config), config)
    wanted = assessed(version=version, **({"independence": before} | change))
    assert again.outcome == wanted.outcome
    assert again.status == "ok"


def test_an_assessment_without_a_graph_comes_back_as_it_is() -> None:
    nothing = Assessment(record_id="r", status="no_atoms", assessor="factreasoner")
    assert rescore(nothing, ExactSolver(), Config()) is nothing
