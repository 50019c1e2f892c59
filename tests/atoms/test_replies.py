"""Facts of a model's replies: their sentences, and when the sentence's own statements replace them."""

import pytest
from fenced import fenced

from factreasoner.atoms.atomizer import LLMAtomizer
from factreasoner.errors import UnusableReplyError
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Record

SENTENCES = ["Ada was born in 1815.", "She wrote notes.", "She died in 1852."]
RESPONSE = " ".join(SENTENCES)
MARRIED = "Marie Curie married Pierre Curie in 1895."
GIVEN_UP = "should ever be given up."
COUNTED = ["[1] => Ada met Babbage.", f"[2] => Ada {GIVEN_UP}"]
LISTED = "Bob is not tall, rich, or kind."
JOINED = "Ada was born in 1815 and wrote notes."


def record(response=RESPONSE):
    return Record(id="r1", response=response, prompt="Who was Ada?")


def reply(*atoms):
    return {"statements": list(atoms)}


def made(*replies, response=RESPONSE, prompt="Who was Ada?"):
    """The texts of atoms, and how many calls and failures there were."""
    llm = ScriptedLLM(list(replies))
    found = LLMAtomizer(llm=llm).atomize(Record(id="r1", response=response, prompt=prompt))
    return [atom.text for atom in found.atoms], len(llm.calls), len(found.failures)


def test_one_call_gives_ordered_atoms_with_spans():
    said = reply(
        "[1] Ada was born in 1815. => Ada was born in 1815.",
        "[2] She wrote notes. =>  Ada wrote\nnotes [2]. ",
        "2: she wrote notes => ada wrote notes.",
        "[3] She died in 1852. => Ada died in 1852.",
    )
    llm = ScriptedLLM([said])
    atoms = LLMAtomizer(llm=llm).atomize(record()).atoms
    assert [(a.id, a.text, a.span) for a in atoms] == [
        ("a0", "Ada was born in 1815.", (0, 21)),
        ("a1", "Ada wrote notes.", (22, 38)),
        ("a2", "Ada died in 1852.", (39, 56)),
    ]


def test_statements_without_numbers_are_placed_by_their_words():
    texts, calls, failures = made(reply(*SENTENCES[::-1]))
    assert (sorted(texts), calls, failures) == (sorted(SENTENCES), 1, 0)


@pytest.mark.parametrize("bad", [{}, {"statements": None}, {"statements": "x"}, UnusableReplyError("prose")])
def test_unusable_reply_is_retried_with_new_sample(bad):
    llm = ScriptedLLM([bad, reply(*SENTENCES)])
    assert len(LLMAtomizer(llm=llm).atomize(record()).atoms) == 3
    assert [call.sample for call in llm.calls] == [0, 1]


@pytest.mark.parametrize(
    "added",
    [
        "[2] => Ada wrote 3 notes.",
        "[2] => Ada wrote notes for Babbage.",
        "[2] => Bananas are yellow.",
        "[2] => Die Notizen schrieb Ada.",
    ],
)
def test_invented_names_are_retried_then_sentence_is_kept(added):
    rest = ["[1] => Ada was born in 1815.", "[3] => Ada died in 1852."]
    good = ["Ada was born in 1815.", "Ada wrote notes.", "Ada died in 1852."]
    assert made(reply(*rest, added), reply("[1] => Ada wrote notes."))[:2] == (good, 2)
    stands = ["Ada was born in 1815.", "She wrote notes.", "Ada died in 1852."]
    assert made(reply(*rest, added), reply(added.replace("[2]", "[1]"))) == (stands, 2, 0)


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        (reply(), SENTENCES),
        (reply(*["[1] => Ada was born."] * 40), SENTENCES),
        (reply(*["[3] => Ada died in 1852."] * 4), [*SENTENCES[:2], "Ada died in 1852."]),
        (reply("[9] => Ada was born in 1815."), SENTENCES),
        (reply(None, 7, "", "[1]", "=>"), SENTENCES),
    ],
)
def test_no_sentence_or_number_is_lost(said, texts):
    assert made(said) == (texts, 1, 0)


@pytest.mark.parametrize(
    "said",
    [
        "[2] => Ada was born and died after the notes.",
        "[2] => She should write notes.",
        "[2] => She never wrote notes.",
    ],
)
def test_unfaithful_fact_is_replaced_by_its_sentence(said):
    texts = ["Ada was born in 1815.", "She wrote notes.", "Ada died in 1852."]
    assert made(reply("[1] => Ada was born in 1815.", said, "[3] => Ada died in 1852.")) == (texts, 1, 0)


def test_repeated_part_identifies_the_sentence():
    merged = reply(
        "[1] Ada was born in 1815. => Ada was born in 1815.",
        "[1] She wrote notes. => Ada wrote notes.",
        "[2] She died in 1852. => Ada died in 1852.",
    )
    assert made(merged) == (["Ada was born in 1815.", "Ada wrote notes.", "Ada died in 1852."], 1, 0)


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        (
            "The company won the case in 2012 and the rival won the appeal in 2016.",
            ["Apple won the case in 2012.", "Samsung won the appeal in 2016."],
        ),
        ("It was acquired in 2006 for 1.65 billion.", ["Google acquired it for 1.65 billion."]),
    ],
)
def test_no_statement_gets_the_subject_of_another_fact(sentence, facts):
    said = reply("[1] => Apple fought Samsung and Google.", *(f"[2] => {fact}" for fact in facts))
    texts, _, _ = made(said, response=f"Apple fought Samsung and Google. {sentence}")
    assert not {"Apple won the appeal in 2016.", "Samsung won the case in 2012."} & set(texts)
    assert not any(text.startswith("Google was") for text in texts)


@pytest.mark.parametrize(
    ("response", "said", "texts"),
    [
        # a man is no woman
        (
            f"{MARRIED} He was killed in 1906.",
            [f"[1] => {MARRIED}", "[2] => Marie Curie was killed in 1906."],
            [MARRIED, "He was killed in 1906."],
        ),
        # a subject that counts is no pronoun for a name
        *(
            (f"Ada met Babbage. {who} {GIVEN_UP}", COUNTED, ["Ada met Babbage.", f"{who} {GIVEN_UP}"])
            for who in ("Neither", "Both", "None of them")
        ),
        # a negation goes with each part of a list
        (LISTED, ["[1] => Bob is not tall.", "[1] => Bob is rich.", "[1] => Bob is kind."], [LISTED]),
        # a fact that joins two is split by its parse
        (JOINED, [f"[1] => {JOINED}"], ["Ada was born in 1815.", "Ada wrote notes."]),
        # a greeting and a question
        ("Sure! Hello. Would you like more?", [], []),
    ],
)
def test_facts_not_in_their_sentences_are_replaced(response, said, texts):
    assert made(reply(*said), response=response) == (texts, 1, 0)


def test_an_outline_that_is_copied_is_no_fact():
    outline = reply("[number] the part => the fact it states")
    assert made(outline, outline)[0] == SENTENCES


def test_relative_clause_keeps_its_antecedent():
    response = "The Java edition is based on a library, which is widely used on pages."
    parts = "[1] The Java edition is based on a library, => The Java edition is based on a library."
    wrong = "[2] which is widely used on pages. => The Java edition is widely used on pages."
    right = "[2] which is widely used on pages. => The library is widely used on pages."
    assert made(reply(parts, wrong), response=response)[0] == [response]
    assert made(reply(parts, right), response=response)[0] == [
        "The Java edition is based on a library.",
        "The library is widely used on pages.",
    ]


def test_straight_quotes_become_curly_in_prompts():
    response = 'She said: "Ich bin da." Ada left.'
    said = reply("[1] => Ada said: “Ich bin da.”", "[2] => Ada left.")
    llm = ScriptedLLM([said])
    LLMAtomizer(llm=llm).atomize(record(response))
    assert '"' not in fenced(llm.calls[0].prompt.user, "parts")[0]
    assert "“" not in " ".join(made(said, response=response)[0])
