"""The reviser by a model: texts stay with their atoms, unusable ones are asked again."""

import pytest
from fenced import fenced
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.atoms.reviser import KeepAtoms, LLMReviser
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom, Record
from factreasoner.pipeline.config import Config

RECORD = Record(
    id="r1",
    response="Ada met Mary. She was born in 1815. She wrote 3 notes. She did not die.",
    prompt="Who was Ada Lovelace?",
)
ATOMS = (
    Atom(id="x", text="She was born in 1815.", gold="S", span=(0, 21)),
    Atom(id="y", text="She wrote 3 notes.", original="wrote 3 notes", span=(22, 40)),
    Atom(id="z", text="She did not die."),
)
GOOD = {
    "atom_0": "Ada Lovelace was born in 1815.",
    "atom_1": "Ada wrote 3 notes.",
    "atom_2": "Ada did not die.",
}


def revise(llm, **settings):
    atoms, failures = LLMReviser(llm=llm, config=Config(**settings)).revise(ATOMS, RECORD)
    assert [atom.id for atom in atoms] == ["x", "y", "z"]
    return [atom.text for atom in atoms], [failure.item_id for failure in failures]


def test_one_call_for_all_atoms():
    llm = ScriptedLLM([GOOD])
    atoms = LLMReviser(llm=llm).revise(ATOMS, RECORD).atoms
    assert len(llm.calls) == 1
    assert atoms == (
        Atom(id="x", text=GOOD["atom_0"], original="She was born in 1815.", gold="S", span=(0, 21)),
        Atom(id="y", text=GOOD["atom_1"], original="wrote 3 notes", span=(22, 40)),
        Atom(id="z", text=GOOD["atom_2"], original="She did not die."),
    )


def test_schema_has_one_argument_per_atom():
    llm = ScriptedLLM([GOOD])
    revise(llm)
    ((prompt, schema, *_),) = llm.calls
    assert schema.arguments == ("atom_0", "atom_1", "atom_2")
    assert schema.parameters["required"] == ["atom_0", "atom_1", "atom_2"]
    assert schema.items["atom_1"] == "She wrote 3 notes."
    assert fenced(prompt.user, "question") == ["Who was Ada Lovelace?"]


def test_clear_text_keeps_no_original():
    llm = ScriptedLLM([GOOD | {"atom_0": ATOMS[0].text}])
    assert LLMReviser(llm=llm).revise(ATOMS, RECORD).atoms[0].original is None


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"atom_1": None},
        {"atom_1": ""},
        {"atom_1": "  "},
        {"atom_1": 3},
        {"atom_1": ["Ada wrote 3 notes."]},
        {"atom_1": "Ada wrote notes."},
        {"atom_1": "Ada wrote 4 notes."},
        {"atom_1": "Ada wrote 3 notes. " + "And so on. " * 40},
    ],
)
def test_only_unusable_arguments_are_retried(bad):
    first = {"atom_0": GOOD["atom_0"], "atom_2": GOOD["atom_2"]} | bad
    llm = ScriptedLLM([first, {"atom_1": GOOD["atom_1"], "atom_0": "a stray text", "atom_2": "another"}])
    assert revise(llm) == (list(GOOD.values()), [])
    assert [call.schema.arguments for call in llm.calls] == [("atom_0", "atom_1", "atom_2"), ("atom_1",)]
    assert [call.sample for call in llm.calls] == [0, 0]  # another question, and no other answer to the same


@pytest.mark.parametrize(
    ("atom", "bad", "good"),
    [
        (2, "Ada died.", "Ada didn't die."),
        (1, "Ada never wrote 3 notes.", "Ada wrote 3 notes."),
        (0, "Robert was born in 1815.", "Ada was born in 1815."),
    ],
)
def test_another_negation_or_gender_is_unusable(atom, bad, good):
    record = RECORD.model_copy(update={"response": f"{RECORD.response} Robert met her."})
    llm = ScriptedLLM([GOOD | {f"atom_{atom}": bad}, {f"atom_{atom}": good}])
    assert LLMReviser(llm=llm).revise(ATOMS, record).atoms[atom].text == good


@pytest.mark.parametrize(
    ("original", "revised", "usable"),
    [
        ("It cost $1,200.", "The car cost $1200.", True),
        ("It is -5 degrees.", "Oslo is 5 degrees.", False),
        ("It is −5 degrees.", "Oslo is -5 degrees.", True),
        ("It ran 1990-1995.", "The show ran from 1990 to 1995.", True),
        ("It is 3.5 m.", "The rod is 35 m.", False),
        ("It is 1950.", "The year is 1950, after 1949.", True),
    ],
)
def test_numbers_must_stay(original, revised, usable):
    llm = ScriptedLLM([{"atom_0": revised}])
    atoms, failures = LLMReviser(llm=llm, config=Config(max_attempts=1)).revise(
        [Atom(id="a", text=original)], Record(id="r", response=f"{original} {revised}")
    )
    assert atoms[0].text == (revised if usable else original)
    assert len(failures) == (0 if usable else 1)


def test_too_many_atoms_are_revised_in_batches():
    atoms = [Atom(id=f"a{n}", text=f"She wrote note number {n}.") for n in range(50)]
    llm = ScriptedLLM(
        lambda prompt, schema: {name: text.replace("She", "Ada") for name, text in schema.items.items()}
    )
    revised = LLMReviser(llm=llm, config=Config(max_tokens=256)).revise(atoms, RECORD).atoms
    assert len(llm.calls) > 3
    assert [a.text for a in revised] == [f"Ada wrote note number {n}." for n in range(50)]


def test_no_atoms_need_no_call():
    assert LLMReviser(llm=ScriptedLLM([])).revise((), RECORD) == ((), ())
    assert KeepAtoms().revise(ATOMS, RECORD).atoms == ATOMS


@given(
    st.lists(st.sampled_from(["good", "null", "missing", "empty"]), min_size=1, max_size=12),
    st.integers(1, 3),
)
def test_no_text_ever_moves_to_another_atom(states, attempts):
    atoms = [Atom(id=f"a{n}", text=f"It is {n}.") for n in range(len(states))]
    values = {"good": lambda n: f"The atom is {n}.", "null": lambda n: None, "empty": lambda n: ""}
    reply = {f"atom_{n}": values[s](n) for n, s in enumerate(states) if s != "missing"}
    llm = ScriptedLLM(lambda prompt, schema: reply)
    revised, failures = LLMReviser(llm=llm, config=Config(max_attempts=attempts)).revise(atoms, RECORD)
    expected = [f"The atom is {n}." if s == "good" else f"It is {n}." for n, s in enumerate(states)]
    assert [atom.text for atom in revised] == expected
    assert [f.item_id for f in failures] == [f"a{n}" for n, s in enumerate(states) if s != "good"]


@pytest.mark.parametrize(
    ("original", "text"),
    [
        ("The film won three awards.", "banana 3"),
        ("She wrote notes on the engine in Turin.", "Ada Lovelace lived in Turin."),
        ("She wrote in Turin.", "banana"),
        ("它于一九三二年开放。", "香蕉很好吃。"),
    ],
)
def test_revision_dropping_most_words_is_rejected(original, text):
    llm = ScriptedLLM(lambda prompt, schema: {"atom_0": text})
    atoms, failures = LLMReviser(llm=llm).revise(
        (Atom(id="a", text=original),), Record(id="r", response=original)
    )
    assert [atom.text for atom in atoms] == [original]
    assert [(f.stage, f.item_id) for f in failures] == [("reviser", "a")]


@pytest.mark.parametrize(
    ("original", "text"),
    [
        ("The film won.", "Inception won."),
        ("He did.", "Charles Babbage did."),
        ("She died.", "Ada Lovelace passed away."),
        ("She married him in Turin.", "Ada Lovelace married William King-Noel in Turin."),
        ("This law was repealed.", "The Clean Air Act of 1956 was repealed."),
        ("It treats colds.", "Aspirin is a treatment for colds."),
        ("Die Stadt wurde zerstört.", "Dresden wurde zerstört."),
        ("它于一九三二年开放。", "港口博物馆于一九三二年开放。"),
    ],
)
def test_a_revision_may_put_names_in(original, text):
    atoms, failures = LLMReviser(llm=ScriptedLLM([{"atom_0": text}])).revise(
        (Atom(id="a", text=original),), Record(id="r", response=f"{original} {text}")
    )
    assert ([atom.text for atom in atoms], failures) == ([text], ())


def test_a_revision_holds_no_citation_marks():
    llm = ScriptedLLM([{"atom_0": "Ada Lovelace wrote notes [2]."}])
    record = RECORD.model_copy(update={"response": f"{RECORD.response} She wrote notes [2]."})
    atoms = LLMReviser(llm=llm).revise((Atom(id="a", text="She wrote notes."),), record).atoms
    assert [atom.text for atom in atoms] == ["Ada Lovelace wrote notes."]


@pytest.mark.parametrize(
    ("statement", "unclear"),
    [
        ("The deal closed in 2015.", True),
        ("Both are on the list.", True),
        ("As the two work in different ways, adults can take them.", True),
        ("A normal tablet of either drug works for hours.", True),
        ("The Oslo meeting was on 9 October.", True),
        ("It closed in 2015.", True),
        ("The giant planets rotate much faster than Mars does.", False),
        ("The cost of a meal can vary.", False),
        ("Ibuprofen and paracetamol both relieve pain.", False),
        ("The more massive an object is, the more inertia it has.", True),
        ("The Oslo meeting was on 9 October 1989.", False),
    ],
)
def test_only_unclear_atoms_are_sent_to_model(statement, unclear):
    atoms = (Atom(id="x", text=statement, span=(0, len(statement))),)
    record = Record(id="r1", response=statement, prompt="What happened?")
    llm = ScriptedLLM(lambda prompt, schema: dict(schema.items))
    LLMReviser(llm=llm).revise(atoms, record)
    assert bool(llm.calls) is unclear
