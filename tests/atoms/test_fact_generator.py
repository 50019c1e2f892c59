"""Facts from a question and its right answer, by a model and without one."""

import pytest

from factreasoner import ScriptedLLM
from factreasoner.atoms.atomizer import LLMFactGenerator
from factreasoner.atoms.rules import RuleFactGenerator
from factreasoner.models import Record

REFERENCE = "She was born in Warsaw. She won two Nobel Prizes."
RECORD = Record(id="r1", response="The given answer.", prompt="Who was Curie?", reference=REFERENCE)


def test_fact_prompt_excludes_the_answer():
    said = {"statements": ["[1] She was born in Warsaw => Curie was born in Warsaw."]}
    llm = ScriptedLLM([said])
    made = LLMFactGenerator(llm=llm).generate(RECORD)
    assert [fact.text for fact in made.atoms] == ["Curie was born in Warsaw."]
    (prompt, *_) = llm.calls[0]
    assert prompt.name == "fact_generator"
    assert "[1] She was born in Warsaw.\n[2] She won two Nobel Prizes." in prompt.user
    assert "Who was Curie?" in prompt.user
    assert "The given answer." not in prompt.user


def test_invented_names_are_retried_then_fact_is_dropped():
    said = {
        "statements": ["[1] => Curie was born in Warsaw.", "[2] => Curie won three Nobel Prizes in 1911."]
    }
    llm = ScriptedLLM([said, {"statements": ["[1] => Curie won two Nobel Prizes in Oslo."]}])
    made = LLMFactGenerator(llm=llm).generate(RECORD)
    assert [fact.text for fact in made.atoms] == ["Curie was born in Warsaw."]
    (failure,) = made.failures
    assert "Oslo is neither in the text nor in the question" in failure.message
    assert len(llm.calls) == 2


@pytest.mark.usefixtures("whole_sentences")
def test_facts_without_model_are_reference_statements():
    made = RuleFactGenerator().generate(RECORD)
    assert [fact.original or fact.text for fact in made.atoms] == [
        "She was born in Warsaw.",
        "She won two Nobel Prizes.",
    ]
    record = RECORD.model_copy(update={"reference": "I don't know."})
    assert RuleFactGenerator().generate(record).atoms == ()


@pytest.mark.parametrize(
    "said",
    ["[1] She wrote x => y. => Ada wrote x => y.", "[1] => Ada wrote x => y.", "[1] Ada wrote x => y."],
)
def test_arrows_inside_a_fact_stay(said):
    record = Record(id="r1", response="", prompt="Who was Ada?", reference="She wrote x => y.")
    made = LLMFactGenerator(llm=ScriptedLLM([{"statements": [said]}])).generate(record)
    assert [fact.text for fact in made.atoms] == ["Ada wrote x => y."]
