"""Runs side by side: what judging is taken to cost where its calls were not made."""

from assessments import assessment
from run_folders import run_folder

from factreasoner.analysis.comparison import compare_runs, named_runs
from factreasoner.models import Context, Usage
from factreasoner.runs.finished import record_of
from factreasoner.runs.plan import plan
from factreasoner.settings import Config


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
