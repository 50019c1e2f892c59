"""The embedded judge: what it says of handmade pairs, odd texts and labelled atoms."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.evaluators.graph import GraphEvaluator
from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.judges.embedded.clashes import CLASHES
from factreasoner.judges.embedded.features import FEATURES, MEASURES
from factreasoner.judges.embedded.model import STANCE_MEASURES, PairModel, shipped_model
from factreasoner.metrics.auroc import AreaUnderROC
from factreasoner.metrics.reliability import CalibrationError
from factreasoner.metrics.samples import Claims
from factreasoner.models import Atom, Claim, Context, Premise, Record
from factreasoner.solvers.exact import ExactSolver
from factreasoner.tasks.verdicts import p_borne_out

ACTOR = (
    "Doug Sheehan (born April 27, 1949) is an American actor. He played Ben Gibson on Knots Landing from "
    "1983 to 1987. He has three sons and lives in Oregon. The house is 5 miles from the sea, and it is not "
    "for sale."
)
DATA = Path(os.environ.get("FACTREASONER_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@pytest.fixture(scope="module")
def judge():
    return EmbeddedJudge()


def verdict(judge, passage, claim, *others):
    (found,) = judge.judge(Premise("c", passage, others), [Claim("a", claim)]).verdicts
    return found


@pytest.mark.parametrize(
    "claim",
    [
        "Doug Sheehan is an American actor.",
        "Doug Sheehan was born on April 27, 1949.",
        "He played Ben Gibson on Knots Landing from 1983 to 1987.",
        "The house is five miles from the sea.",
        "The house is not for sale.",
    ],
)
def test_what_the_passage_says_is_entailed_with_its_sentence_as_quote(judge, claim):
    found = verdict(judge, ACTOR, claim)
    assert found.label == "entailment"
    assert found.probability > 0.7
    assert found.quote in ACTOR
    assert (found.citation, found.confidence) == ("found", "model")


@pytest.mark.parametrize(
    ("clash", "claim"),
    [
        ("year", "Doug Sheehan was born on April 27, 1950."),
        ("day", "Doug Sheehan was born on April 28, 1949."),
        ("month", "Doug Sheehan was born on May 27, 1949."),
        ("count", "He has four sons and lives in Oregon."),
        ("unit", "The house is 5 kilometres from the sea."),
        ("negation of what is said", "Doug Sheehan is not an American actor."),
        ("saying of what is negated", "The house is for sale."),
        ("antonym", "Doug Sheehan is an American actress."),
    ],
)
def test_a_clash_in_a_sentence_that_says_the_rest_is_a_contradiction(judge, clash, claim):
    found = verdict(judge, ACTOR, claim)
    assert found.label == "contradiction", clash
    assert found.quote in ACTOR


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The bridge was built in the 1940s.", "The bridge was built in 1932."),
        ("The bridge was built in 1932.", "The bridge was built in the 1940s."),
        ("The bridge was built in the 19th century.", "The bridge was built in the 20th century."),
    ],
)
def test_times_that_can_not_be_one_are_a_contradiction(judge, claim, passage):
    assert verdict(judge, passage, claim).label == "contradiction"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The bridge was built in the 1930s.", "The bridge was built in 1932."),
        ("The bridge was built in the 20th century.", "The bridge was built in 1932."),
    ],
)
def test_a_time_within_the_claims_own_speaks_for_it(judge, claim, passage):
    there = verdict(judge, passage, claim)
    elsewhere = verdict(judge, passage.replace("1932", "1732"), claim)
    assert there.belief > 0.5 > elsewhere.belief


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Paris has 2 million people.", "Paris is the capital of France."),
        ("Doug Sheehan was born in Kansas.", ACTOR),
        ("Doug Sheehan married twice.", ACTOR),
        ("He played Ricky Lancaster on Knots Landing from 1983 to 1987.", ACTOR),
        ("Rome is the capital of France.", "Paris is the capital of France."),
        ("More than 20 people died.", "About 30 people died."),
        ("The bill passed.", "The bill was not only passed but also signed."),
        ("The bridge was opened in 1932.", "The bridge was closed in 1991 and sold for scrap."),
        ("It may have a lock.", "It may or may not have a lock."),
        ("The bridge was built in the 1930s.", "The bridge was built in 1932."),
        ("The bridge was built in 1932.", "The bridge was built in the 1930s."),
        ("The bridge was built in the 19th century.", "The bridge was built in 1832."),
        ("The hill is 8,848 metres high.", "The hill is 8,848.86 metres high."),
        ("The hill is 8,848.9 metres high.", "The hill is 8,848.86 metres high."),
        (
            "Paracetamol was first made in the 19th century.",
            "It was first made by Harmon Morse in the 1870s, but hardly noticed until the 20th century.",
        ),
        (
            "Marie Curie married Pierre Curie in 1895.",
            "Marie and Pierre Curie announced it in July 1898, and named it after Poland.",
        ),
        (
            "The phone is the best-selling one of all time.",
            "No wonder the phone is the best-selling one of all time.",
        ),
    ],
)
def test_silence_and_what_only_looks_like_a_clash_are_no_contradiction(judge, claim, passage):
    assert verdict(judge, passage, claim).label != "contradiction"


@pytest.mark.parametrize("height", ["8,850", "8,848.5", "8,848.861"])
def test_a_figure_that_is_no_less_exact_one_is_another(judge, height):
    passage = "The hill is 8,848.86 metres high."
    assert verdict(judge, passage, f"The hill is {height} metres high.").label == "contradiction"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Ada Lovelace was born in London.", "Ada Lovelace was born in England, in London."),
        ("Paris is the capital of France.", "Lyon is a city. Paris is the capital of France."),
        ("Apple was founded by Steve Jobs.", "Steve Jobs founded Apple in 1976."),
    ],
)
def test_other_names_beside_the_claims_own_do_not_hinder(judge, claim, passage):
    assert verdict(judge, passage, claim).label == "entailment"


def test_a_clash_weighs_more_than_silence_and_silence_more_than_a_word_for_word_match(judge):
    said, silent, denied = (
        verdict(judge, "The old bridge was opened in 1932 by the mayor.", claim).belief
        for claim in (
            "The old bridge was opened in 1932.",
            "The old bridge was opened by a famous singer.",
            "The old bridge was opened in 1947.",
        )
    )
    assert denied < silent < said


@pytest.mark.parametrize(
    ("passage", "claim", "alike"),
    [
        ("Adults take the drug twice a day with water.", "Adults take the drug once a day with water.", True),
        (
            "Adults take the drug twice a day with water.",
            "Adults take the drug twice a day with water.",
            False,
        ),
        ("The guild meets five times a year in Ghent.", "The guild meets three times a year in Ghent.", True),
        ("The jar holds half a litre of oil.", "The jar holds a litre of oil.", True),
        ("The jar holds a litre of oil.", "The jar holds half a litre of oil.", True),
        ("Half a litre of oil is in the jar.", "A litre of oil is in the jar.", True),
        (
            "The shop sells a litre of oil for 3 dollars a day.",
            "The shop sells a litre of oil for 3 dollars.",
            False,
        ),
        (
            "The show ran for 10 years on the radio and was renewed by Smith.",
            "The show was renewed a year later by Smith.",
            False,
        ),
        ("The show ran for 10 years and was renewed by Smith.", "The show ran for 5 years.", True),
        ("Urea is made in the liver, and the kidneys excrete it.", "Urea is made in the kidneys.", True),
        ("Urea is made in the liver, the gut, and the kidneys.", "Urea is made in the kidneys.", False),
        (
            "Jo Roe (1744–1828), a Frisian amateur astronomer who built a clock; Al Poe, a Dutch botanist.",
            "Jo Roe was a Dutch amateur astronomer.",
            False,
        ),
        (
            "Track listing Ada Roe Live Blue Sky Red Moon Oslo Tour 2019 World Tour Blue Sky 2018",
            "Blue Sky is a song of the Oslo Tour.",
            False,
        ),
    ],
)
def test_amounts_and_other_clauses_tell_look_alikes_and_lists_do_not(judge, passage, claim, alike):
    found = verdict(judge, passage, claim)
    assert (found.belief < 0.5) is alike
    assert not (alike and found.label == "entailment")


WHY = "Why does over-parameterization lead to improved initialization of deep neural networks?"
BECAUSE = (
    "Over-parameterization improves the initialization of deep neural networks, since weights stay close to "
    "where they began."
)


def test_of_a_claim_counts_what_it_adds_to_the_question(judge):
    wrong = "Over-parameterization leads to improved initialization of networks by well-posed equations."
    answering = "In over-parameterized networks weights stay close to where they began."

    def belief(claim, question):
        asked = Premise("c", BECAUSE, question=question)
        return p_borne_out(judge.judge(asked, [Claim("a", claim)]).verdicts[0])

    assert belief(wrong, "") > 0.6
    assert belief(wrong, WHY) < 0.5
    assert belief(answering, WHY) > 0.8
    # a prompt that brings material along is no mere question
    assert belief(wrong, f"{'Here is some material. ' * 50}{WHY}") == belief(wrong, "")


@pytest.mark.parametrize("claim", ["It does.", "It does not.", "He did it.", "with", "Once"])
def test_a_claim_of_function_words_is_borne_out_by_itself_alone(judge, claim):
    passage = "Agree with means to share an opinion. It does not rain, and he did it once."
    found = verdict(judge, passage, claim)
    assert (found.label, found.belief, found.quote) == ("neutral", None, None)
    assert verdict(judge, claim, claim).label == "entailment"
    assert verdict(judge, f"It rained. {claim.rstrip('.')}.", claim).label == "entailment"


def test_what_the_question_says_already_counts_where_a_claim_says_nothing_else(judge):
    premise = Premise("c", "Yes, ferries run in winter.", question="Do ferries run in winter?")
    same, other = judge.judge(
        premise, [Claim("a", "Ferries run in winter."), Claim("b", "Ferries run in winter on Sundays.")]
    ).verdicts
    assert same.label == "entailment"
    assert p_borne_out(other) < 0.5


def test_what_denies_a_claim_is_no_reason_to_believe_it(judge):
    passage = "The northern trail is short. The southern trail is long and steep all the way to the pass."
    found = verdict(judge, passage, "The southern trail is short and steep all the way to the pass.")
    assert found.label == "contradiction"
    assert found.belief <= 0.5


LOOK_ALIKES = [
    json.loads(line)
    for line in Path(__file__).with_name("look_alikes.jsonl").read_text(encoding="utf-8").splitlines()
]
LARGEST_SHARE_ENTAILED = 0.05
LARGEST_SHARE_BELIEVED = 0.35


def test_what_has_the_claims_words_and_says_another_thing_seldom_entails_it(judge):
    """The share of the half looked at while building; the benchmark prints that of the other half, too."""
    alike = [case for case in LOOK_ALIKES if case["half"] == "built" and not case["entailed"]]
    slipped = [
        case["claim"]
        for case in alike
        if verdict(judge, case["passage"], case["claim"]).label == "entailment"
    ]
    assert len(slipped) <= LARGEST_SHARE_ENTAILED * len(alike), slipped


def test_what_has_the_claims_words_and_says_another_thing_is_not_believed_either(judge):
    cases = [case for case in LOOK_ALIKES if case["half"] == "built"]
    believed = [(verdict(judge, case["passage"], case["claim"]).belief > 0.5, case) for case in cases]
    slipped = [case["claim"] for above, case in believed if above and not case["entailed"]]
    alike = sum(not case["entailed"] for case in cases)
    assert len(slipped) <= LARGEST_SHARE_BELIEVED * alike, slipped
    assert [case["claim"] for above, case in believed if case["entailed"] and not above] == []


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The Apsley Tower is 45 metres high.", "The Apsley Tower was built in 1932. It is 38 metres high."),
        (
            "The Apsley Tower is 45 metres high.",
            "The Apsley Tower was built in 1932. The tower is 38 metres high.",
        ),
        ("Anna Sokolova was born in 1902.", "Anna Sokolova was a pianist. She was born in 1892 in Odessa."),
    ],
)
def test_a_sentence_that_goes_on_with_the_claims_subject_can_deny_it(judge, claim, passage):
    found = verdict(judge, passage, claim)
    assert found.label == "contradiction"
    assert found.quote == passage.partition(". ")[2]


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Anna Sokolova was born in 1902.", "Anna Sokolova was a pianist. Her brother was born in 1892."),
        ("The Apsley Tower is 45 metres high.", "Near the Apsley Tower is a mill. It is 38 metres high."),
        ("The mill closed in 1931.", "The mill opened in 1931."),
        ("Saturn has 146 known moons.", "Jupiter has 95 known moons, and Saturn has 146."),
        ("Three judges dissented.", "Three of the nine judges dissented."),
    ],
)
def test_what_a_sentence_says_of_another_thing_or_event_denies_nothing(judge, claim, passage):
    assert verdict(judge, passage, claim).label != "contradiction"


def test_most_of_what_is_said_in_other_words_stays_entailed(judge):
    true = [case for case in LOOK_ALIKES if case["half"] == "built" and case["entailed"]]
    kept = [verdict(judge, case["passage"], case["claim"]).label == "entailment" for case in true]
    assert sum(kept) >= 0.85 * len(true)


@pytest.mark.parametrize(
    "passage",
    [
        "Whisk the eggs with sugar until pale, then fold in the flour.",
        "Photosynthesis turns light into chemical energy in green plants.",
    ],
)
def test_a_passage_about_something_else_is_neutral_and_quotes_nothing(judge, passage):
    found = verdict(judge, passage, "Doug Sheehan was married twice.")
    assert (found.label, found.quote, found.citation) == ("neutral", None, None)


def test_the_passage_that_covers_a_claim_best_is_the_nearest(judge):
    claim = "He played Ben Gibson on Knots Landing from 1983 to 1987."
    weaker = "Knots Landing was a television series in which many actors played."
    near, far = verdict(judge, ACTOR, claim, weaker), verdict(judge, weaker, claim, ACTOR)
    assert (near.label, far.label) == ("entailment", "neutral")
    assert near.nearness > far.nearness
    assert near.belief > 0.5 > far.belief


def test_passages_that_contradict_each_other_both_speak(judge):
    first = "The old bridge was opened in 1932 by the mayor."
    second = "The old bridge was opened in 1947 by the mayor."
    claim = "The old bridge was opened in 1932."
    assert verdict(judge, first, claim, second).label == "entailment"
    assert verdict(judge, second, claim, first).label == "contradiction"


def test_another_passage_as_a_claim_gets_no_belief(judge):
    first = "The old bridge was opened in 1932 by the mayor."
    second = "The bridge carries two lanes and a footpath across the river."
    found = verdict(judge, first, second, second)
    assert (found.label, found.belief) == ("neutral", None)


def test_silence_makes_an_atom_unverified_with_its_nearest_passages_belief():
    record = Record(id="r", response="Paris is in Peru. It has 2 million people.")
    atoms = [Atom(id="a0", text="Paris is in Peru."), Atom(id="a1", text="Paris has 2 million people.")]
    contexts = [Context(id="c0", text="Paris is the capital of France.")]
    outcome = GraphEvaluator(EmbeddedJudge(), ExactSolver()).evaluate(atoms, contexts, record)
    assert set(outcome.support.values()) == {"unverified"}
    assert outcome.graph.relations == ()
    for verdict_ in outcome.verdicts:
        assert outcome.p_true[verdict_.target_id] == pytest.approx(verdict_.belief)


@pytest.mark.parametrize(
    ("claims", "passage", "note"),
    [
        (
            ["Die Brücke wurde 1932 von der Stadt eröffnet und ist nicht mehr in Betrieb."],
            "The old bridge was opened in 1932 by the mayor of the town, and it is still in use today.",
            "atom in German, passage in English: not compared",
        ),
        (
            ["The bridge is old."],
            "Столица России - Москва. Она стоит на реке.",
            "atom in Latin, passage in Cyrillic: not compared",
        ),
        (
            ["The capital is Tokyo."],
            "東京は日本の首都です。人口は多いです。",
            "atom in Latin, passage in Chinese or Japanese: not compared",
        ),
        (
            ["La tour a été construite en 1889.", "La tour se trouve à Paris et son nom est connu."],
            "The tower is in Paris, and it was built in 1889 for the fair.",
            "atom in French, passage in English: not compared",
        ),
        (
            ["La tour mesure 330 mètres."],
            "The tower is in Paris, and it was built in 1889 for the fair.",
            "atom not in English, passage in English: not compared",
        ),
    ],
)
def test_other_languages_than_the_passages_are_not_compared_and_that_is_said(judge, claims, passage, note):
    for claim in claims:
        found = verdict(judge, passage, claim)
        assert (found.label, found.belief, found.quote, found.note) == ("neutral", None, None, note)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Doug Sheehan.", "Doug Sheehan ist ein Schauspieler."),
        ("", "The bridge is old."),
        ("1932", "Столица России - Москва."),
        ("Vicente de la Cruz wrote novels.", "He was a writer, and his novels are still read."),
        ("La La Land won six Oscars.", "The film has won six of the Oscars it was nominated for."),
        ("Crème brûlée contains eggs.", "The eggs are beaten, and the cream is added to them."),
    ],
)
def test_a_language_is_another_only_where_both_are_known(judge, claim, passage):
    assert verdict(judge, passage, claim).note == ""


def test_each_claim_is_of_its_own_script_and_language(judge):
    japanese, latin = (
        Claim("a", "東京は日本の首都です。"),
        Claim("b", "The year 2020 was won by all of them."),
    )
    found = judge.judge(Premise("c", "東京は日本の首都です。"), [japanese, latin]).verdicts
    assert (found[0].label, found[0].note) == ("entailment", "")
    assert found[1].note == "atom in Latin, passage in Chinese or Japanese: not compared"

    french = [
        Claim(str(n), f"La tour se trouve à Paris et son nom est connu de {n} personnes.") for n in range(4)
    ]
    found = judge.judge(Premise("c", ACTOR), [*french, Claim("e", "The house is not for sale.")]).verdicts
    assert {verdict.note for verdict in found[:-1]} == {"atom in French, passage in English: not compared"}
    assert (found[-1].label, found[-1].note) == ("entailment", "")


def test_one_claim_in_another_language_leaves_the_others_their_verdicts(judge):
    claims = [Claim("a", "The house is not for sale."), Claim("b", "La maison se trouve près de la mer.")]
    english, french = judge.judge(Premise("c", ACTOR), claims).verdicts
    assert (english.label, english.note) == ("entailment", "")
    assert (french.label, french.belief) == ("neutral", None)
    assert french.note.endswith("not compared")


def test_every_claim_has_a_verdict_in_order(judge):
    claims = [
        Claim(str(n), text) for n, text in enumerate(["He lives in Oregon.", "", "?", "He lives in Oregon."])
    ]
    judged = judge.judge(Premise("c7", ACTOR), claims)
    assert [(v.context_id, v.target_id) for v in judged.verdicts] == [("c7", claim.id) for claim in claims]
    assert not judged.failures
    assert judge.judge(Premise("c7", ACTOR), []).verdicts == ()


@pytest.mark.parametrize("passage", ["", " \n", "...", "?!", "—", "\ufffd", "1,2.3,4", "a" * 5000, "\u0301"])
@pytest.mark.parametrize("claim", ["", "—", "He lives in Oregon.", "3.1.4,15"])
def test_odd_texts_get_a_verdict(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert 0 <= found.probability <= 1
    assert found.quote is None or found.quote in passage


@pytest.mark.parametrize(
    ("passage", "true", "unrelated"),
    [
        (
            "Die Brücke wurde 1932 vom Bürgermeister eröffnet und ist nicht für Lastwagen gesperrt.",
            "Die Brücke wurde 1932 eröffnet.",
            "Katzen schlafen gern.",
        ),
        (
            "Le pont fut inauguré en 1932 par le maire de la ville, qui en avait posé la première pierre.",
            "Le pont fut inauguré en 1932.",
            "Les chats dorment beaucoup.",
        ),
        ("Столица России - Москва. Она стоит на реке.", "Столица России - Москва.", "Кошки спят."),
    ],
)
def test_other_languages(judge, passage, true, unrelated):
    found = verdict(judge, passage, true)
    assert (found.label, found.quote in passage) == ("entailment", True)
    assert verdict(judge, passage, unrelated).label == "neutral"


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("東京は日本の首都です。人口は多いです。", "東京は日本の首都です。", "大阪は古い港町です。"),
        ("居里夫人1867年出生于华沙，后来在巴黎大学工作。", "居里夫人出生于华沙。", "牛顿喜欢吃苹果。"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "กรุงเทพเป็นเมืองหลวงของไทย", "แมวชอบกินปลา"),
    ],
)
def test_scripts_without_blanks_are_compared_by_pairs_of_characters(judge, passage, true, false):
    assert verdict(judge, passage, true).belief > 0.7
    other = verdict(judge, passage, false)
    assert other.label == "neutral"
    assert other.belief is None or other.belief < 0.5


@settings(max_examples=60, deadline=None)
@given(passage=st.text(max_size=120), claim=st.text(max_size=60), other=st.text(max_size=60))
def test_any_text_gets_a_verdict_whose_quote_is_verbatim(passage, claim, other):
    found = verdict(EmbeddedJudge(), passage, claim, other)
    assert found.quote is None or found.quote in passage
    assert (found.label == "neutral") == (found.quote is None)


def test_the_same_pair_gets_the_same_verdict_from_any_judge_in_any_order(judge):
    claims = [Claim("a", "He lives in Oregon."), Claim("b", "Doug Sheehan was born in 1950.")]
    others = ("Oregon is a state.", "Sheehan acted on television.")
    first = judge.judge(Premise("c", ACTOR, others), claims)
    second = EmbeddedJudge().judge(Premise("c", ACTOR, others[::-1]), claims)
    assert first == second
    backwards = judge.judge(Premise("c", ACTOR, others), claims[::-1])
    assert backwards.verdicts[::-1] == first.verdicts


def test_the_shipped_parameters_are_what_the_model_reads():
    model = shipped_model()
    assert PairModel.of(json.loads(json.dumps(model.parameters()))).parameters() == model.parameters()
    assert set(model.parameters()["weights"]) == set(MEASURES)
    assert set(model.parameters()["clash_powers"]) == set(CLASHES)
    assert set(model.parameters()["stance"]["weights"]) == set(STANCE_MEASURES)
    assert len(model.background) > 500


def test_both_heads_give_probabilities():
    values = np.random.default_rng(0).uniform(0, 2, size=(200, len(FEATURES)))
    values[:, -len(CLASHES) :] /= 2
    for found in (shipped_model().belief(values), shipped_model().entailment(values)):
        assert found.shape == (200,)
        assert 0 <= found.min() <= found.max() <= 1


def test_no_learning_library_is_imported_at_run_time():
    code = (
        "import sys, factreasoner.judges.embedded as e; e.EmbeddedJudge();"
        "print([m for m in ('sklearn', 'scipy', 'litellm', 'pgmpy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.skipif(not (DATA / "factscore_bios").is_dir(), reason="the public data is not here")
def test_biographies_are_told_apart_through_the_graph():
    # the shipped parameters have seen these; the benchmark prints what unseen data sets get
    evaluator = GraphEvaluator(EmbeddedJudge(), ExactSolver())
    p_true, gold = [], []
    for line in (DATA / "factscore_bios" / "records.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        atoms = [Atom(id=a["id"], text=a["text"], gold=a["label"]) for a in row["atoms"]]
        contexts = [Context(id=c["id"], text=c["text"]) for c in row["contexts"]]
        outcome = evaluator.evaluate(atoms, contexts, Record(id=row["id"], response=row["output"]))
        p_true += [outcome.p_true[atom.id] for atom in atoms if atom.gold]
        gold += [int(atom.gold == "S") for atom in atoms if atom.gold]
    right = sum((p > 0.5) == bool(label) for p, label in zip(p_true, gold, strict=True))
    assert AreaUnderROC(Claims.of(p_true, gold)).value > 0.86
    assert right / len(gold) > 0.8
    assert CalibrationError(Claims.of(p_true, gold)).value < 0.16


@pytest.mark.parametrize("year", ["", " in 1987"])
def test_the_marker_of_a_list_item_is_no_sentence_and_ends_nothing(judge, year):
    passage = "To update the tool:\n1. Run the installer.\n2. Restart the machine.\n3. Pay the yearly fee."
    found = verdict(judge, passage, f"To update the tool{year}, run the installer and restart the machine.")
    assert found.label == "neutral" or not year
