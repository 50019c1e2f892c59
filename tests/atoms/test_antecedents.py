"""What "it" and "they" stand for where more than the sentence before may tell."""

from collections.abc import Sequence

import pytest

from factreasoner.atoms.antecedents import coreferences
from factreasoner.atoms.atomizer import EmbeddedAtomizer
from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Record
from factreasoner.text.parsing import find_parser
from factreasoner.text.tree import Parse


def told(response: str) -> list[tuple[str, tuple[str, ...]]]:
    record = Record(id="r", response=response)
    atoms = EmbeddedReviser().revise(EmbeddedAtomizer().atomize(record).atoms, record).atoms
    return [(atom.text, atom.unresolved) for atom in atoms]


def test_it_behind_another_clause_is_not_the_subject_before() -> None:
    response = (
        "Given time, the stock market has gone up. You may need ten years, while in Asia it could be longer."
    )
    assert not any("stock market could be longer" in text for text, _ in told(response))


def test_they_are_the_group_beside_them() -> None:
    response = (
        "Complete road closures were not possible. The crew employed a method where they would use runners."
    )
    assert not any("closures would use" in text for text, _ in told(response))


@pytest.mark.parametrize(
    ("label", "said"),
    [("File a Contempt of Court", "It requires a judge."), ("Tofu", "Tofu requires a judge.")],
)
def test_an_action_is_no_name_for_it(label: str, said: str) -> None:
    assert told(f"{label}: It requires a judge.")[-1][0] in (said, f"{label}: {said}")


def test_a_response_is_parsed_in_one_go() -> None:
    pipeline = find_parser()
    assert pipeline is not None

    class Counting:
        """The parser, counting what it is asked."""

        calls = 0

        def parse(self, sentences: Sequence[str]) -> list[Parse | None]:
            self.calls += 1
            return pipeline.parse(sentences)

    counting = Counting()
    found = coreferences("The museum is old. It has a tower.\n\n- It is open.", "", "", counting)
    assert [[one.name for one in known] for _, known in found.sentences] == [
        [],
        ["the museum"],
        ["the museum"],
    ]
    assert counting.calls == 1
