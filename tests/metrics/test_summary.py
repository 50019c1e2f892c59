"""Result lines and the summary of a run: fields, sums, means, and null where nothing is known."""

import json
import tracemalloc

import pytest
from assessments import NOTHING, REVISER, TIMEOUT, assessment, counted_once, full

from factreasoner.metrics.factuality import resolve_k, scored_record
from factreasoner.metrics.summary import Summary, evidence_fields, result_line
from factreasoner.models import Context, Marginals, Pruned, Usage, Verdict, factuality


def summarised(*assessments, k="median"):
    counts = [len(made.p_true) for made in assessments]
    summary = Summary(k, resolve_k(k, counts))
    for made in assessments:
        summary.add(made)
    return summary


def test_supported_and_contradicted_atom_counts_as_disputed():
    def said(atom, label):
        return Verdict(context_id="c0", target_id=atom, label=label, probability=0.9)

    made = assessment(
        [0.8, 0.9, 0.7, 0.2],
        contexts=(Context(id="c0", text="t"),),
        outcome={
            "verdicts": (
                said("a0", "neutral"),
                said("a1", "entailment"),  # entailed, and contradicted too
                said("a1", "contradiction"),
                said("a2", "neutral"),  # by its prior
                said("a3", "neutral"),  # not supported
            )
        },
    )
    atoms = summarised(made).content()["atoms"]
    assert (atoms["supported"], atoms["disputed"]) == (3, 1)


def test_summary():
    gibbs = Marginals(probabilities={}, solver="gibbs", exact=False, converged=False, width=31, stderr=0.004)
    summary = summarised(
        full(),
        assessment(
            [0.9, 0.8, 0.6, 0.1, 0.2],
            gold="SSSNN",
            outcome={"marginals": gibbs},
            record_id="r2",
            status="partial",
        ),
        assessment([], record_id="r3"),
        assessment([], record_id="r4", status="failed", failures=(REVISER,)),
    )
    content = json.loads(json.dumps(summary.content(), allow_nan=False))
    assert content["records"] == {"total": 4, "ok": 0, "partial": 2, "no_atoms": 1, "failed": 1}
    assert (content["k_setting"], content["k"]) == ("median", 5)
    assert content["metrics"]["factuality_score"]["value"] == pytest.approx((1 / 3 + 3 / 5) / 2)
    assert content["metrics"]["recall_k"]["value"] == pytest.approx((1 / 5 + 3 / 5) / 2)
    low, high = content["metrics"]["factuality_score"]["interval_95"]
    assert (low, high) == pytest.approx((0.0, 1.0), abs=1e-3)  # of two records nearly everything is possible
    assert content["atoms"] == {
        "judged": 8,
        "supported": 4,
        "contradicted": 3,
        "conflicting": 1,
        "unverified": 0,
        "disputed": 0,
        "unjudged": 1,
        "partly_judged": 1,
    }
    assert content["verdicts"] == {"entailment": 1, "contradiction": 1, "neutral": 1}
    assert content["confidences"] == {"constant": 2, "logprobs": 1}
    assert content["citations"] == {"found": 1}
    assert content["failures"] == {
        "total": 3,
        "by_stage": {"reviser": 2, "judge": 1},
        "first": {"no call": "bio-1 a1", "60 s": "bio-1 c0->a2"},
        "messages": {"no call": 2, "60 s": 1},
    }
    assert content["solver"] == {
        "records": {"exact": 1, "gibbs": 1},
        "exact": 1,
        "approximate": 1,
        "converged": False,
        "not_converged": 1,
        "largest_width": 31,
        "largest_stderr": 0.004,
    }
    assert content["usage"]["total"]["calls"] == 3
    assert content["usage"]["by_stage"]["atomizer"]["cost"] == 0.25
    assert content["seconds"] == {
        "total": 4.0,
        "by_stage": {"atomizer": 1.0, "evaluator": 3.0, "solver": 0.5},
    }
    gold = content["gold"]
    assert (gold["num_records"], gold["num_atoms"], gold["num_left_out"]) == (2, 7, 1)
    assert gold["confusion"] == {
        "true_positive": 4,
        "true_negative": 2,
        "false_positive": 0,
        "false_negative": 1,
    }
    assert content["metrics"]["mae_precision"]["value"] == pytest.approx((0.5 + 0.0) / 2)
    assert content["metrics"]["auroc"]["value"] == 1.0


def test_largest_width_and_error_are_kept():
    told = ((31, 0.004), (12, 0.02), (None, None))
    found = (Marginals(probabilities={}, solver="gibbs", exact=False, width=w, stderr=e) for w, e in told)
    solved = summarised(*(assessment([0.9], outcome={"marginals": one}) for one in found)).content()["solver"]
    assert (solved["largest_width"], solved["largest_stderr"]) == (31, 0.02)


def test_summary_of_nothing():
    content = summarised().content()
    assert content["records"]["total"] == 0
    assert (content["k"], content["gold"]) == (None, None)
    assert content["metrics"]["precision"]["value"] is None
    assert set(content["atoms"].values()) == {0}
    assert content["usage"]["total"] == Usage().model_dump()


def test_half_k_differs_by_record():
    short, long = assessment([0.9]), assessment([0.9] * 9)
    summary = summarised(short, long, k="half")
    assert [summary.add(item)["k"] for item in (short, long)] == [1, 4]
    assert summary.content()["k"] is None
    assert summary.content()["metrics"]["recall_k"]["value"] == 1.0


def test_summary_holds_little_of_a_record():
    made = assessment([0.9, 0.2, 0.7] * 5, gold="SNS" * 5)
    summary = Summary(15, 15)
    held = []
    tracemalloc.start()
    for _ in range(3):
        for _ in range(100):
            summary.add(made)
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[2] - held[1] < 100 * 1000


def test_evidence_adds_up():
    found = summarised(
        NOTHING,
        counted_once(("c1", "c2"), ("c3", "c4"), left_out=3),
        counted_once(left_out=0),
        assessment([0.9]),
    ).content()
    expected = {
        "contexts": 4,
        "credibility": None,
        "pruned": None,
        "without_contexts": 1,
        "dropped_contexts": 2,
        "unread_pages": 2,
        "searched": {"documents@a1": 2},
        "independence": {"records": 2, "shared_sources": 2, "relations_left_out": 3},
    }
    assert {name: found[name] for name in expected} == expected


def test_pruned_pairs_and_credibility_add_up():
    """Records that have none of these change nothing."""

    def made(pairs, prior_from, *domains):
        outcome = {"pruned": Pruned(pairs=pairs)}
        return assessment([0.9], outcome=outcome | {"prior_from": prior_from, "used_domains": domains})

    first = made(10, {"c0": "table", "c1": "default"}, "b.org")
    second = made(8, {"c0": "record", "c1": "default", "c2": "default"}, "a.org")
    for place, (rated, unrated, pairs) in enumerate([(1, 1, 10), (1, 2, 8)]):
        line = evidence_fields((first, second)[place])
        assert line["credibility"] == {"rated": rated, "unrated": unrated}
        assert line["pruned"]["pairs"] == pairs
    found = summarised(first, assessment([0.9]), second).content()
    assert found["pruned"] == {"pairs": 18}
    assert found["credibility"] == {"rated": 2, "unrated": 3, "used_domains": ["a.org", "b.org"]}


def test_result_line():
    line = result_line(scored_record(full(), 2))
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    assert (line["id"], line["status"], line["model_name"]) == ("bio-1", "partial", "openai/gpt-4o-mini")
    assert (line["input"], line["output"], line["topic"]) == ("Who?", "She.", "Curie")
    assert (line["num_atoms"], line["num_true_atoms"], line["num_false_atoms"], line["k"]) == (3, 1, 2, 2)
    assert line["factuality_score"] == pytest.approx(1 / 3)
    assert line["recall_k"] == 0.5
    assert line["f1_k"] == pytest.approx(0.4)
    assert (line["unjudged_atoms"], line["partly_judged_atoms"]) == (["a2"], ["a1"])
    assert line["marginals"][1] == {"variable": "a1", "probabilities": [0.75, 0.25]}
    assert line["predictions"] == {"a0": "S", "a1": "NS", "a3": "NS"}
    assert line["references"] == {"a0": "S", "a1": "S", "a2": "NS"}
    assert (line["true_positive"], line["false_negative"], line["gold_left_out"]) == (1, 1, 1)
    assert (line["gold_factuality_score"], line["gold_true_atoms"], line["gold_num_atoms"]) == (1.0, 2, 2)
    assert line["avg_brier"] == pytest.approx((0.01 + 0.5625) / 2)
    assert line["solver"] == {
        "name": "exact",
        "exact": True,
        "converged": None,
        "width": None,
        "stderr": None,
    }
    assert line["usage"]["calls"] == 3
    assert line["usage"]["cached_calls"] == 1
    assert (line["usage"]["prompt_tokens"], line["usage"]["completion_tokens"]) == (110, 55)
    assert line["usage"]["cost"] == 0.75
    assert line["metadata"] == {"split": "test"}
    assert line["failures"] == [REVISER.model_dump(), TIMEOUT.model_dump()]  # each once
    assert line["elapsed_seconds"] == 4.0  # of the outermost stages
    assert line["avg_explogprob"] == pytest.approx((0.9 * 0.25 * 0.5) ** (1 / 3))
    assert line["factuality_score_per_atom"][2] == {"a3": {"score": 0.5, "support": "NS"}}


def test_scores_are_those_of_factuality():
    line, scores = result_line(scored_record(full(), 2)), factuality(full(), k=2)._asdict()
    scores["factuality_score"] = scores.pop("precision")
    assert {name: line[name] for name in scores} == scores


def test_no_labels_no_gold_fields():
    labelled, bare = (result_line(scored_record(made, 1)) for made in (full(), assessment([0.9])))
    assert labelled.keys() - bare.keys() >= {"gold_accuracy", "true_positive", "avg_brier", "references"}


@pytest.mark.parametrize(
    "made",
    [assessment([]), assessment([], status="failed", failures=(REVISER,)), assessment([None], gold="S")],
    ids=["no atoms", "failed", "nothing judged"],
)
def test_unknown_values_are_null(made):
    line = result_line(scored_record(made, 5))
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    names = ("factuality_score", "recall_k", "f1_k", "entropy", "avg_entropy", "avg_prob", "avg_logprob")
    assert {line[name] for name in names} == {None}
    assert (line["marginals"], line["predictions"]) == ([], {})
    assert len(line["failures"]) == len(made.failures)


def test_evidence_fields_list_dropped_and_merged_contexts():
    assert evidence_fields(counted_once(("c1", "c2"), left_out=3)) == {
        "dropped_contexts": {"c0": "irrelevant: tea"},
        "unread_pages": {"https://a.example/": "status 503"},
        "searched": ["documents@a1"],
        "independence": True,
        "shared_sources": [["c1", "c2"]],
        "relations_left_out": 3,
    }
