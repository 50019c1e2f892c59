"""What callers hand over comes back: passages and records of any library, ids, stops, graphs and errors."""

import dataclasses
import logging
import pickle
import threading
import uuid
from collections import namedtuple
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pydantic
import pytest

from factreasoner import assess, assess_many
from factreasoner.errors import BudgetError, ConfigError, InputError
from factreasoner.graph.factors import factor_graph
from factreasoner.models import Context, FactGraph, Factor, FactorGraph, Node, Relation, Verdict
from factreasoner.protocols import Judged, Retrieved
from factreasoner.solvers.exact import ExactSolver

TEXT = "Marie Curie was born in Warsaw in 1867."
LINK = "https://example.org/m"
TRUE, FALSE = "Marie Curie was born in 1867.", "Marie Curie was born in 1876."
GIVEN = {"cache": False, "progress": False}


class Passage(pydantic.BaseModel):
    id: str = "p7"
    text: str = TEXT
    title: str = "Curie"
    link: pydantic.HttpUrl = LINK


class Chunk(pydantic.BaseModel):
    """As LangChain's documents."""

    id: str | None = None
    page_content: str
    metadata: dict[str, Any] = {}


class TextNode(pydantic.BaseModel):
    """As LlamaIndex' nodes: the text is a property."""

    id_: str = "p7"
    inner: str = TEXT
    metadata: dict[str, Any] = {"file_name": "Curie", "url": LINK}

    @property
    def text(self):
        return self.inner


class Found(pydantic.BaseModel):
    """As LlamaIndex' results."""

    node: TextNode
    score: float


@dataclasses.dataclass
class Source:
    content: str = TEXT
    id: uuid.UUID | str = "p7"
    title: str = "Curie"
    url: str = LINK


METADATA = {"id": "p7", "title": "Curie", "source": LINK, "page": 3}
Row = namedtuple("Row", "id text title url")
CHUNK = Chunk(id="p7", page_content=TEXT, metadata=METADATA)


@pytest.mark.parametrize(
    "passage",
    [
        Passage(),
        Source(),
        Source(id=uuid.UUID(int=7), title="Curie"),
        Row("p7", TEXT, "Curie", LINK),
        CHUNK,
        (CHUNK, 0.83),
        Chunk(page_content=TEXT, metadata=METADATA),
        SimpleNamespace(page_content=TEXT, metadata=METADATA),
        TextNode(),
        Found(node=TextNode(), score=0.7),
        (TextNode(), 0.7),
        {"document": Source(), "score": 0.3},
        {"content": TEXT, "id": "p7", "meta": {"title": "Curie", "url": LINK}},
        {"payload": {"text": TEXT, "title": "Curie", "url": LINK}, "id": "p7"},
        {"text": TEXT, "metadata": METADATA},
        {"page_content": TEXT, "metadata": METADATA},
        {"id": "p7", "text": TEXT, "title": "Curie", "url": LINK},
        {"id": "p7", "text": TEXT, "title": "Curie", "url": "elsewhere", "link": LINK},
        pandas.Series({"id": "p7", "text": TEXT, "title": "Curie", "url": LINK}),
        Context(id="p7", text=TEXT, title="Curie", link=LINK),
    ],
    ids=lambda passage: type(passage).__name__,
)
def test_a_passage_keeps_id_title_and_link(passage):
    (found,) = assess(TRUE, contexts=[passage], cache=False).contexts
    wanted = str(uuid.UUID(int=7)) if getattr(passage, "id", "") == uuid.UUID(int=7) else "p7"
    assert found == Context(id=wanted, text=TEXT, title="Curie", link=LINK)


@pytest.mark.parametrize(
    "several",
    [TEXT, [TEXT], (TEXT,), iter([TEXT]), {TEXT}, pandas.Series([TEXT]), pandas.DataFrame({"text": [TEXT]})],
    ids=lambda several: type(several).__name__,
)
def test_one_passage_is_one_in_any_container(several):
    assert [context.text for context in assess(TRUE, contexts=several, cache=False).contexts] == [TEXT]


@pytest.mark.parametrize("single", [Passage(), Source(), Row(*"abcd"), {"text": TEXT}, CHUNK, 5])
def test_a_lone_object_is_no_list_of_passages(single):
    with pytest.raises(InputError, match=r"contexts: .*must be a list"):
        assess(TRUE, contexts=single)


def test_unknown_fields_are_kept_and_losses_reported(caplog):
    passages = [(CHUNK, 0.83), {"text": "Other.", "metadata": {"id": "p7"}, "lock": threading.Lock()}]
    with caplog.at_level(logging.WARNING):
        found = assess(TRUE, contexts=passages, cache=False)
    assert [context.id for context in found.contexts] == ["p7", "c1"]
    assert found.metadata["context_fields"]["p7"] == {"metadata": METADATA, "score": 0.83}
    assert "contexts: 'lock' is left out: a file can't hold a lock" in caplog.text
    assert "contexts[1]: 'p7' is the id of another one too; it gets a new one" in caplog.text


class Sample(pydantic.BaseModel):
    """As another tool's records."""

    response: str
    retrieved_contexts: list[Passage]
    user_input: str | None = None
    tag: str = "plain"
    team: str = "red"


FRAME = pandas.DataFrame(
    [
        {"id": 41, "output": TRUE, "contexts": [TEXT], "metadata": {"a": 1}, "n": 3},
        {"id": 7, "output": FALSE, "contexts": [TEXT], "metadata": None, "n": 4},
    ],
    index=pandas.Index(["x", "y"], name="key"),
)


class Dataset:
    """As `datasets.Dataset`: rows by iteration, and a length."""

    def __iter__(self):
        return iter(FRAME.to_dict("records"))

    def __len__(self):
        return len(FRAME)


class Polars:
    """As `polars.DataFrame`: its `to_dict` gives columns."""

    columns, to_dict, to_dicts = list(FRAME.columns), FRAME.to_dict, partial(FRAME.to_dict, "records")


@pytest.mark.parametrize(
    "records",
    [
        FRAME,
        Polars(),
        FRAME.iterrows(),
        FRAME.itertuples(),
        FRAME.itertuples(index=False),
        FRAME.to_dict("records"),
        (row for row in FRAME.to_dict("records")),
        Dataset(),
        [SimpleNamespace(**row) for row in FRAME.to_dict("records")],
    ],
)
def test_rows_of_a_frame_are_records(records):
    found = list(assess_many(records, **GIVEN).results())
    assert [result.record_id for result in found] == ["41", "7"]
    assert [result.metadata for result in found] == [{"a": 1, "n": 3}, {"n": 4}]


def test_frames_keep_index_ids_and_metadata():
    made = assess_many(FRAME, **GIVEN)
    run = pickle.loads(pickle.dumps(made))
    records = run.records()
    assert FRAME.join(records[["status"]])["status"].tolist() == ["ok", "ok"]
    assert FRAME.merge(run.atoms(), left_on="id", right_on="record")["atom"].tolist() == ["a0", "a0"]
    assert records["record"].dtype == FRAME["id"].dtype
    assert records["metadata"].tolist() == [{"a": 1, "n": 3}, {"n": 4}]


class Judge:
    """Stops with an error in the second record."""

    def __init__(self, stop):
        self.stop = stop

    def judge(self, premise, claims):
        if premise.record_id == "7":
            raise self.stop
        said = {"context_id": premise.id, "label": "entailment", "probability": 0.9}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims))


@pytest.mark.parametrize("stop", [BudgetError("too dear"), ConfigError("no key")])
def test_stop_keeps_finished_records(stop):
    with pytest.raises(type(stop)) as caught:
        assess_many(FRAME, judge=Judge(stop), concurrency=1, **GIVEN)
    assert [result.id for result in caught.value.run] == ["41"]
    assert str(caught.value.run.path) in caught.value.__notes__[0]


def test_component_that_raises_is_logged_and_named(caplog):
    found = list(assess_many(FRAME, judge=Judge(KeyError("boom")), **GIVEN))[1]
    assert "Judge': KeyError: 'boom' (" in found.failures[0].message
    assert "Traceback" in caplog.text
    lacking = type("Lacking", (), {"judge": lambda self: None})
    (failure,) = assess(TRUE, contexts=[TEXT], judge=lacking).failures
    assert failure.message.endswith("takes 1 positional argument but 3 were given")  # no place of ours


@pytest.mark.parametrize("llm", ["openai/gpt-4o", object(), Judge])
def test_wrong_llm_names_the_expected_method(llm):
    with pytest.raises(ConfigError, match=r"llm: .* has no method call\(\): .*model="):
        assess(TRUE, contexts=[TEXT], llm=llm)


def test_records_may_be_objects_of_another_tool():
    samples = [Sample(response=TRUE, retrieved_contexts=[Passage()], user_input="Who?", tag="old")]
    (found,) = assess_many(samples, **GIVEN).results()
    assert (found.prompt, found.metadata) == ("Who?", {"tag": "old", "team": "red"})
    assert [(context.id, context.link) for context in found.contexts] == [("p7", LINK)]


PRIOR = Factor((0,), np.array([0.2, 0.8]))


def network(names=("a", "b"), sizes=(2, 2), factors=(PRIOR,), evidence=None):
    return FactorGraph(names, sizes, factors, evidence or {})


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"names": ("a", "a")}, "names", "'a' is the name of several"),
        ({"sizes": (2,)}, "cardinalities", "has 1 numbers for 2 names"),
        ({"sizes": (2, 0)}, "cardinalities", "a variable needs a state"),
        ({"factors": (PRIOR, Factor((2,), [1, 1]))}, "factors[1].scope", "has 2; variables are numbered"),
        ({"factors": (Factor(("a",), [1, 1]),)}, "factors[0].scope", "has 'a'"),
        ({"factors": (Factor((0, 0), np.ones((2, 2))),)}, "factors[0].scope", "a variable twice"),
        ({"factors": (Factor((0, 1), np.ones((2, 3))),)}, "factors[0].table", "has the shape (2, 3)"),
        ({"factors": (Factor((0,), [-1, 1]),)}, "factors[0].table", "negative or not finite"),
        ({"factors": (Factor((0,), [np.nan, 1]),)}, "factors[0].table", "negative or not finite"),
        ({"factors": (Factor((0,), [[0.1], [0.2, 0.3]]),)}, "factors[0].table", "is no array of numbers"),
        ({"factors": (Factor((0,), ["x", "y"]),)}, "factors[0].table", "is no array of numbers"),
        ({"evidence": {0: 2}}, "evidence", "variable 0 has no state 2"),
    ],
)
def test_a_factor_graph_is_checked_when_built(given, field, words):
    with pytest.raises(InputError) as caught:
        network(**given)
    (problem,) = caught.value.problems
    assert (problem.where, problem.field) == ("FactorGraph()", field)
    assert words in problem.message


@pytest.mark.parametrize(
    ("columns", "column_map"),
    [
        ({"id": pandas.array([1, None], dtype="Int64")}, None),
        ({"qid": ["a", "b"], "id": [3.5, 4.5]}, {"qid": "id"}),
    ],
)
def test_frame_keeps_its_index_beside_id_column(columns, column_map):
    frame = pandas.DataFrame(columns | {"output": ["A b.", "C d."], "contexts": [["x"], ["x"]]}, index=[7, 8])
    run = assess_many(frame, column_map=column_map)
    frame.index = [8, 7]
    assert list(run.atoms().index) == [7, 8]


def test_skipped_records_leave_the_index_of_others():
    rows = [{"id": n, "output": "A b.", "contexts": 3 if n == 2 else ["A b."]} for n in (1, 2, 3, 4)]
    frame = pandas.DataFrame(rows, index=[10, 20, 30, 40])
    records = assess_many(frame, skip_invalid=True).records()
    assert [*zip(records.index, records["record"], strict=True)] == [(10, 1), (30, 3), (40, 4)]


def test_folder_with_other_records_keeps_no_index(tmp_path, caplog):
    for ids in ([1, 2], [3, 4]):
        frame = pandas.DataFrame({"id": ids, "output": ["A b."] * 2, "contexts": [["x"]] * 2}, index=[7, 8])
        runs = [assess_many(rows, out=tmp_path / "out") for rows in (frame, frame.to_dict("records"))]
    for found in (runs[0].records(), runs[0].atoms(), runs[1].atoms()):
        assert list(frame.merge(found, left_on="id", right_on="record")["id"]) == [3, 4]
    text, mixed = (assess_many(rows, out=tmp_path / "out") for rows in (frame.assign(id=["x", "y"]), frame))
    assert list(mixed.atoms()["record"]) == list(text.atoms()["record"]) == [*"1234xy"]
    assert caplog.text.count("keeps no index: join on `record` (text if any id is: id.astype(str))\n") == 3


NODES = [{"id": "a", "kind": "atom", "prior": 0.5}, {"id": "c", "kind": "context", "prior": 0.9}]
EDGE = {"source": "c", "target": "a", "kind": "entailment", "probability": 0.9}


@pytest.mark.parametrize("made", [lambda data: FactGraph(**data), FactGraph.model_validate])
@pytest.mark.parametrize(
    ("nodes", "relations", "field"),
    [
        ([*NODES, NODES[0]], [], "nodes[2].id"),
        ([*NODES, NODES[0] | {"kind": "context"}], [EDGE], "nodes[2].id"),
        (NODES, [EDGE, EDGE | {"source": "x"}], "relations[1].source"),
        (NODES, [EDGE | {"target": "x"}], "relations[0].target"),
        (NODES, [EDGE | {"target": "c"}], "relations[0]"),
    ],
)
def test_a_fact_graph_is_checked_when_built(made, nodes, relations, field):
    with pytest.raises(InputError) as caught:
        made({"nodes": nodes, "relations": relations})
    assert [problem.field for problem in caught.value.problems] == [field]


@pytest.mark.parametrize(
    ("model", "wrong", "field"),
    [
        (Node, NODES[0] | {"prior": 1.2}, "prior"),
        (Node, NODES[0] | {"kind": "claim"}, "kind"),
        (Relation, EDGE | {"probability": "high"}, "probability"),
        (Relation, {"source": "c"}, "target"),
    ],
)
def test_invalid_node_or_relation_names_its_field(model, wrong, field):
    with pytest.raises(InputError, match=rf"{model.__name__}\(\): {field}: "):
        model(**wrong)


def test_a_graph_from_python_is_solved():
    facts = factor_graph(FactGraph(nodes=NODES, relations=[EDGE]))
    assert ExactSolver().marginals(facts).p_true["a"] == pytest.approx(0.86)
    own = network(["a", "b"], [2, 2], [Factor([0], [0.2, 0.8])])
    assert ExactSolver().marginals(own).p_true == pytest.approx({"a": 0.8, "b": 0.5})


class Finder:
    def retrieve(self, atoms, record):
        return Retrieved((Context(id="c0", text=TEXT),))


@pytest.mark.parametrize("retriever", [Finder, Finder()])
def test_many_records_take_a_retriever(retriever):
    (result,) = assess_many([{"output": TRUE}], retriever=retriever, **GIVEN)
    assert [row.label for row in result.rows()] == ["supported"]
