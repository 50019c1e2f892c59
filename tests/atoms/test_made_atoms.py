"""Atomizer, then reviser: what they made, what failed, and which of them took what."""

from factreasoner.atoms.extraction import make_atoms
from factreasoner.calls.usage import Meter, record_usage
from factreasoner.models import Atom, Failure, Record, Usage
from factreasoner.protocols import Atomized

RECORD = Record(id="r", response="She was born there.")
LOST = Failure(stage="atomizer", item_id="r", error_type="E", message="one sentence was not read")
KEPT = Failure(stage="reviser", item_id="a0", error_type="E", message="kept as it was")


class Atoms:
    def __init__(self, *texts):
        self.atoms = tuple(Atom(id=f"a{n}", text=text) for n, text in enumerate(texts))

    def atomize(self, record):
        record_usage(Usage(calls=2))
        return Atomized(self.atoms, (LOST,))


class Names:
    def revise(self, atoms, record):
        record_usage(Usage(calls=5))
        named = tuple(atom.model_copy(update={"text": atom.text.replace("She", "Ada")}) for atom in atoms)
        return Atomized(named, (KEPT,))


def test_atoms_are_revised_and_each_stage_is_metered():
    meter = Meter()
    made = make_atoms(RECORD, Atoms("She was born."), Names(), meter)
    assert [atom.text for atom in made.atoms] == ["Ada was born."]
    assert made.failures == (LOST, KEPT)
    assert meter.usage == {"atomizer": Usage(calls=2), "reviser": Usage(calls=5)}
    assert list(meter.seconds) == ["atomizer", "reviser"]


def test_without_atoms_nothing_is_revised():
    meter = Meter()
    assert make_atoms(RECORD, Atoms(), Names(), meter) == Atomized((), (LOST,))
    assert meter.usage == {"atomizer": Usage(calls=2)}
