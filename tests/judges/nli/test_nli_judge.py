import random

import numpy as np
import pytest
from tiny_classifiers import WORDS, overlap, overlap_label, pooled, save

from factreasoner import assess
from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.judges.nli import NLIJudge
from factreasoner.judges.nli.predictions import predicted
from factreasoner.llm.cache import ResponseCache
from factreasoner.models import Claim, Context, Premise
from factreasoner.text.sentences import Span

BORN = "Marie Curie was born in Warsaw."
FILLING = [
    "The bridge is old and large.",
    "A bird flows out of the tree.",
    "She studied physics, not chemistry?",
]


def nli(folder, **settings):
    return Config(judge="nli", nli_model=str(folder), **settings)


@pytest.fixture
def folder(tmp_path):
    return save(tmp_path / "model", overlap())


def verdicts(judge, text, *claims):
    judged = judge.judge(Premise("c", text), [Claim(str(n), claim) for n, claim in enumerate(claims)])
    assert judged.failures == ()
    return judged.verdicts


def test_passages_that_fit_are_judged_whole_as_the_model_does(folder):
    draw = random.Random(1)
    words = ["marie", "curie", "was", "born", "in", "warsaw", "not", "paris", "the", "bird"]
    texts = ["bird " + " ".join(draw.choices(words, k=draw.randint(1, 12))) for _ in range(40)]
    judge, said = NLIJudge(nli(folder)), set()
    for premise in texts[:10]:
        found = verdicts(judge, premise, *texts)
        for verdict, claim in zip(found, texts, strict=True):
            assert verdict.label == overlap_label(premise, claim)
            assert verdict.quote == (None if verdict.label == "neutral" else premise)
        said |= {verdict.label for verdict in found}
    assert said == {"entailment", "neutral", "contradiction"}


@pytest.mark.parametrize("place", [0, 7, 30, 59])
def test_the_sentence_that_decides_is_found_in_a_long_passage_and_quoted(folder, place):
    sentences = [FILLING[n % 3] for n in range(60)]
    sentences[place] = BORN
    entailed, denied, silent = verdicts(
        NLIJudge(nli(folder)),
        " ".join(sentences),
        "Curie was born in Warsaw.",
        "Curie was not born in Warsaw.",
        "Lena.",
    )
    assert (entailed.label, silent.label) == ("entailment", "neutral")
    assert BORN in entailed.quote
    assert len(entailed.quote) < 300
    assert entailed.citation == "found"
    assert silent.quote is None
    assert denied.label == overlap_label(denied.quote, "Curie was not born in Warsaw.")


def test_verdicts_hang_on_the_pair_alone(folder):
    passage = " ".join([*FILLING * 12, BORN])
    claims = [
        "Curie was born in Warsaw.",
        "The bridge is large.",
        "a " * 30,
        "Peru.",
        "The bridge is old. " * 3,
    ]
    judge = NLIJudge(nli(folder))
    together = {v.target_id: v for v in verdicts(judge, passage, *claims)}
    for n, claim in enumerate(claims):
        (by_itself,) = judge.judge(Premise("c", passage), [Claim(str(n), claim)]).verdicts
        assert by_itself == together[str(n)]


def test_a_model_of_two_labels_never_contradicts(tmp_path):
    folder = save(tmp_path, pooled(outputs=2), labels=("entailment", "not_entailment"))
    found = verdicts(NLIJudge(nli(folder)), BORN, *(f"{word} {word}" for word in WORDS))
    assert {verdict.label for verdict in found} == {"entailment", "neutral"}


def test_a_claim_that_leaves_no_room_is_a_failure_and_the_others_are_judged(folder):
    passage = " ".join([*FILLING * 5, BORN])
    judged = NLIJudge(nli(folder)).judge(
        Premise("c", passage), [Claim("long", "tree " * 60), Claim("a", BORN)]
    )
    assert [verdict.target_id for verdict in judged.verdicts] == ["a"]
    (failure,) = judged.failures
    assert (failure.item_id, failure.error_type) == ("c->long", "ClaimTooLong")
    assert "too long for 63 tokens" in failure.message


def test_outputs_that_are_no_numbers_are_failures(folder, monkeypatch):
    judge = NLIJudge(nli(folder))
    real = judge.classifier.probabilities

    def spoilt(pairs):
        found = real(pairs)
        found[0, 1] = np.nan
        return found

    monkeypatch.setattr(judge.classifier, "probabilities", spoilt)
    judged = judge.judge(Premise("c", BORN), [Claim("a", BORN), Claim("b", BORN)])
    assert [failure.error_type for failure in judged.failures] == ["NotFinite"]
    assert [verdict.target_id for verdict in judged.verdicts] == ["b"]


def test_a_graph_that_fails_is_a_failure_a_claim(tmp_path):
    """Positions beyond its table: the model's settings promise more than it has."""
    folder = save(tmp_path, pooled(positions=20), max_position_embeddings=60)
    judged = NLIJudge(nli(folder)).judge(Premise("c", "a " * 30), [Claim("a", BORN), Claim("b", BORN)])
    assert judged.verdicts == ()
    assert [failure.item_id for failure in judged.failures] == ["c->a", "c->b"]
    assert all("Gather" in failure.message for failure in judged.failures)


def test_no_claims_no_verdicts(folder):
    assert NLIJudge(nli(folder)).judge(Premise("c", BORN), []) == ((), ())


class TestPredictions:
    LABELS = ("contradiction", "neutral", "entailment")
    SPANS = (Span(0, 1), Span(1, 2), Span(2, 3))

    def read(self, *rows, labels=LABELS):
        return predicted(np.array(rows), labels, self.SPANS[: len(rows)])

    def test_the_surest_telling_window_decides(self):
        rows = [[0.0, 0.99, 0.01], [0.1, 0.2, 0.7], [0.1, 0.0, 0.9]]
        assert self.read(*rows) == ("entailment", 0.9, Span(2, 3))
        assert self.read(*rows[:2]) == ("entailment", 0.7, Span(1, 2))
        assert self.read([0.8, 0.1, 0.1], rows[1]) == ("contradiction", 0.8, Span(0, 1))

    def test_a_tie_is_a_contradiction_and_an_undecided_window_neutral(self):
        assert self.read([0.1, 0.2, 0.7], [0.7, 0.2, 0.1]).label == "contradiction"
        assert self.read([0.1, 0.45, 0.45]).label == "neutral"
        assert self.read([0.45, 0.1, 0.45]).label == "contradiction"

    def test_silence_is_as_sure_as_its_least_sure_window(self):
        assert self.read([0.0, 0.99, 0.01], [0.2, 0.5, 0.3]) == ("neutral", 0.5, Span(1, 2))

    def test_outputs_of_one_meaning_add_up(self):
        found = self.read([0.3, 0.3, 0.4], labels=("neutral", "neutral", "entailment"))
        assert found == ("neutral", 0.6, Span(0, 1))


class TestTheCache:
    def test_what_was_judged_is_not_judged_again(self, folder, tmp_path, monkeypatch):
        cache = ResponseCache(tmp_path)
        claims = ["Curie was born in Warsaw.", "Curie was not born in Warsaw.", "Lena."]
        first = verdicts(NLIJudge(nli(folder), cache), BORN, *claims)
        judge = NLIJudge(nli(folder), cache)
        asked = []
        real = judge.classifier.probabilities
        monkeypatch.setattr(
            judge.classifier, "probabilities", lambda pairs: asked.append(len(pairs)) or real(pairs)
        )
        assert verdicts(judge, BORN, *claims) == first
        verdicts(judge, BORN, *claims, "Peru.")
        assert asked == [0, 1]
        cache.close()

    def test_another_model_window_or_meaning_of_outputs_is_another_key(self, folder, tmp_path):
        cache = ResponseCache(tmp_path)
        passage = " ".join([*FILLING, BORN])
        verdicts(NLIJudge(nli(folder), cache), passage, BORN)
        other = save(tmp_path / "other", pooled())
        turned = nli(folder, nli_labels="entailment,contradiction,neutral")
        for config in (nli(other), nli(folder, nli_window=40), turned):
            assert verdicts(NLIJudge(config, cache), passage, BORN) == verdicts(
                NLIJudge(config), passage, BORN
            )
        cache.close()


@pytest.mark.parametrize("version", [2, 3])
def test_assess_by_each_version(folder, version, tmp_path):
    passages = (BORN, "The city is in Peru.", "Marie Curie was not born in Warsaw, she was born in Paris.")
    found = assess(
        "Marie Curie was born in Warsaw. The city is not in Peru. The Lena flows out of a lake.",
        contexts=[Context(id=f"c{n}", text=text) for n, text in enumerate(passages)],
        judge="nli",
        nli_model=str(folder),
        version=version,
        spacy_model="none",
        cache_dir=str(tmp_path / "cache"),
    )
    outcome = found.outcome
    assert found.status == "ok"
    texts = {atom.id: atom.text for atom in found.atoms} | {c.id: c.text for c in found.contexts}
    assert len(outcome.verdicts) == (9 if version < 3 else 15)
    for verdict in outcome.verdicts:
        assert verdict.label == overlap_label(texts[verdict.context_id], texts[verdict.target_id])
        assert verdict.confidence == "model"
    assert outcome.support["a1"] == "contradicted"
    assert outcome.support["a2"] == "unverified"


def test_settings_that_do_not_go_together(folder):
    with pytest.raises(ValueError, match="'nli' needs a classifier"):
        Config(judge="nli")
    with pytest.raises(ValueError, match="judge 'auto' does not read it: add --judge nli"):
        Config(nli_model="x")
    with pytest.raises(ConfigError, match=r"audit_share: .* nli judge"):
        assess("A lake.", contexts=["A lake."], judge="nli", nli_model=str(folder), audit_share=0.5)
