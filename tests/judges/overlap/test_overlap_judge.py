"""The embedded judge, which compares words: what it says of pairs, of odd texts and of other languages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import DATA

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.judges.overlap import OverlapJudge
from factreasoner.metrics.claim_scores import AreaUnderROC
from factreasoner.metrics.samples import Claims
from factreasoner.models import Atom, Claim, Context, Premise, Record
from factreasoner.solvers.exact import ExactSolver

ACTOR = (
    "Doug Sheehan (born April 27, 1949) is an American actor. He played Ben Gibson on Knots Landing from "
    "1983 to 1987. He has three sons and lives in Oregon. The house is 5 miles from the sea, and it is not "
    "for sale."
)
LANGUAGES = [
    json.loads(line)
    for line in Path(__file__).with_name("other_languages.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def judge():
    return OverlapJudge()


def verdict(judge, passage, claim, *others, question=""):
    (found,) = judge.judge(Premise("c", passage, others, question=question), [Claim("a", claim)]).verdicts
    return found


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("He played Ben Gibson on Knots Landing from 1983 to 1987.", ACTOR),
        ("The old bridge was opened in 1932.", "The old bridge was opened in 1932 by the mayor."),
        ("Crows live in the old tower.", "Crows live in the old tower of the mill."),
        # Three in five of its neighbouring words are in its order.
        ("Anna Lisle painted boats in Oslo harbour.", "In Oslo harbour she painted boats, Anna Lisle wrote."),
    ],
)
def test_what_the_passage_says_is_entailed_with_its_sentence_as_quote(judge, claim, passage):
    found = verdict(judge, passage, claim)
    assert found.label == "entailment"
    assert found.probability > 0.7
    assert found.belief > 0.7
    assert found.quote
    assert found.quote in passage
    assert (found.citation, found.confidence) == ("found", "words")


def test_a_sentence_that_begins_with_the_claim_entails_it_in_any_company(judge):
    claims = ["Marie Curie was born in Warsaw.", *(f"Crow {n} saw nine blue towers." for n in range(8))]
    asked = [Claim(str(n), claim) for n, claim in enumerate(claims)]
    first, *others = judge.judge(Premise("c", "Marie Curie was born in Warsaw in 1867."), asked).verdicts
    assert first.label == "entailment"
    assert {other.label for other in others} == {"neutral"}


@pytest.mark.parametrize(
    ("differs", "claim", "passage"),
    [
        ("year", "Marie Curie was born in Warsaw in 1876.", "Marie Curie was born in Warsaw in 1867."),
        ("year", "The bridge was opened in 1947.", "The bridge was opened in 1932 by the mayor."),
        ("month", "The bridge was opened on 4 May 1932.", "The bridge was opened on 4 June 1932."),
        ("day", "The bridge was opened on 5 May 1932.", "The bridge was opened on 4 May 1932."),
        ("decade", "The bridge was built in the 1940s.", "The bridge was built in 1932."),
        ("century", "The bridge was built in the 19th century.", "The bridge was built in 1932."),
        ("count", "The bridge has four arches.", "The bridge has three arches of stone."),
        ("volume", "It holds 83 million cubic metres.", "It holds 38 million cubic metres."),
        ("unit", "The tower is 220 feet high.", "The tower is 220 metres high."),
        ("converted", "The tower is 1,500 feet high.", "The tower is 324 metres high."),
        ("amount", "It killed 2 million people in China.", "It killed 2.9 million people in China."),
        ("dose", "The tablet holds 1 mg of the drug.", "The tablet holds 0.5 mg of the drug."),
        ("speed", "It runs 100 kilometres per hour.", "It runs 100 miles per hour."),
        ("range", "The tablet works for 12 hours.", "The tablet works for four to six hours."),
        ("share", "Olive oil makes up 25 percent of sales.", "Olive oil makes up 52% of sales."),
        ("rank", "Anna was the second child of a baker.", "Anna was the third child of a baker."),
        ("negation", "The house is not for sale in Oregon.", "The house is for sale in Oregon."),
        ("its absence", "The house is for sale in Oregon.", "The house is not for sale in Oregon."),
        (
            "wording",
            "It is 503 metres long.",
            "With a length of 530 metres the Harlen Bridge is the longest.",
        ),
        (
            "sentence",
            "The Apsley Tower is 45 metres high.",
            "The Apsley Tower was built in 1932. It is 38 metres high.",
        ),
    ],
)
def test_one_thing_otherwise_where_the_rest_is_said_is_a_contradiction(judge, differs, claim, passage):
    found = verdict(judge, passage, claim)
    assert found.label == "contradiction", differs
    assert found.quote in passage
    assert found.belief <= 0.5


AGREEING_OR_SILENT = [
    ("Paris has 2 million people.", "Paris is the capital of France."),
    ("Rome is the capital of France.", "Paris is the capital of France."),
    ("The bridge was opened in 1932.", "The bridge was closed in 1991 and sold for scrap."),
    ("The bridge was built in the 1930s.", "The bridge was built in 1932."),
    ("The bridge was built in 1932.", "The bridge was built in the 1930s."),
    ("More than 20 people died.", "About 30 people died."),
    ("The lake covers 31,700 square kilometres.", "The lake covers 31 700 km² of the plateau."),
    ("Everest is 8,849 metres high.", "Everest is 8,848.86 metres high."),
    ("The castle dates from the 13th century.", "The castle dates from the 1200s."),
    ("The ship carried some 2,200 people.", "The ship carried 2,224 people."),
    ("The player is 1.80 m tall.", "The player is 5 ft 11 in tall."),
    ("USB-C has 16 pins.", "The plug has 8 pins. It is smaller than USB-C."),
    ("The walk takes 12 days.", "The walk takes between 10 and 15 days."),
    ("The tower is 1,063 feet high.", "The tower is 324 metres high."),
    ("About 300 people came.", "In the end 298 people came."),
    ("The city has 1.81 million people.", "The city has 1,808,581 people."),
    ("Saturn has 146 known moons.", "Jupiter has 95 known moons, and Saturn has 146."),
    ("The mill closed in 1931.", "The mill opened in 1931."),
    ("The drug may be toxic to cats.", "The drug is not toxic to cats."),
    ("Drugs are toxic.", "Some drugs are not toxic."),
    ("The mill did not open in 1931.", "The mill opened in 1932."),
    ("Is the house for sale in Oregon?", "The house is not for sale in Oregon."),
    ("The trial had 500 patients.", "The trial had 300 patients from Oslo and 200 patients from Bergen."),
    ("The fire at Lisle started in 1881.", "Anna Lisle was born in 1902."),
]
HEDGED_OR_NEGATED = [
    ("COVID-19 causes loss of smell.", "COVID-19 may cause loss of smell."),
    ("Adults over 65 receive the vaccine.", "Adults over 65 may receive the vaccine."),
    ("The marathon course is 42.195 km long.", "The marathon course is 41.185 km long."),
    ("The studio cost €20 million in all.", "The studio cost €25 million in all."),
    ("The drug lowers blood pressure in adults.", "The drug may lower blood pressure in adults."),
    ("All of the houses on Pell Street burned.", "Some of the houses on Pell Street burned."),
    ("The town of Grell had a wall of stone.", "The town of Grell never had a wall of stone."),
    ("Crows live in the old tower.", "Crows lived in the old tower until they were shot."),
    ("The house is for sale in Oregon.", "The house is hardly for sale in Oregon."),
    (
        "WhatsApp acquired Facebook in 2014 for $19 billion.",
        "Facebook acquired WhatsApp in 2014 for $19 billion.",
    ),
    ("The Oslo hospital treated the king for malaria.", "The Oslo hospital treated the king for cholera."),
    ("It is French.", "The French army lost."),
    # Two in four are.
    ("Anna Lisle painted Oslo harbour.", "At the harbour they painted Oslo with Anna Lisle."),
    ("The Harlen Bridge is 503 metres long.", "It is false that the Harlen Bridge is 503 metres long."),
]


@pytest.mark.parametrize(
    ("pair", "never"),
    [
        *((pair, "contradiction") for pair in AGREEING_OR_SILENT),
        *((pair, "entailment") for pair in HEDGED_OR_NEGATED),
    ],
)
def test_what_agrees_or_is_silent_contradicts_nothing_and_what_is_hedged_entails_nothing(judge, pair, never):
    claim, passage = pair
    assert verdict(judge, passage, claim).label != never


def test_may_with_a_day_is_a_month_and_no_hedge(judge):
    assert (
        verdict(judge, "The bridge opened on 4 May 1932.", "The bridge opened in 1932.").label == "entailment"
    )


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Symphony 5 was first played in 1808.", "Symphony No. 5 was first played in 1808."),
        ("Paper No 12 came out in Leeds.", "Paper 12 came out in Leeds."),
        ("The report doesn't name countries.", "The report does not name countries."),
        ("The US army left Leeds.", "In 1946 the US army left Leeds."),
    ],
)
def test_the_short_form_of_number_and_of_not_changes_nothing(judge, claim, passage):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("The match ended 1-1.", "The match ended 1-0.", "neutral"),
        ("The match ended 1-1.", "The match ended 1-1.", "entailment"),
        ("Team A scored 3 and team B scored 3.", "Team A scored 3 and team B scored 1.", "neutral"),
        ("The 2012 Games were held in London in 2012.", "The 2012 Games were held in London.", "entailment"),
    ],
)
def test_a_figure_is_there_as_often_as_the_claim_has_it_and_a_year_once(judge, claim, passage, label):
    assert verdict(judge, passage, claim).label == label


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The town has a 24-hour pharmacy.", "The town has no 24-hour pharmacy."),
        ("5 star hotels are in Lindby.", "No 5 star hotels are in Lindby."),
        ("5 people were hurt.", "Answer: no, 5 people were hurt."),
    ],
)
def test_no_before_a_number_denies(judge, claim, passage):
    assert verdict(judge, passage, claim).label == "contradiction"


@pytest.mark.parametrize("named", ["in May 1932", "by Will Smith in 1932", "by the WHO in 1932"])
def test_a_function_word_that_is_a_name_has_to_be_there(judge, named):
    assert verdict(judge, "It was opened by Smith in 1932.", f"It was opened {named}.").label == "neutral"


def test_a_passive_turns_subject_and_object_round(judge):
    passage = "WhatsApp was acquired by Facebook in 2014 for $19 billion."
    claim = "Facebook acquired WhatsApp in 2014 for $19 billion."
    assert verdict(judge, passage, claim).label == "entailment"


def test_a_number_that_fits_is_believed_more_than_none_and_none_more_than_another(judge):
    passage = "The old bridge was opened in 1932 by the mayor."
    said, silent, denied = (
        verdict(judge, passage, f"The old bridge was opened {rest}.").belief
        for rest in ("in 1932", "by a famous singer", "in 1947")
    )
    assert denied < silent < said


def test_of_several_passages_the_nearest_one_is_believed(judge):
    claim = "He played Ben Gibson on Knots Landing from 1983 to 1987."
    weaker = "Knots Landing was a television series in which many actors played."
    near, far = verdict(judge, ACTOR, claim, weaker), verdict(judge, weaker, claim, ACTOR)
    assert near.nearness > far.nearness
    assert near.belief > 0.5 > far.belief


def test_of_a_claim_counts_what_it_adds_to_the_question(judge):
    passage = "Ferries to the island run in winter, since the harbour is free of ice."
    claim, question = "Ferries to the island run on batteries.", "Do ferries to the island run in winter?"
    asked = verdict(judge, passage, claim, question=question)
    assert asked.belief < verdict(judge, passage, claim).belief


def test_another_passage_as_a_claim_gets_no_belief(judge):
    first = "The old bridge was opened in 1932 by the mayor."
    second = "The bridge carries two lanes and a footpath across the river."
    assert verdict(judge, first, second, second).belief is None


@pytest.mark.parametrize("case", LANGUAGES, ids=lambda case: f"{case['language']}: {case['claim']}")
def test_a_negation_in_another_language_never_entails(judge, case):
    found = verdict(judge, case["premise"], case["claim"])
    assert (found.label == "entailment") is case["entailed"]


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Wieża w Krakowie nie jest wysoka.", "Wieża w Krakowie jest wysoka."),
        ("Menara Jakarta tidak tinggi.", "Menara Jakarta tinggi."),
        ("Kule Ankara kadar uzun degil.", "Kule Ankara kadar uzun."),
        ("Москва не стоит на реке Волге.", "Москва стоит на реке Волге."),
        ("東京は日本の首都ではない。", "東京は日本の首都です。"),
    ],
)
def test_what_negates_in_a_language_without_a_list_does_not_entail_either(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "neutral"
    assert verdict(judge, claim, claim).label == "entailment"


@pytest.mark.parametrize(
    ("claim", "passage", "note"),
    [
        (
            "Die Brücke wurde 1932 von der Stadt eröffnet und ist nicht mehr in Betrieb.",
            "The old bridge was opened in 1932 by the mayor of the town, and it is still in use today.",
            "atom in German, passage in English: not compared",
        ),
        (
            "The bridge is old.",
            "Столица России - Москва. Она стоит на реке.",
            "atom in Latin, passage in Cyrillic: not compared",
        ),
        (
            "La tour est haute de 330 mètres.",
            "The tower is in Paris, and it was built in 1889 for the fair.",
            "atom in French, passage in English: not compared",
        ),
    ],
)
def test_another_language_than_the_passages_is_not_compared_and_that_is_said(judge, claim, passage, note):
    english = Claim("e", passage)
    found, own = judge.judge(Premise("c", passage), [Claim("a", claim), english]).verdicts
    assert (found.label, found.belief, found.quote, found.note) == ("neutral", None, None, note)
    assert (own.label, own.note) == ("entailment", "")


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("1932", "Столица России - Москва."),
        ("Vicente de la Cruz wrote novels.", "He was a writer, and his novels are still read."),
        ("La La Land won six Oscars.", "The film has won six of the Oscars it was nominated for."),
    ],
)
def test_a_language_is_another_only_where_both_are_known(judge, claim, passage):
    assert verdict(judge, passage, claim).note == ""


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("東京は日本の首都です。人口は多いです。", "東京は日本の首都です。", "大阪は古い港町です。"),
        ("居里夫人1867年出生于华沙，后来在巴黎大学工作。", "居里夫人出生于华沙。", "牛顿喜欢吃苹果。"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "กรุงเทพเป็นเมืองหลวงของไทย", "แมวชอบกินปลา"),
    ],
)
def test_scripts_without_blanks_are_compared_by_pairs_of_characters(judge, passage, true, false):
    assert verdict(judge, passage, true).belief > 0.6
    assert (verdict(judge, passage, false).belief or 0.0) < 0.5


@pytest.mark.parametrize(
    "passage", ["", "...", "\ufffd", "1,2.3,4", "⅛ ², ٣", "9" * 400, "a" * 5000, "\u0301"]
)
@pytest.mark.parametrize("claim", ["", "—", "He lives in Oregon.", "3.1.4,15", "⅛"])
def test_odd_texts_get_a_verdict(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert 0 <= found.probability <= 1
    assert found.quote is None or found.quote in passage


SOME = [
    *("The", "bridge", "was", "not", "opened", "in", "1932", "5"),
    *("miles", ",", ".", "three", "%", "$", "May"),
]
WORDS = st.lists(st.sampled_from(SOME), max_size=14).map(" ".join)
TEXTS = st.one_of(st.text(max_size=60), WORDS)


@settings(max_examples=40, deadline=None)
@given(passage=TEXTS, other=TEXTS, claims=st.lists(TEXTS, min_size=1, max_size=5), question=TEXTS)
def test_any_texts_get_verdicts_that_no_order_changes(passage, other, claims, question):
    asked = [Claim(str(n), text) for n, text in enumerate(claims)]
    premise = Premise("c", passage, (other, "Third."), question=question)
    found = OverlapJudge().judge(premise, asked)
    assert [one.target_id for one in found.verdicts] == [claim.id for claim in asked]
    assert not found.failures
    for one in found.verdicts:
        assert (one.label == "neutral") == (one.quote is None)
        assert one.quote is None or one.quote in passage
    turned = premise._replace(others=("Third.", other))
    assert OverlapJudge().judge(turned, asked[::-1]).verdicts == found.verdicts[::-1]


def test_no_learning_library_is_imported_at_run_time():
    code = (
        "import sys, factreasoner.judges.overlap as e; e.OverlapJudge();"
        "print([m for m in ('sklearn', 'scipy', 'litellm', 'pgmpy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.skipif(not (DATA / "factscore_bios").is_dir(), reason="the public data is not here")
def test_biographies_are_told_apart_through_the_graph(judge):
    # the shipped parameters have seen these; the benchmark prints what unseen data sets get
    evaluator = GraphEvaluator(judge, ExactSolver())
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
    assert right / len(gold) > 0.78
