import pytest

from factreasoner.errors import InputError
from factreasoner.models import Atom, Record
from factreasoner.plugins.kinds import load

ATOMS = (Atom(id="a0", text="Water boils at 100 degrees."),)


def test_contexts_not_given_names_the_record_and_the_remedy():
    record = Record(id="r7", response="Water boils.", atoms=ATOMS)
    with pytest.raises(InputError, match=r"record 'r7'.*add `contexts`.*choose a retriever"):
        load("retriever", "given")().retrieve(ATOMS, record)
