"""What callers hand over comes back: passages and records of any library, ids, stops, graphs and errors."""

import dataclasses
import enum
import logging
import sqlite3
import threading
import uuid
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pandas
import pydantic
import pytest

from factreasoner import assess, assess_many
from factreasoner.errors import InputError
from factreasoner.models import Context

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


class Node(pydantic.BaseModel):
    """As LlamaIndex' nodes: the text is a property."""

    id_: str = "p7"
    inner: str = TEXT
    metadata: dict[str, Any] = {"file_name": "Curie", "url": LINK}

    @property
    def text(self):
        return self.inner


class Found(pydantic.BaseModel):
    """As LlamaIndex' results."""

    node: Node
    score: float


@dataclasses.dataclass
class Source:
    content: str = TEXT
    id: uuid.UUID | str = "p7"
    title: str = "Curie"
    url: str = LINK


@dataclasses.dataclass
class HaystackDocument:
    content: str = TEXT
    id: str = "p7"
    meta: dict[str, Any] = dataclasses.field(default_factory=lambda: {"title": "Curie", "url": LINK})
    embedding: Any = None


class Slotted:
    __slots__ = ("id", "link", "text", "title")

    def __init__(self):
        self.id, self.text, self.title, self.link = "p7", TEXT, "Curie", LINK


class Kind(enum.Enum):
    BOOK = "Curie"


def row_of_sqlite():
    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    return base.execute("select 'p7' id, ? text, 'Curie' title, ? url", (TEXT, LINK)).fetchone()


METADATA = {"id": "p7", "title": "Curie", "source": LINK, "page": 3}
Row = namedtuple("Row", "id text title url")
CHUNK = Chunk(id="p7", page_content=TEXT, metadata=METADATA)


@pytest.mark.parametrize(
    "passage",
    [
        Passage(),
        Source(),
        Source(id=uuid.UUID(int=7), title=Kind.BOOK),
        Slotted(),
        Row("p7", TEXT, "Curie", LINK),
        CHUNK,
        (CHUNK, 0.83),
        Chunk(page_content=TEXT, metadata=METADATA),
        SimpleNamespace(page_content=TEXT, metadata=METADATA),
        Node(),
        Found(node=Node(), score=0.7),
        (Node(), 0.7),
        HaystackDocument(),
        {"document": HaystackDocument(), "score": 0.3},
        {"payload": {"text": TEXT, "title": "Curie", "url": LINK}, "id": "p7"},
        {"text": TEXT, "metadata": METADATA},
        {"page_content": TEXT, "metadata": METADATA},
        {"id": "p7", "text": TEXT, "title": "Curie", "url": LINK},
        {"id": "p7", "text": TEXT, "title": "Curie", "url": "elsewhere", "link": LINK},
        pandas.Series({"id": "p7", "text": TEXT, "title": "Curie", "url": LINK}),
        row_of_sqlite(),
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


def test_what_is_no_field_is_kept_and_what_is_lost_is_said(caplog):
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


FRAME = pandas.DataFrame(
    [
        {"id": 41, "output": TRUE, "contexts": [TEXT], "metadata": {"a": 1}, "n": 3},
        {"id": 7, "output": FALSE, "contexts": [TEXT], "metadata": None, "n": 4},
    ],
    index=pandas.Index(["x", "y"], name="key"),
)


@pytest.mark.parametrize(
    "records",
    [
        FRAME,
        FRAME.iterrows(),
        FRAME.itertuples(),
        FRAME.itertuples(index=False),
        FRAME.to_dict("records"),
        [SimpleNamespace(**row) for row in FRAME.to_dict("records")],
    ],
    ids=["frame", "iterrows", "itertuples", "without index", "dicts", "objects"],
)
def test_rows_of_a_frame_are_records(records):
    found = list(assess_many(records, **GIVEN).results())
    assert [result.record_id for result in found] == ["41", "7"]
    assert [result.metadata for result in found] == [{"a": 1, "n": 3}, {"n": 4}]


def test_records_may_be_objects_of_another_tool():
    samples = [Sample(response=TRUE, retrieved_contexts=[Passage()], user_input="Who?", tag="old")]
    (found,) = assess_many(samples, **GIVEN).results()
    assert (found.prompt, found.metadata) == ("Who?", {"tag": "old"})
    assert [(context.id, context.link) for context in found.contexts] == [("p7", LINK)]
