import pytest

from factreasoner.errors import InputError
from factreasoner.models import Atom, Context, Record
from factreasoner.plugins.kinds import load
from factreasoner.protocols import Retrieved

ATOMS = (Atom(id="a0", text="Water boils at 100 degrees."),)
CONTEXTS = (
    Context(id="c1", text="Second by name, first by place.", atom_ids=("a0",), prior=0.4),
    Context(id="c0", text="For the question."),
)


def retrieve(contexts):
    record = Record(id="r7", response="Water boils.", atoms=ATOMS, contexts=contexts)
    return load("retriever", "given")().retrieve(ATOMS, record)


@pytest.mark.parametrize("contexts", [CONTEXTS, ()])
def test_contexts_are_handed_on_unchanged_and_in_order(contexts):
    assert retrieve(contexts) == Retrieved(contexts, ())


def test_contexts_not_given_names_the_record_and_the_remedy():
    with pytest.raises(InputError, match=r"record 'r7'.*add `contexts`.*choose a retriever"):
        retrieve(None)
