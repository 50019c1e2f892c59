"""Runs side by side: what judging is taken to cost where its calls were not made."""

import pytest
from assessments import assessment
from run_folders import run_folder

from factreasoner import rag, recall
from factreasoner.analysis.comparison import ComparisonSettings, compare_runs, named_runs
from factreasoner.analysis.evaluation import modes_content
from factreasoner.errors import ConfigError
from factreasoner.models import Context, Usage
from factreasoner.pipeline.config import Config
from factreasoner.report.comparison_tables import ALIKE, explanation, mode_notes, mode_rows
from factreasoner.runs.finished import FinishedRun, record_of
from factreasoner.runs.plan import plan
from factreasoner.tasks.task import task_named


def test_cached_calls_are_estimated_for_judging_alone(tmp_path):
    passages = tuple(Context(id=f"c{i}", text=f"Passage {i}.", atom_ids=("a0", "a1")) for i in range(2))
    usage = {"evaluator": Usage(calls=1, cached_calls=1), "coherence": Usage(calls=9, cached_calls=9)}
    found = assessment([0.9, 0.2], contexts=passages, usage=usage)
    plain = Config(model="openai/gpt-4o-mini", version=1)
    (judging,) = plan([record_of(found)], plain).stages
    settings = {"plain": {}, "more": {"coherence": True, "summarizer": "llm"}}
    for name, fields in settings.items():
        run_folder(tmp_path / name, found, config=plain.model_copy(update=fields))
    content = compare_runs(named_runs([tmp_path / name for name in settings]))
    for run in content["runs"].values():
        assert run["scores"]["calls"]["value"] == 2
        assert run["scores"]["tokens"]["value"] == judging.prompt_tokens + judging.completion_tokens > 0


def test_settings_difference_names_missing_credibility_table(tmp_path):
    for name, table in (("a", None), ("b", tmp_path / "t.csv")):
        run_folder(tmp_path / name, assessment([0.9]), config=Config(credibility=table))
    found = compare_runs(named_runs([tmp_path / "a", tmp_path / "b"]))["differing_settings"]
    assert found == {"credibility": {"a": "none", "b": str(tmp_path / "t.csv")}}


def test_interval_without_differing_records_is_explained(tmp_path):
    for name, p in (("a", 0.2), ("b", 0.3), ("c", 0.9)):
        run_folder(tmp_path / name, *(assessment([p, 0.9], record_id=f"r{i}") for i in range(3)))
    compared = (compare_runs(named_runs([tmp_path / "a", tmp_path / name])) for name in "bc")
    assert [ALIKE in explanation(content) for content in compared] == [True, False]


def test_gold_file_is_refused_for_other_task(tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        '{"record": "r1", "atom": "a0", "label": "S"}\n{"record": "r1", "atom": "a9", "label": "S"}\n'
    )
    settings = ComparisonSettings(gold=gold)
    paths = [run_folder(tmp_path / name, assessment([0.9, 0.2])) for name in "ab"]
    notes = compare_runs(named_runs(paths), settings=settings)["notes"]
    assert f"a: {gold}: 1 of 2 labels are used; 1 of other atoms" in notes
    facts = recall("It opened.", facts=["It opened."]).model_copy(update={"record_id": "r1"})
    paths = [run_folder(tmp_path / name, facts, task="recall") for name in "cd"]
    with pytest.raises(ConfigError, match="gold: it holds labels of atoms, and these are runs of `recall`"):
        compare_runs(named_runs(paths), settings=settings)


def test_modes_with_different_fact_counts_are_reported(tmp_path):
    facts = [{"text": "It opened.", "label": True}, {"text": "It closed.", "label": False}]
    whole = recall("It opened.", facts=facts).model_copy(update={"record_id": "r1", "topic": "opening"})
    less = recall("It opened.", facts=facts[:1]).model_copy(
        update={"record_id": "r1", "usage": {"evaluator": Usage(calls=1, cached_calls=2)}}
    )
    run_folder(tmp_path / "tf", whole, task="recall")
    run_folder(tmp_path / "tfn", less, task="recall", finished=False)
    runs = {name: FinishedRun(tmp_path / name, task_named("recall")) for name in ("tf", "tfn")}
    content = modes_content(runs, "topic")
    assert mode_rows(content)[3] == ["tfn", "-", "-", "-", "0.0", "0.000", "-", "3", "~0", "~$0.0000"]
    notes = list(mode_notes(content))
    assert runs["tfn"].unfinished in notes
    assert "tfn: 2 calls were cached; their tokens and cost are not counted" in notes
    assert notes[-1] == "the modes were asked about different numbers of facts: tf 2, tfn 1"


def test_scores_are_paired_over_shared_records(tmp_path):
    same = assessment([0.2, 0.9], gold="-S", record_id="r1")
    for name, p in (("a", None), ("b", 0.2)):
        run_folder(tmp_path / name, assessment([0.9, p], gold="-S", record_id="r0"), same)
    found = compare_runs(named_runs([tmp_path / "a", tmp_path / "b"]))["differences"]
    assert [one["value"] for one in found if one["score"] == "mae_precision"] == [0.0]


def test_rag_runs_are_scored_with_one_k(tmp_path):
    found = rag("It opened.", contexts=["It opened.", "It rained."], gold_contexts=["c0"], id="r1")
    runs = [run_folder(tmp_path / str(k), found, task="rag", config=Config(k=k)) for k in (1, 2)]
    for k, value in ((None, 1.0), (2, 0.5)):
        scored = compare_runs(named_runs(runs), settings=ComparisonSettings(k=k))["runs"].values()
        assert [run["scores"]["retrieval_precision"]["value"] for run in scored] == [value, value]
