"""Runs from Python: the tables as data frames, with missing values that are neither 0 nor NaN."""

import subprocess
import sys

import pytest
from assessments import assessment
from run_folders import run_folder

from factreasoner import Run, verify
from factreasoner.errors import ConfigError, RunError
from factreasoner.judges import judged_by
from factreasoner.models import Failure, Verdict
from factreasoner.pipeline.config import Config

VERDICT = Verdict(context_id="c0", target_id="a0", label="entailment", probability=0.9, quote="so")
LOST = Failure(stage="judge", item_id="c0->a1", error_type="LLMError", message="no answer")


@pytest.fixture
def opened(tmp_path):
    judged = assessment([0.9, None], gold="SN", outcome={"verdicts": (VERDICT,), "failures": (LOST,)})
    path = run_folder(
        tmp_path / "run",
        judged.model_copy(update={"status": "partial", "metadata": {"variant": "a"}}),
        assessment([], record_id="r2"),
        assessment([0.25], record_id="r3"),
    )
    return Run.open(path)


def test_run_repr_shows_task_results_and_failures(opened, tmp_path):
    told = f"task run, 3 records (1 partial, 1 no atoms, 1 ok), judged by {judged_by(Config())}"
    assert repr(opened) == f"<Run {str(opened.path)!r}: {told}>"
    html = opened._repr_html_()
    assert html.count("<tr>") == 4
    assert "failed: <bdi>r1: judge c0-&gt;a1: no answer</bdi>" in html
    assert all(
        words in html for words in (told.partition(", judged")[0], "<bdi>r3</bdi>: ", "0.250", "– not judged")
    )
    assert (len(opened), opened.task, opened.config.version) == (3, "run", 2)
    assert [result.record_id for result in opened.results()] == ["r1", "r2", "r3"]
    with pytest.raises(RunError, match="no such folder"):
        Run.open(tmp_path / "nothing")


def test_atoms(opened):
    atoms = opened.atoms()
    assert list(atoms["record"]) == ["r1", "r1", "r3"]
    assert list(atoms["atom"]) == ["a0", "a1", "a0"]
    assert atoms["p_true"].isna().tolist() == [False, True, False]
    assert atoms["label"].isna().tolist() == [False, True, False]
    assert list(atoms["judged"]) == ["fully", "no", "fully"]
    assert list(atoms["gold"].fillna("-")) == ["S", "NS", "-"]
    assert (atoms["quote"][0], atoms["context"][0], atoms["num_entailing"][0]) == ("so", "c0", 1)
    assert atoms[atoms["p_true"] < 0.5]["record"].tolist() == ["r3"]
    assert atoms["p_true"].mean() == pytest.approx((0.9 + 0.25) / 2)


def test_record_table_matches_the_results(opened):
    records = opened.records().set_index("record")
    assert list(records["status"]) == ["partial", "no_atoms", "ok"]
    assert records["factuality_score"].isna().tolist() == [False, True, False]
    assert list(records["num_failures"]) == [1, 0, 0]
    assert list(records["k"].dropna().unique()) == [1]
    assert records["metadata"]["r1"] == {"variant": "a"}
    assert records["metadata"]["r2"] is None  # of an empty dict, Parquet can't be written


def test_counts_are_whole_numbers_in_every_task(tmp_path):
    verified = verify("It opened in 1930 [1].", contexts=["It opened in 1932."])
    nothing = verified.model_copy(update={"record_id": "none", "verified": None})
    records = Run.open(run_folder(tmp_path / "run", verified, nothing, task="verify")).records()
    counts = [name for name in records if name.startswith("num_")]
    assert {str(records[name].dtype) for name in counts} == {"Int64"}
    assert list(records["num_claims"].isna()) == [False, True]


def test_verdicts_and_no_claims_of_another_task(opened):
    verdicts = opened.verdicts()
    (row,) = verdicts.to_dict("records")
    assert (row["record"], row["premise"], row["claim"], row["label"]) == ("r1", "c0", "a0", "entailment")
    assert row["rests_on"] == []
    p = [row["p_entailment"], row["p_contradiction"], row["p_neutral"]]
    assert p == pytest.approx([row["probability"], 1 - row["probability"], 0.0])
    with pytest.raises(ConfigError, match="a run of `run` has no table 'claims'; it has: atoms, records"):
        opened.claims()


def test_empty_table_keeps_columns_and_types(tmp_path):
    path = run_folder(tmp_path / "run", assessment([]))
    atoms = Run.open(str(path)).atoms()
    assert len(atoms) == 0
    assert str(atoms["p_true"].dtype) == "Float64"


def test_without_pandas_the_extra_is_named(tmp_path):
    path = run_folder(tmp_path / "run", assessment([0.9]))
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from factreasoner import Run\n"
        f"run = Run.open({str(path)!r})\n"
        "try: run.atoms()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "MissingExtraError" in done.stdout
    assert ".[frames]" in done.stdout
