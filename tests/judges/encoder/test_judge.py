import random
import sys
from itertools import pairwise

import numpy as np
import pytest
from tiny_classifiers import WORDS, byte_tokenizer, overlap, overlap_label, pooled, save

from factreasoner.calls.cache import ReplyCache
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.judges.encoder.decision import decide_claim
from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config
from factreasoner.text.sentences import Span

BORN = "Marie Curie was born in Warsaw."
FILLING = [
    "The bridge is old and large.",
    "A bird flows out of the tree.",
    "She studied physics, not chemistry?",
]
ROBERTA = {"made": byte_tokenizer(), "pad_token_id": 1, "max_position_embeddings": None}


def nli(folder, **settings):
    return Config(**{"judge": "verifier", "verifier": "nli", "verifier_model": str(folder)} | settings)


@pytest.fixture
def folder(tmp_path):
    return save(tmp_path / "model", overlap())


@pytest.fixture
def scored(monkeypatch):
    """What each judge has its runtime score, as lists of texts."""

    def watch(judge):
        calls, real = [], judge.runtime.scores
        monkeypatch.setattr(judge.runtime, "scores", lambda asked: calls.append(list(asked)) or real(asked))
        return calls

    return watch


@pytest.fixture
def family(tmp_path, scored):
    """A judge of that family with a model of random weights, and what its runtime scores."""

    def made(verifier, outputs):
        folder = save(tmp_path, pooled(parts=False, outputs=outputs, positions=600), **ROBERTA)
        judge = VerifierJudge(nli(folder, verifier=verifier))
        return judge, scored(judge)

    return made


def verdicts(judge, text, *claims):
    judged = judge.judge(Premise("c", text), [Claim(str(n), claim) for n, claim in enumerate(claims)])
    assert judged.failures == ()
    return judged.verdicts


def test_fitting_passages_are_judged_whole(folder):
    draw = random.Random(1)
    words = ["marie", "curie", "was", "born", "in", "warsaw", "not", "paris", "the", "bird"]
    texts = ["bird " + " ".join(draw.choices(words, k=draw.randint(1, 12))) for _ in range(40)]
    judge, said = VerifierJudge(nli(folder)), set()
    for premise in texts[:10]:
        found = verdicts(judge, premise, *texts)
        for verdict, claim in zip(found, texts, strict=True):
            assert verdict.label == overlap_label(premise, claim)
            assert verdict.quote == (None if verdict.label == "neutral" else premise)
        said |= {verdict.label for verdict in found}
    assert said == {"entailment", "neutral", "contradiction"}


@pytest.mark.parametrize("place", [0, 7, 30, 59])
def test_deciding_sentence_is_quoted_from_long_passage(folder, place):
    sentences = [FILLING[n % 3] for n in range(60)]
    sentences[place] = BORN
    claims = ("Curie was born in Warsaw.", "Curie was not born in Warsaw.", "Lena.")
    entailed, denied, silent = verdicts(VerifierJudge(nli(folder)), " ".join(sentences), *claims)
    assert (entailed.label, silent.label) == ("entailment", "neutral")
    assert BORN in entailed.quote
    assert len(entailed.quote) < 300
    assert entailed.citation == "found"
    assert silent.quote is None
    assert denied.label == overlap_label(denied.quote, "Curie was not born in Warsaw.")


@pytest.mark.parametrize("cached", [False, True])
def test_no_pair_is_scored_twice(folder, tmp_path, scored, cached):
    cache = ReplyCache(tmp_path) if cached else None
    judge = VerifierJudge(nli(folder), cache)
    calls = scored(judge)
    first = verdicts(judge, BORN, "Curie was not born in Warsaw.", "Lena.", "Lena.")
    again = VerifierJudge(nli(folder), cache) if cache else judge
    assert verdicts(again, BORN, "Curie was not born in Warsaw.", "Lena.", "Lena.") == first
    verdicts(again, BORN, "Lena.", "Peru.")
    assert [len(call) for call in calls] == [2, 0, 1]
    if cache:
        cache.close()


def test_cache_key_depends_on_model_and_outputs(folder, tmp_path):
    cache = ReplyCache(tmp_path)
    passage = " ".join([*FILLING, BORN])
    verdicts(VerifierJudge(nli(folder), cache), passage, BORN)
    other = save(tmp_path / "other", pooled())
    changes = {
        "turned": 'max_tokens = 512\nlabels = { 0 = "entailment", 1 = "contradiction", 2 = "neutral" }',
        "narrow": "max_tokens = 40",
        "strict": "max_tokens = 512\nthreshold = 0.99",
    }
    for name, change in changes.items():
        (tmp_path / f"{name}.toml").write_text(f'input = "pair"\nhead = "sequence"\n{change}\n')
    own = [nli(folder, verifier=str(tmp_path / f"{name}.toml")) for name in changes]
    for config in (nli(other), *own):
        alone = verdicts(VerifierJudge(config), passage, BORN)
        assert verdicts(VerifierJudge(config, cache), passage, BORN) == alone
    cache.close()


def test_family_chunks_match_its_model(family):
    judge, calls = family("minicheck-roberta", 2)
    passage = "\n".join([f"Bird {n} flows out of the tree." for n in range(150)])
    verdicts(judge, passage, "Lena.")
    (asked,) = calls
    assert len(asked) > 2
    parts = [texts.first.removesuffix("</s>Lena.") for texts in asked]
    assert "\n".join(parts) == passage
    counts = [len(judge.runtime.starts(part)) for part in parts]
    assert all(count <= 400 for count in counts)
    joined = [len(judge.runtime.starts(f"{one}\n{other.splitlines()[0]}")) for one, other in pairwise(parts)]
    assert all(count > 390 for count in joined)


def test_oversized_chunk_is_read_in_windows(family):
    """One sentence of more tokens than the model takes: the reference code would cut the claim off."""
    judge, calls = family("minicheck-roberta", 2)
    verdicts(judge, "the lake " * 400, "Lena.")
    assert all(texts.first.endswith("</s>Lena.") for texts in calls[0])
    assert len(calls[0]) > 1


def test_alignscore_averages_over_claim_sentences(family):
    judge, calls = family("alignscore", 3)
    (verdict,) = verdicts(judge, BORN, "Marie was born. She studied physics.")
    assert [texts.second for texts in calls[0]] == ["Marie was born.", "She studied physics."]
    rows = np.array([judge.runtime.scores([texts])[0][0] for texts in calls[0]])
    entailed, contradicted = rows[:, 0].mean(), rows[:, 2].max()
    expected = {"entailment": entailed, "contradiction": contradicted}.get(
        verdict.label, max(0.0, 1 - entailed - contradicted)
    )
    assert verdict.probability == pytest.approx(expected, abs=1e-6)


def test_overlong_claim_fails_alone(folder, tmp_path):
    passage = " ".join([*FILLING * 5, BORN])
    judged = VerifierJudge(nli(folder)).judge(
        Premise("c", passage), [Claim("long", "tree " * 60), Claim("a", BORN)]
    )
    assert [verdict.target_id for verdict in judged.verdicts] == ["a"]
    (failure,) = judged.failures
    assert (failure.item_id, failure.error_type) == ("c->long", "ClaimTooLong")
    assert "too long for 63 tokens" in failure.message
    wider = save(tmp_path / "wider", pooled(positions=201), max_position_embeddings=200)
    judged = VerifierJudge(nli(wider)).judge(Premise("c", passage * 3), [Claim("long", "tree " * 150)])
    assert [failure.error_type for failure in judged.failures] == ["ClaimTooLong"]  # 29 tokens would be left


def test_failing_graph_fails_each_claim(tmp_path):
    """Positions beyond its table: the model's settings promise more than it has."""
    folder = save(tmp_path, pooled(positions=20), max_position_embeddings=60)
    judged = VerifierJudge(nli(folder)).judge(Premise("c", "a " * 30), [Claim("a", BORN), Claim("b", BORN)])
    assert judged.verdicts == ()
    assert [failure.item_id for failure in judged.failures] == ["c->a", "c->b"]
    assert all("Gather" in failure.message for failure in judged.failures)


def test_missing_hub_client_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"\.\[verifiers\]"):
        VerifierJudge(nli("acme/none"))


def test_settings_that_do_not_go_together(folder):
    with pytest.raises(ConfigError, match="verifier_model: needs a verifier"):
        Config(judge="verifier", verifier_model="x")
    with pytest.raises(ConfigError, match="judge 'llm' uses no verifier; add `judge='verifier'`"):
        Config(model="m", verifier="factcg")
    with pytest.raises(ConfigError, match=r"'factcg' needs its model: .*`verifier_url=URL`"):
        VerifierJudge(Config(judge="verifier", verifier="factcg"))


def test_two_label_verifier_never_contradicts(folder, tmp_path):
    """So that `calibrate` can fit either."""
    (verdict,) = verdicts(VerifierJudge(nli(folder)), BORN, "Curie was not born in Warsaw.")
    assert sum(verdict.label_probabilities.values()) == pytest.approx(1.0)
    assert verdict.label_probabilities["False"] == pytest.approx(verdict.probability)
    two = save(tmp_path / "two", pooled(outputs=2), labels=("entailment", "not_entailment"))
    found = verdicts(VerifierJudge(nli(two)), BORN, *(f"{word} {word}" for word in WORDS))
    assert {verdict.label for verdict in found} == {"entailment", "neutral"}
    for verdict in found:
        assert verdict.p[("entailment", "contradiction", "neutral").index(verdict.label)] > 0.5
        assert verdict.p == pytest.approx((verdict.p.entailment, 0.0, 1 - verdict.p.entailment))


THREE = ("contradiction", "neutral", "entailment")
SILENT, LIKELY = [0.0, 0.99, 0.01], [0.1, 0.2, 0.7]
FIRST, SECOND = [[0.0, 0.1, 0.9], [0.0, 0.8, 0.2]], [[0.1, 0.8, 0.1], [0.0, 0.3, 0.7]]
YES_NO, NO_YES = ("entailment", "neutral"), ("neutral", "entailment")
ONE, OTHER = [[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.8, 0.2]]


@pytest.mark.parametrize(
    ("parts", "given", "label", "p", "chunk"),
    [
        # the surest chunk that entails or contradicts decides; at a tie it contradicts
        ([[SILENT, LIKELY, [0.1, 0.0, 0.9]]], {}, "entailment", 0.9, 2),
        ([[SILENT, LIKELY]], {}, "entailment", 0.7, 1),
        ([[[0.8, 0.1, 0.1], LIKELY]], {}, "contradiction", 0.8, 0),
        ([[LIKELY, [0.7, 0.2, 0.1]]], {}, "contradiction", 0.7, 1),
        # what is not above the threshold is neutral
        ([[[0.1, 0.4, 0.5]]], {}, "neutral", 0.4, 0),
        ([[[0.45, 0.1, 0.45]]], {}, "neutral", 0.1, 0),
        ([[[0.0, 0.2, 0.8]]], {"threshold": 0.9}, "neutral", 0.2, 0),
        ([[SILENT, [0.2, 0.5, 0.3]]], {}, "neutral", 0.5, 1),
        # supported or not: never contradicted
        ([[[0.999, 0.001]]], {"labels": NO_YES}, "neutral", 0.999, 0),
        ([[[0.4, 0.6], [0.1, 0.9]]], {"labels": NO_YES}, "entailment", 0.9, 1),
        # the mean of a claim's sentences, each at its best chunk
        ([FIRST, SECOND], {}, "entailment", 0.8, 0),
        ([FIRST, [[0.0, 1.0, 0.0], [0.7, 0.2, 0.1]]], {}, "contradiction", 0.7, 1),
        # a token is supported by any chunk, the claim by its worst token
        ([[ONE]], {"labels": YES_NO}, "neutral", 0.8, 0),
        ([[ONE, OTHER]], {"labels": YES_NO}, "entailment", 0.8, 1),
        # outputs of one meaning add up
        ([[[0.3, 0.3, 0.4]]], {"labels": ("neutral", *NO_YES)}, "neutral", 0.6, 0),
    ],
)
def test_decision_combines_parts_and_chunks(parts, given, label, p, chunk):
    """Each part is a list of chunks, each chunk one row, or a list of rows, one a token."""
    scores = [[np.atleast_2d(np.array(chunk, dtype=float)) for chunk in part] for part in parts]
    spans = [Span(n, n + 1) for n in range(len(parts[0]))]
    found = decide_claim(scores, **{"labels": THREE, "spans": spans, "threshold": 0.5} | given)
    assert found[:3] == (label, pytest.approx(p), spans[chunk])
