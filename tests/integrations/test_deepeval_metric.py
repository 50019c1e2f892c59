"""The metric in deepeval's own evaluate() and assert_test()."""

import pytest
from tools import PASSAGES, RIGHT, run_example, scripted, tool

tool("deepeval")

from deepeval import assert_test, evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase, RetrievedContextData

from factreasoner.errors import NoScoreError
from factreasoner.integrations.deepeval_metric import FactReasonerMetric

WRONG = f"{RIGHT} Mark Twain was born in Rome."


def case(answer, contexts=PASSAGES):
    return LLMTestCase(input="When?", actual_output=answer, retrieval_context=contexts)


def test_contexts_may_name_their_source():
    contexts = [RetrievedContextData(context=text, source="notes") for text in PASSAGES]
    metric = FactReasonerMetric()
    assert metric.measure(case(RIGHT, contexts)) == FactReasonerMetric().measure(case(RIGHT)) == 1.0


@pytest.mark.parametrize("in_parallel", [True, False])
def test_cases_pass_fail_and_have_no_score(in_parallel, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = evaluate(
        [case(RIGHT), case(WRONG), case("I don't know.")],
        [FactReasonerMetric(threshold=0.9)],
        async_config=AsyncConfig(run_async=in_parallel),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    found = [test.metrics_data[0] for test in sorted(result.test_results, key=lambda test: test.index)]
    assert [(data.score, data.success) for data in found] == [(1.0, True), (0.5, False), (None, False)]
    assert "unverified: Mark Twain was born in Rome." in found[1].reason
    assert "empty, abstains or makes no claim" in found[2].error


def test_assert_test_names_the_failed_claim(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="Mark Twain was born in Rome"):
        assert_test(case(WRONG), [FactReasonerMetric()], run_async=False)


def test_the_example_runs(capsys):
    run_example("with_deepeval")
    said = capsys.readouterr().out
    assert "unverified: Twain was born in Rome." in said
    assert "no precision; the answer is empty" in said


def test_judgements_that_failed_pass_no_case():
    metric = FactReasonerMetric(**scripted({"fact_0": "True"}))
    assert metric.measure(case(RIGHT, [*PASSAGES, "Another."])) == 1.0
    assert not metric.is_successful()
    assert metric.evaluation_model == "ScriptedLLM"
    with pytest.raises(NoScoreError, match="prose"):
        metric.measure(case(RIGHT))
    assert (metric.score, metric.is_successful()) == (None, False)


def test_lower_is_better_metric_uses_upper_threshold():
    metric = FactReasonerMetric("contradicted", threshold=0.1)
    assert metric.measure(case(RIGHT)) == 0.0
    assert metric.is_successful()
