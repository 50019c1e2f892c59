"""`explain`: on finished runs, whole, in part, damaged and of other kinds."""

import json
import re

import pytest
from oracle import graph_of
from run_folders import run_folder

from factreasoner.graph.factors import factor_graph
from factreasoner.models import (
    Assessment,
    Atom,
    Context,
    Failure,
    Independence,
    Outcome,
    Verdict,
    supports_of,
)
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver

RELATIONS = (
    ("c1", "a1", "entailment", 0.9),
    ("c2", "a1", "contradiction", 0.7),
    ("c2", "a2", "entailment", 0.8),
)


def solved(record_id, *relations, unjudged=(), **outcome):
    """An assessment as a run leaves it, of atoms a1, a2, ... and contexts c1, c2, ..."""
    graph = graph_of(*relations)
    marginals = ExactSolver().marginals(factor_graph(graph))
    p_true = {node.id: marginals.p_true[node.id] for node in graph.nodes if node.kind == "atom"}
    passages = [node.id for node in graph.nodes if node.kind == "context"]
    verdicts = tuple(Verdict(context_id=s, target_id=t, label=k, probability=p) for s, t, k, p in relations)
    judged = {"p_true": p_true, "support": supports_of(p_true, graph), "verdicts": verdicts}
    judged |= {"graph": graph, "marginals": marginals, "unjudged": tuple(unjudged)}
    return Assessment(
        record_id=record_id,
        status="ok",
        assessor="factreasoner",
        atoms=tuple(Atom(id=i, text=f"Statement {i} of [red].") for i in (*p_true, *unjudged)),
        contexts=tuple(Context(id=i, text=f"Passage {i}.", title=f"Page {i}") for i in passages),
        outcome=Outcome(**judged | outcome),
    )


def without_atoms(record_id="idle"):
    return Assessment(record_id=record_id, status="no_atoms", assessor="factreasoner")


def test_the_table_of_a_run(factreasoner, tmp_path):
    run_folder(tmp_path / "run", solved("r1", *RELATIONS), solved("r2", RELATIONS[0]))
    done = factreasoner("explain", "run", env={"COLUMNS": "80"})
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    first, second = done.stdout.split("r2  exact")
    lines = [" ".join(line.split()) for line in first.splitlines()]
    assert lines[0] == "r1 exact"
    assert any(line.startswith("a1 0.7") and "supported Statement a1 of [red]." in line for line in lines)
    assert any(line.startswith("disputed without c1: 0.3") and ", c2: 0.860" in line for line in lines)
    assert "conflict: c1 (0.90) vs c2 (0.70)" in lines
    assert "c2" not in second


def test_tiny_standard_error_is_shown_readably(factreasoner, tmp_path):
    found = solved("r1", *RELATIONS)
    sampled = found.outcome.marginals.model_copy(update={"exact": False, "stderr": 1e-11})
    outcome = found.outcome.model_copy(update={"marginals": sampled})
    run_folder(tmp_path / "run", found.model_copy(update={"outcome": outcome}))
    assert "standard error below 0.0001\n" in factreasoner("explain", "run").stdout


def test_one_atom_with_every_context(factreasoner, tmp_path):
    run_folder(tmp_path / "run", solved("r1", *RELATIONS), solved("r2", RELATIONS[0], RELATIONS[2]))
    done = factreasoner("explain", "run", "--record", "r1", "--atom", "a1")
    p = solved("r1", *RELATIONS).p_true["a1"]
    alone = solved("r1", *RELATIONS[1:]).p_true["a1"]
    assert done.stdout.splitlines() == [
        "r1  exact",
        f"a1  {p:.3f}  supported, disputed  Statement a1 of [red].",
        *(
            f"  {line}"
            for line in (
                f"without c1: {alone:.3f}, c2: 0.860",
                "conflict: c1 (0.90) vs c2 (0.70)",
                "for it: c1 (0.90): Page c1: Passage c1.",
                "against it: c2 (0.70): Page c2: Passage c2.",
            )
        ),
        "",
    ]
    weak = solved("r1", *RELATIONS, ("c3", "a2", "entailment", 0.5001))
    run_folder(tmp_path / "weak", weak)
    shown = factreasoner("explain", "weak", "--atom", "a2").stdout
    assert re.search(r"without c2: 0\.\d{3}.*; without any other of 3 contexts: no change", shown)
    narrow = factreasoner("explain", "run", "--record", "r1", "--atom", "a1", env={"COLUMNS": "30"}).stdout
    assert "  against it: c2 (0.70):\n    Page c2: Passage c2.\n" in narrow
    both = factreasoner("explain", "run", "--atom", "a2", "--atom", "a1").stdout
    assert [word for word in ("r1", "r2") if word in both] == ["r1", "r2"]
    assert [line.split()[0] for line in both.splitlines() if "Statement" in line] == ["a1", "a2"] * 2


def test_evidence_without_kept_context_is_named(factreasoner, tmp_path):
    whole = solved("r1", *RELATIONS)
    run_folder(tmp_path / "run", whole.model_copy(update={"contexts": whole.contexts[1:]}))
    shown = factreasoner("explain", "run", "--atom", "a1").stdout
    assert "for it: c1 (0.90)\n" in "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
    assert "against it: c2 (0.70): Page c2: Passage c2." in shown


def test_json_has_every_record_and_is_valid_alone(factreasoner, tmp_path):
    run_folder(tmp_path / "run", solved("r1", *RELATIONS), without_atoms(), solved("r2", RELATIONS[0]))
    done = factreasoner("explain", "run", "--json")
    told = json.loads(done.stdout)
    assert [item["record_id"] for item in told] == ["r1", "r2"]
    (a1, a2) = told[0]["atoms"]
    assert (a1["atom_id"], a1["support"]) == ("a1", "supported")
    assert {effect["context_id"] for effect in a1["effects"]} == {"c1", "c2"}
    assert a2["p_true"] == pytest.approx(solved("r1", *RELATIONS).p_true["a2"])


def test_explain_settings_leave_the_run_unchanged(factreasoner, tmp_path):
    folder = run_folder(tmp_path / "run", solved("r1", *RELATIONS))
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    plain = json.loads(factreasoner("explain", "run", "--json").stdout)
    trusting = json.loads(factreasoner("explain", "run", "--json", "--context-prior", 0.99).stdout)
    assert trusting[0]["atoms"][0]["p_true"] != pytest.approx(plain[0]["atoms"][0]["p_true"], abs=1e-3)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_independence_names_merged_contexts(factreasoner, tmp_path):
    shared = Independence(sources=(("c1", "c7", "c9"),), relations_left_out=2)
    config = Config(independence=True)
    run_folder(tmp_path / "run", solved("r1", *RELATIONS, independence=shared), config=config)
    assert "c1 (0.90; also for c7, c9): Page c1" in factreasoner("explain", "run", "--atom", "a1").stdout


def test_explain_names_unjudged_atoms(factreasoner, tmp_path):
    run_folder(tmp_path / "run", solved("r1", *RELATIONS, unjudged=("a8",), partly_judged=("a2",)))
    done = factreasoner("explain", "run")
    assert "not judged: a8" in done.stdout
    assert "judged in part: a2" in done.stdout


def test_explain_reports_failed_records(factreasoner, tmp_path):
    failure = Failure(stage="atomizer", item_id="down", error_type="ProviderError", message="status 503")
    failed = Assessment(record_id="down", status="failed", assessor="factreasoner", failures=(failure,))
    run_folder(tmp_path / "run", solved("r1", *RELATIONS), failed)
    done = factreasoner("explain", "run", code=3)
    assert "not explained: record 'down': no fact graph to explain: status 'failed'" in done.stderr
    assert "atomizer: status 503" in done.stderr
    assert "a1" in done.stdout
    assert factreasoner("explain", "run", "--record", "down", "--json", code=1).stdout == ""


def test_a_record_without_atoms(factreasoner, tmp_path):
    run_folder(tmp_path / "run", without_atoms())
    assert "the response has no atoms" in factreasoner("explain", "run", "--record", "idle", code=1).stderr
    run_folder(tmp_path / "two", without_atoms(), without_atoms("idler"))
    assert factreasoner("explain", "two").stdout == "No atoms to explain.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--record", "marie-curi"], "no record 'marie-curi'; did you mean 'marie-curie'?"),
        (["run", "--record", "x"], "run: no record 'x'; the run has the ids"),
        (["run", "--atom", "zz"], "no record has a judged atom 'zz'"),
        (["run", "--record", "marie-curie", "--atom", "zz"], "no atom 'zz'; known: a1, a2"),
        (["run", "--solver", "exakt"], "did you mean 'exact'"),
        (["empty"], "no record has been assessed in this run"),
    ],
)
def test_missing_explain_targets_are_reported(factreasoner, tmp_path, arguments, words):
    run_folder(tmp_path / "run", solved("marie-curie", *RELATIONS), without_atoms())
    run_folder(tmp_path / "empty", finished=False)
    done = factreasoner("explain", *arguments, code=1)
    assert done.stdout == ""
    assert words in done.stderr
