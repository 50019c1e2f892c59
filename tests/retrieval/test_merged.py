"""Several retrievers at once."""

import pytest

from factreasoner.models import Atom, Context, Failure, Record, StageError
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.merged import MergedRetriever

ATOMS = (Atom(id="a0", text="It is red."), Atom(id="a1", text="It is long."))
RECORD = Record(id="r", response="x", prompt="What is it like?")
TEXTS = {
    "red": "The bridge was painted red by nine men, who took six summers to do it.",
    "red again": "The bridge was painted red by nine men, who took six  summers to do it.",
    "long": "From one bank to the other walkers count some thousand steps.",
    "old": "King Olaf had the first of its arches built of oak.",
    "loud": "At night the trains that cross it can be heard for miles.",
}


class Fixed:
    """Finds what it is told to: names of texts by atom id, `q` for the question."""

    def __init__(self, found, failures=()):
        self.found, self.failures = found, tuple(failures)

    def retrieve(self, atoms, record):
        contexts = [
            Context(id=f"c_{name}_{rank}", text=TEXTS[text], atom_ids=() if name == "q" else (name,))
            for name, texts in self.found.items()
            for rank, text in enumerate(texts)
        ]
        if not contexts and self.failures:
            raise StageError(self.failures)
        return Retrieved(tuple(contexts), self.failures)


def failure(item_id):
    return Failure(stage="retriever", item_id=item_id, error_type="SearchError", message="down")


def merged(k=3, **retrievers):
    return MergedRetriever(retrievers, Config(retrieve_k=k)).retrieve(ATOMS, RECORD)


def test_rankings_are_fused_and_copies_count_once():
    found = merged(
        corpus=Fixed({"a0": ["old", "red"], "q": ["loud"]}),
        web=Fixed({"a0": ["red again", "long"], "a1": ["long"]}),
    )
    assert [(c.id, c.text, c.source, c.atom_ids) for c in found.contexts] == [
        ("c_q_0", TEXTS["loud"], "corpus", ()),
        ("c_a0_0", TEXTS["red"], "corpus, web", ("a0",)),
        ("c_a0_1", TEXTS["old"], "corpus", ("a0",)),
        ("c_a0_2", TEXTS["long"], "web", ("a0",)),
        ("c_a1_0", TEXTS["long"], "web", ("a1",)),
    ]
    assert found.failures == ()


def test_at_most_k_are_kept_for_an_atom():
    found = merged(k=1, corpus=Fixed({"a0": ["old", "red"]}), web=Fixed({"a0": ["red", "long"]}))
    assert [c.text for c in found.contexts] == [TEXTS["red"]]


def test_failing_retriever_is_listed_and_others_kept():
    found = merged(
        corpus=Fixed({"a0": ["old"]}),
        web=Fixed({}, [failure("a0"), failure("a1")]),
        wiki=Fixed({"a0": ["red"], "a1": ["red"]}, [failure("c_a0_0")]),
    )
    assert [c.source for c in found.contexts] == ["corpus", "wiki", "wiki"]
    assert [(f.item_id, f.message) for f in found.failures] == [
        ("a0", "web: down"),
        ("a1", "web: down"),
        ("c_a0_1", "wiki: down"),
    ]


def test_total_failure_fails_the_stage():
    with pytest.raises(StageError):
        merged(corpus=Fixed({}), web=Fixed({}, [failure("a0")]))
    assert merged(corpus=Fixed({}), web=Fixed({})) == Retrieved((), ())


class Own:
    """A retriever with ids of its own, a passage for two atoms at once and a collection."""

    collections = ("own@1",)

    def retrieve(self, atoms, record):
        both = Context(id="old", text=TEXTS["old"], atom_ids=("a0", "a1"))
        return Retrieved((both, Context(id="loud", text=TEXTS["loud"])), (), self.collections)


def test_own_ids_and_shared_passages_are_kept():
    retriever = MergedRetriever({"mine": Own(), "corpus": Fixed({"a1": ["long"]})}, Config())
    found = retriever.retrieve(ATOMS, RECORD)
    assert retriever.collections == found.searched == ("own@1",)
    assert [(c.id, c.text, c.atom_ids) for c in found.contexts] == [
        ("c_q_0", TEXTS["loud"], ()),
        ("c_a0_0", TEXTS["old"], ("a0",)),
        ("c_a1_0", TEXTS["old"], ("a1",)),
        ("c_a1_1", TEXTS["long"], ("a1",)),
    ]
