"""What the embedded judge says of handmade pairs of many kinds: roles, counts, modality, silence."""

import json
from pathlib import Path

import pytest
from judged_pair import verdict

PAIRS = [
    case
    for line in Path(__file__).with_name("stances.jsonl").read_text(encoding="utf-8").splitlines()
    if (case := json.loads(line))["half"] == "built"
]
"""The half that was looked at while building; the benchmark prints what is said of the other half, too."""
LARGEST_SHARE_ENTAILED = 0.06
LEAST_SHARE_BORNE_OUT = 0.85


def said(judge, label, stances, *, but=()):
    """The claims of some stances that the judge labels so, and how many there are."""
    cases = [case for case in PAIRS if case["stance"] in stances and case["kind"] not in but]
    claims = [
        case["claim"] for case in cases if verdict(judge, case["passage"], case["claim"]).label == label
    ]
    return claims, len(cases)


def test_silence_and_what_is_borne_out_is_never_called_contradiction(judge):
    claims, _ = said(judge, "contradiction", ("neutral", "entailment"))
    assert claims == []


def test_what_is_not_borne_out_is_seldom_called_entailed(judge):
    claims, count = said(judge, "entailment", ("not entailed", "contradiction"))
    assert len(claims) <= LARGEST_SHARE_ENTAILED * count, claims
    assert said(judge, "entailment", ("neutral",))[0] == []


def test_what_is_borne_out_in_like_words_is_called_entailed(judge):
    claims, count = said(judge, "entailment", ("entailment",), but=("paraphrase", "count", "date"))
    assert len(claims) >= LEAST_SHARE_BORNE_OUT * count


@pytest.mark.parametrize(
    ("passage", "claim", "label"),
    [
        ("The reserve is home to 298 species.", "The reserve is home to about 300 species.", "entailment"),
        ("The reserve is home to 298 species.", "The reserve is home to about 200 species.", "contradiction"),
        ("The tower is 324 metres tall.", "The tower is over 300 metres tall.", "entailment"),
        ("120 people attended the opening.", "More than 100 people attended the opening.", "entailment"),
        ("120 people attended the opening.", "More than 150 people attended the opening.", "contradiction"),
        ("The frog weighs between 20 and 35 grams.", "The frog weighs 20-35 grams.", "entailment"),
        ("The frog weighs 20 to 35 grams.", "The frog weighs 28 grams.", "neutral"),
        ("The frog weighs 20 to 35 grams.", "The frog weighs 50 to 65 grams.", "contradiction"),
        (
            "Add two teaspoons of salt to the flour.",
            "Add three teaspoons of salt to the flour.",
            "contradiction",
        ),
        (
            "Add two teaspoons of salt to the flour.",
            "Add two tablespoons of salt to the flour.",
            "contradiction",
        ),
        ("The city has 1,808,581 inhabitants.", "The city has 1.81 million inhabitants.", "entailment"),
        ("The city has 1,808,581 inhabitants.", "The city has 1.91 million inhabitants.", "contradiction"),
        ("The firm earned $2,498,000,000.", "The firm earned $2.5 billion.", "entailment"),
        ("The firm earned $2.5 billion.", "The firm earned $2,498,000,000.", "neutral"),
        ("The sale brought 4,118,000,000 dollars.", "The sale brought $4.1 billion.", "entailment"),
        ("The firm earned $2.5 billion.", "The firm earned $2,748,000,000.", "contradiction"),
        ("The library owns half a million books.", "The library owns 500,000 books.", "entailment"),
        ("The crew numbered seventy-five.", "The crew numbered 75.", "entailment"),
        ("The ship had seventy-five sailors.", "The ship had 70 sailors.", "contradiction"),
        ("The hall holds two hundred and ten guests.", "The hall holds 210 guests.", "entailment"),
        ("The battery lasts 36 hours.", "The battery lasts a day and a half.", "entailment"),
        ("The film runs two and a half hours.", "The film runs 150 minutes.", "entailment"),
        ("The film runs half an hour.", "The film runs an hour and a half.", "contradiction"),
        ("The dose is 500 mg twice a day.", "The dose is 0.5 g twice a day.", "entailment"),
        ("The rate fell to 4.96 per cent.", "The rate fell to about 5%.", "entailment"),
        ("The fee is $1,000 to $3,000.", "The fee is between $1000 to $3000.", "entailment"),
        ("The fee ranges from $1,000 to $3,000.", "The fee is $2000.", "neutral"),
        ("The law took effect before 1950.", "The law took effect in 1955.", "contradiction"),
        ("The law took effect before 1950.", "The law took effect in 1948.", "neutral"),
        (
            "The abbey was founded in 1143 by monks.",
            "The abbey was founded in the 12th century.",
            "entailment",
        ),
        ("The tower is 324 metres tall.", "The tower is 1,063 feet tall.", "entailment"),
        ("He ran the mill for 5 years.", "He ran the mill in 1962.", "neutral"),
        ("The show had 3 seasons and 36 episodes.", "The show had 36 seasons.", "contradiction"),
    ],
)
def test_figures_mean_the_values_that_their_words_allow(judge, passage, claim, label):
    assert verdict(judge, passage, claim).label == label


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Mina Farrow published her first poems in 1971.", "Mina Farrow published her first novel in 1978."),
        ("The team won the cup in 1988.", "The team did not win the cup in 1989."),
        (
            "The city had 2.2 million inhabitants in 2010 and 2.1 million in 2020.",
            "The city had 2.1 million inhabitants in 2020.",
        ),
        ("Model A supports 8 GPUs.", "Model B supports 4 GPUs."),
        ("Men over 50 should be tested.", "Women over 50 should be tested."),
        ("Her mother was a nurse in Cork.", "Her father was a nurse in Cork."),
        ("The north tower is 60 metres high.", "The south tower is 55 metres high."),
    ],
)
def test_another_thing_or_occasion_denies_nothing(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "neutral"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (
            "Nitrogen dioxide reacts with water to form acid rain.",
            "Acid rain reacts with water to form nitrogen dioxide.",
        ),
        ("The novel was written by Anna Berg and illustrated by Jon Dahl.", "Jon Dahl wrote the novel."),
        ("Apple was founded in 1976 by Steve Jobs. Tim Cook is its CEO.", "Tim Cook founded Apple."),
        ("Ellen Vogt, who taught Clara Haas, died in 1950.", "Clara Haas taught Ellen Vogt."),
        ("Unlike lions, tigers are solitary animals.", "Lions are solitary animals."),
        (
            "Tanner was the first mayor of Oakfield who was born there.",
            "Tanner was the first mayor of Oakfield.",
        ),
        ("It is the oldest surviving wooden church in Norway.", "It is the oldest church in Norway."),
        ("Vostok is one of the coldest places on Earth.", "Vostok is the coldest place on Earth."),
        ("Most members voted for the motion.", "All members voted for the motion."),
        ("No evidence was found that the drug slows the disease.", "The drug slows the disease."),
        ("The bridge was expected to be finished in 2015.", "The bridge was finished in 2015."),
        ("He stopped smoking in 2003.", "He smokes."),
        ("Her mother was a nurse in Cork.", "She was a nurse in Cork."),
        ("Maria's elder sister Anna became a judge.", "Maria became a judge."),
        ("The father of Ada Lovelace wrote poems.", "Ada Lovelace wrote poems."),
        ("The students of Clara Weiss discovered the comet.", "Clara Weiss discovered the comet."),
    ],
)
def test_what_is_said_of_another_or_of_fewer_is_neither_entailed_nor_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Green tea may lower the risk of stroke.", "Green tea lowers the risk of stroke."),
        ("The maker claims that the cream removes wrinkles.", "The cream removes wrinkles."),
        ("The paper falsely reported that the suspect confessed.", "The suspect confessed."),
        ("The policy covers all damage except water damage.", "The policy covers water damage."),
        ("The suspect is thought to have fled to Spain.", "The suspect fled to Spain."),
        ("He is the nephew of the poet Karl Lind.", "He is a poet."),
        ("Platypuses are venomous mammals.", "Platypuses are the only venomous mammals."),
        ("If the reservoir falls below 30 per cent, rationing begins.", "Rationing begins."),
        ("The portrait is possibly by Hals.", "The portrait is by Hals."),
        ("There were reports that the mayor had fled to Spain.", "The mayor fled to Spain."),
    ],
)
def test_what_is_possible_told_or_on_a_condition_is_left_open(judge, passage, claim):
    """It is not entailed, and that its words are there is no reason to believe it."""
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief == 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The poem was put from Welsh into Breton by Ann Rees.", "The poem was put from Breton into Welsh."),
        ("The brook runs from Lake Sel into the Drina.", "The brook runs from the Drina into Lake Sel."),
        ("The hut is south of Brig and north of Como.", "The hut is south of Como and north of Brig."),
        ("Cars are banned and bicycles are allowed.", "Bicycles are banned and cars are allowed."),
        ("The council backed the plan and the mayor vetoed it.", "The mayor backed the plan."),
        ("Tin collects on the plate while the rod melts.", "Tin collects on the rod while the plate melts."),
        ("The eggs of the toad are eaten by foxes.", "The eggs of the toad eat foxes."),
        (
            "The auditor accused the treasurer of deceiving two investors.",
            "Two investors were accused of deceiving the treasurer.",
        ),
        (
            "Some of the valley's frogs are found nowhere else.",
            "Most of the valley's frogs are found nowhere else.",
        ),
        ("Many pupils passed the test.", "Most pupils passed the test."),
        ("Most of the archive was lost in the flood.", "The whole archive was lost in the flood."),
        ("Two thirds of the harvest was destroyed by hail.", "The entire harvest was destroyed by hail."),
        ("The bridge was partly rebuilt in 1950.", "The bridge was fully rebuilt in 1950."),
        ("The salve has hardly any effect on pain.", "The salve has an effect on pain."),
        ("Until 1989 the hall was used as a church.", "The hall is used as a church."),
        ("The mill was once a prison.", "The mill is a prison."),
        ("Reports that the bridge had collapsed were denied.", "The bridge had collapsed."),
        ("The pump moves 40 litres per minute.", "The pump moves 40 litres per hour."),
        ("Tenants pay 90 dollars a week.", "Tenants pay 90 dollars a month."),
        (
            "Lake Sarn is the deepest lake in the country. Lake Moll is known for its storms.",
            "Lake Moll is the deepest lake in the country.",
        ),
        (
            "The older bridge, the Karlsbrucke, was built of sandstone. The newer one is the Neubrucke.",
            "The Neubrucke was built of sandstone.",
        ),
    ],
)
def test_what_is_turned_round_of_fewer_or_past_is_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The eggs of the toad are eaten by foxes.", "Foxes eat the eggs of the toad."),
        ("The brook runs from Lake Sel into the Drina.", "The brook runs into the Drina from Lake Sel."),
        ("In 1963 a landslide destroyed the mill.", "The mill was destroyed by a landslide in 1963."),
        (
            "The treaty between Spain and France was signed.",
            "The treaty between France and Spain was signed.",
        ),
        ("Most pupils passed the test.", "Many pupils passed the test."),
        ("The ferry carries 300 people a day.", "The ferry carries 300 people daily."),
    ],
)
def test_what_stays_in_its_role_is_believed(judge, passage, claim):
    assert verdict(judge, passage, claim).belief > 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("He lived in Paris before the war.", "He lived in Paris after the war."),
        ("He has appeared in films with his brother.", "He has appeared in films without his brother."),
        ("The king died two years after the war ended.", "The king died two years before the war ended."),
        ("The team was coached by Lee until the merger.", "The team was coached by Lee after the merger."),
        ("The law was not passed until 1990.", "The law was passed until 1990."),
    ],
)
def test_what_was_so_before_says_nothing_of_after(judge, passage, claim):
    """Both may be so: neither is that contradicted, nor borne out by the same words."""
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The company denied that it had paid bribes.", "The company had paid bribes."),
        ("It is not true that Paris is the capital of Italy.", "Paris is the capital of Italy."),
        ("He did not say that the bridge was closed.", "The bridge was closed."),
        ("Scientists doubt that the earth is flat.", "The earth is flat."),
        ("If it rains, the match is cancelled.", "The match is cancelled."),
    ],
)
def test_what_is_denied_or_hangs_on_a_condition_is_not_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "neutral"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The committee did not publish its findings.", "The committee's findings were not published."),
        ("Penguins cannot fly, but they are strong swimmers.", "Penguins are strong swimmers."),
        ("The law was not passed until 1990.", "The law was passed in 1990."),
        ("Émile Dupont designed the hall.", "Emile Dupont designed the hall."),
        ("Dr. Helen J. Marsh led the survey of the reef.", "Helen Marsh led the survey of the reef."),
        ("Hamlet was written around 1600 by William Shakespeare.", "William Shakespeare wrote Hamlet."),
        ("John's son Peter inherited the farm.", "Peter inherited the farm."),
        ("Coal was discovered near the town in the 1840s.", "Coal was found near the town in the 1840s."),
    ],
)
def test_what_only_looks_denied_or_of_another_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The film was nominated for five awards and won for best score.", "The film won five awards."),
        ("She ran for mayor in 1998 and lost.", "She was mayor in 1998."),
        ("He was the party's candidate for president in 2004.", "He was president in 2004."),
    ],
)
def test_what_is_said_of_another_verb_or_sought_is_not_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "neutral"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Karl Dahl and his wife, Rita Dahl, had five sons.", "Karl Dahl had five sons."),
        ("Although the harvest failed, nobody in the valley starved.", "Nobody in the valley starved."),
        ("She grows apples and pears in the valley.", "She grows pears in the valley."),
        (
            "Children under five should not be given syrup.",
            "Syrup should not be given to children under five.",
        ),
        ("Spain won in 2010 and Germany in 2014.", "Germany won in 2014."),
        ("Poland borders Lithuania.", "Lithuania borders Poland."),
        (
            "Delta Machine is an album by the English band Depeche Mode.",
            "Delta Machine is an album of Depeche Mode.",
        ),
    ],
)
def test_the_same_said_the_other_way_round_is_believed(judge, passage, claim):
    assert verdict(judge, passage, claim).belief > 0.5


def test_a_claim_that_stands_there_alone_is_entailed_whatever_stands_beside_it(judge):
    passage = "The Pro plan costs $20 per month; the Team plan costs $30 per month."
    assert verdict(judge, passage, "The Pro plan costs $20 per month.").label == "entailment"
    assert verdict(judge, passage, "The Team plan costs $20 per month.").label != "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Her mother helped nurse", "Nurse helped."),
        ("Her mother was a nurse of teachers", "Teachers was a nurse."),
    ],
)
def test_a_subject_may_be_the_last_word_of_a_passage(judge, passage, claim):
    assert verdict(judge, passage, claim).label != "contradiction"


def test_a_sign_belongs_to_the_name_of_a_language(judge):
    assert verdict(judge, "C is a programming language.", "C# is a programming language.").label == "neutral"
    assert (
        verdict(judge, "C# is a programming language.", "C# is a programming language.").label == "entailment"
    )


def test_texts_in_any_order_of_words_are_judged(judge):
    """No place that a rule looks at is beyond the words there are."""
    for pair in PAIRS:
        words = pair["passage"].rstrip(".").split()
        for turned in (words[-1:] + words[:-1], words[::-1], words[1:] + words[:1]):
            claim = " ".join(turned)
            assert verdict(judge, pair["passage"], claim).label in {"entailment", "neutral", "contradiction"}
            assert verdict(judge, claim, pair["claim"]).label in {"entailment", "neutral", "contradiction"}


@pytest.mark.parametrize(
    "said",
    [
        "Recruiters manage the hiring process, including screening, interviewing, and hiring candidates.",
        "Ada Roe, the chief financial officer and chief operating officer of the group, has been appointed.",
        "When water cannot escape, it creates a soil that loses strength and cannot support weight.",
    ],
)
def test_a_sentence_that_says_a_word_twice_bears_itself_out(judge, said):
    assert verdict(judge, said, said).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (
            "The city planned to build a bridge, and built the bridge in 1990.",
            "The city built the bridge in 1990.",
        ),
        (
            "Five years is a reasonable time to invest in a stock which pays.",
            "Five years is a reasonable time to invest in a stock.",
        ),
        ("Pupils are taught as if they were adults.", "Pupils are taught as adults."),
        ("The museum opens on Sundays even if it rains.", "The museum opens on Sundays."),
        ("Save 25 times your expenses, a bit more if you retire early.", "Save 25 times your expenses."),
        (
            "The Drava runs in Austria and Croatia, and is part of the border between Hungary and Croatia.",
            "The Drava is part of the border between Hungary and Croatia.",
        ),
        (
            "The West Branch is known as a fine salmon river, while the East Branch is known for its bass.",
            "The West Branch is a fine salmon river.",
        ),
        (
            "The river (the Rhine River source) flows past the city of Basel, where it is navigable.",
            "The Rhine River is navigable at the city of Basel.",
        ),
    ],
)
def test_what_is_said_elsewhere_in_the_sentence_withholds_nothing(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The city planned to build a bridge over the river.", "The city built a bridge over the river."),
        ("The museum opens on Sundays if it rains.", "The museum opens on Sundays."),
        (
            "The West Branch is known as a fine salmon river, while the East Branch is known for its bass.",
            "The East Branch is a fine salmon river.",
        ),
        ("It is the second oldest church in Norway.", "It is the oldest church in Norway."),
        ("With 20% down, you avoid paying a fee.", "With 20% down, you pay a fee."),
    ],
)
def test_what_is_planned_or_said_of_another_is_withheld_still(judge, passage, claim):
    assert verdict(judge, passage, claim).label != "entailment"


def test_a_word_of_two_names_is_nobody_who_has_changed_places(judge):
    passage = (
        "The river rises in the Adirondack Mountains, flows through the Hudson Valley, "
        "and drains into the Atlantic Ocean."
    )
    found = verdict(
        judge, passage, "The Hudson River flows from the Adirondack Mountains to the Atlantic Ocean."
    )
    assert found.belief > 0.5
