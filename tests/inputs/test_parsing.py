"""Objects of files and of callers in Python: every shape people use, and what is said of every wrong one."""

import math

import pandas as pd
import pytest

from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, parse_column_map
from factreasoner.inputs.items import KINDS
from factreasoner.inputs.parsing import Reader, parse_record, parse_records
from factreasoner.models import Atom, Record

TEXT = "Paris is the capital of France."
TURNS = [{"role": "user", "content": "Who was Curie?"}, {"role": "assistant", "content": None}]
FACTS = [
    "Born.",
    {"text": "Died.", "label": False, "source": "page 2", "content": "Died."},
    {"id": "x", "text": "Wrote.", "label": "True"},
]
DOCUMENT = {"source": "https://x.example/a", "title": "Tower"}


def parse(data, **columns):
    return Reader(columns).record({"output": "x"} | data, where="f.jsonl:1", default_id="r1")


def seen(record):
    """What a record holds beside its id and an answer "x"; an item is "id=text", with its other values."""
    found = {}
    usual = {"id": "r1", "response": "x"}
    for key, value in record.model_dump(mode="json", exclude_defaults=True).items():
        if key in KINDS:
            shown = [(f"{item.pop('id')}={item.pop('text')}", item) for item in value]
            found[key] = [name if not rest else (name, rest) for name, rest in shown]
        elif usual.get(key) != value:
            found[key] = value
    return found


@pytest.mark.parametrize(("field", "key"), [(field, key) for field, keys in FIELDS.items() for key in keys])
def test_a_field_has_several_names(field, key):
    listed = field in KINDS or field == "gold_contexts"
    record = Reader().record({"answer": "x", key: ["x"] if listed else "x"}, where="", default_id="1")
    found = getattr(record, field)
    assert getattr(found[0], "text", found[0]) == "x" if listed else found == "x"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"atoms": None, "contexts": None}, {}),
        ({"atoms": [], "contexts": [], "facts": []}, {"atoms": [], "contexts": [], "facts": []}),
        ({"id": 12, "atoms": ["s", {"id": 7, "text": "t"}]}, {"id": "12", "atoms": ["a0=s", "7=t"]}),
        (
            {"contexts": ["s", {"text": "t", "prior": 0.7, "summary": None, "link": "http://x"}]},
            {"contexts": ["c0=s", ("c1=t", {"prior": 0.7, "link": "http://x"})]},
        ),
        (
            {"atoms": ["s", {"text": "t", "contexts": [1, 1]}], "contexts": ["u", {"id": 1, "text": "v"}]},
            {"atoms": ["a0=s", "a1=t"], "contexts": ["c0=u", ("1=v", {"atom_ids": ["a1"]})]},
        ),
        (
            {"atoms": ["s", "t"], "contexts": [{"text": "u", "atom_ids": ["a1", "a0"]}]},
            {"atoms": ["a0=s", "a1=t"], "contexts": [("c0=u", {"atom_ids": ["a0", "a1"]})]},
        ),
        ({"contexts": [{"text": "", "snippet": "u"}]}, {"contexts": [("c0=u", {"snippet": "u"})]}),
        (
            {"atoms": [{"text": "s", "gold": "NS"}, {"text": "t", "label": "S", "gold": "S"}]},
            {"atoms": [("a0=s", {"gold": "NS"}), ("a1=t", {"gold": "S"})]},
        ),
        *(
            (
                {"contexts": [{key: "u", "metadata": DOCUMENT}, {"text": "v", key: "w"}]},
                {
                    "contexts": [("c0=u", {"title": "Tower", "link": DOCUMENT["source"]}), "c1=v"],
                    "metadata": {"context_fields": {"c0": {"metadata": DOCUMENT}, "c1": {key: "w"}}},
                },
            )
            for key in ("page_content", "content")
        ),
        (
            {"atoms": ["s", {"id": "c0", "text": "t"}], "contexts": ["u", {"id": "a0", "text": "v"}]},
            {"atoms": ["a1=s", "c0=t"], "contexts": ["c1=u", "a0=v"]},
        ),
        (
            {"split": "test", "metadata": {"n": 1, "k": 2}, "atoms": [{"text": "s", "votes": [1, 0]}]},
            {
                "atoms": ["a0=s"],
                "metadata": {"split": "test", "n": 1, "k": 2, "atom_fields": {"a0": {"votes": [1, 0]}}},
            },
        ),
        ({"n": 1, "metadata": {"n": 2}}, {"metadata": {"n": 1, "metadata": {"n": 2}}}),
        ({"metadata": "a note"}, {"metadata": {"metadata": "a note"}}),
        ({"metadata": []}, {}),
        ({"response": "x", "prompt": None, "query": "q"}, {"prompt": "q"}),
        (
            {"facts": FACTS},
            {
                "facts": ["f0=Born.", ("f1=Died.", {"gold": "NS"}), ("x=Wrote.", {"gold": "S"})],
                "metadata": {"fact_fields": {"f1": {"source": "page 2", "content": "Died."}}},
            },
        ),
        ({"reference_atoms": ["s", {"id": "b", "text": "t"}]}, {"reference_atoms": ["r0=s", "b=t"]}),
        (
            {"contexts": [{"text": "u", "relevant": True}, {"text": "v", "relevant": False}, "w"]},
            {"contexts": ["c0=u", "c1=v", "c2=w"], "gold_contexts": ["c0"]},
        ),
        ({"contexts": [{"text": "u", "relevant": False}]}, {"contexts": ["c0=u"], "gold_contexts": []}),
        ({"gold_contexts": ["c0", "elsewhere"]}, {"gold_contexts": ["c0", "elsewhere"]}),
        ({"input": TURNS}, {"prompt": "user: Who was Curie?\nassistant: "}),
    ],
)
def test_an_object_becomes_a_record(data, expected):
    assert seen(parse(data)) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["", 1, "model_fields"])
@pytest.mark.parametrize("value", [1, "w"])
def test_any_other_key_of_an_item_is_metadata(kind, key, value):
    record = parse({kind: [{"id": "i", "text": "t", key: value}]})
    assert record.metadata == {f"{kind[:-1]}_fields": {"i": {key: value}}}


def test_missing_keys_are_reported_after_wrong_values():
    reader = Reader(fits=lambda record: [InputProblem("", "contexts", "missing")])
    for label, field in (("?", "atoms[0].label"), ("S", "contexts")):
        with pytest.raises(InputError) as caught:
            reader.record({"output": "x", "atoms": [{"text": "t", "label": label}]}, where="", default_id="1")
        assert [problem.field for problem in caught.value.problems] == [field]


def test_a_prior_is_a_number():
    with pytest.raises(InputError, match=r"f.jsonl:1: contexts\[0\].prior: is nan; .* between 0 and 1"):
        parse({"contexts": [{"text": "a", "prior": math.nan}]})


@pytest.mark.parametrize(
    ("data", "columns", "expected"),
    [
        ({"docs": ["u"], "k": 1}, {"docs": "contexts"}, {"contexts": ["c0=u"], "metadata": {"k": 1}}),
        ({"final": "x", "output": "old"}, {"final": "response"}, {"metadata": {"output": "old"}}),
        ({"answer": "the question"}, {"answer": "prompt"}, {"prompt": "the question"}),
        (
            {"prompt": "long", "question": "short"},
            {"question": "prompt"},
            {"prompt": "short", "metadata": {"prompt": "long"}},
        ),
    ],
)
def test_a_mapped_key_overrules_the_usual_ones(data, columns, expected):
    assert seen(parse(data, **columns)) == expected


def test_parse_column_map():
    assert parse_column_map(["text=output", "a = question"]) == {"text": "output", "a": "question"}


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["text"], "THEIRS=OURS"),
        (["=output"], "THEIRS=OURS"),
        (["text="], "THEIRS=OURS"),
        (["output=text"], "did you mean .column_map=..text.: .output..."),
        (["text=ouput"], "did you mean 'output'"),
        (["a=output", "b=response"], "both 'a' and 'b'"),
        (["a=output", "a=input"], "mapped to 'output' already"),
    ],
)
def test_wrong_column_map(pairs, words):
    with pytest.raises(ConfigError, match=words):
        parse_column_map(pairs)


def made(**given):
    return parse_record("assess()", **({"response": "x"} | given))


def fitting(records, column_map=None):
    return parse_records("assess_many()", records, lambda record: (), column_map or {})


def test_given_atoms_keep_labels_and_empty_lists():
    record = made(atoms=[{"text": "b", "label": "S"}, Atom(id="z", text="c")])
    assert record.atoms == (Atom(id="a0", text="b", gold="S"), Atom(id="z", text="c"))
    assert (made(contexts=[]).contexts, made(contexts=[]).atoms) == ((), None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"facts": TEXT}, "facts: is a string; it must be a list"),
        ({"contexts": {"text": TEXT}}, "contexts: is an object; it must be a list"),
        ({"contexts": 5}, "contexts: is the number 5"),
        ({"contexts": [math.nan]}, "contexts[0]: is the number nan"),
        (
            {"contexts": [{"txt": "a"}]},
            "contexts[0].text: missing or blank; there is a key 'txt': did you mean",
        ),
        ({"contexts": [None, 3], "atoms": ["", TEXT]}, "atoms[0].text: missing"),
        ({"contexts": [None, 3], "atoms": ["", TEXT]}, "contexts[0]: is null"),
        ({"contexts": [None, 3], "atoms": ["", TEXT]}, "contexts[1]: is the number 3"),
        ({"response": None}, "output: is None"),
        ({"response": math.nan}, "output: is the number nan"),
        ({"topic": 3}, "topic: is the number 3"),
        ({"response": "a \ud800 b"}, "output: has half a character (U+D800, a lone surrogate) at 2"),
        ({"contexts": ["\udfff"]}, "contexts[0].text: has half a character"),
        ({"contexts": [{"text": "a", "\udfff": 1}]}, "context_fields: has half a character"),
    ],
)
def test_invalid_arguments_are_reported(given, words):
    with pytest.raises(InputError) as raised:
        made(**given)
    assert words in str(raised.value)
    assert all(problem.where == "assess()" for problem in raised.value.problems)


@pytest.mark.parametrize(
    ("records", "columns", "words"),
    [
        (pd.DataFrame([["answer", "passage"]]), {}, r"record 1 \(index 0\): output: missing"),
        (
            [{"reply": "x"}] * 20,
            {"repyl": "output"},
            r"\): column_map: no record has the key 'repyl'; .*'reply'\?$",
        ),
        ([{"reply": "x"}] * 4, {}, r"record 1 and 3 more \(2, 3, 4\): output: missing"),
        ({"train": pd.DataFrame(), "test": 1}, {}, "is an object; it must be a list of records"),
        (
            [Record(id="a", response="x"), {"id": "a", "output": "y"}],
            {},
            "record 2: id: 'a' is the id of an earlier",
        ),
        ([], {}, "records: there are none"),
    ],
)
def test_common_problem_is_reported_once(records, columns, words):
    with pytest.raises(InputError, match=words) as caught:
        fitting(records, columns)
    assert len(caught.value.problems) == 1


def test_keys_that_look_misspelt_are_noted(caplog):
    _, notes, _ = fitting([{"output": "x", "topci": "y", "contexts": [{"text": "z", "tittle": "t"}]}] * 2)
    made(contexts=[{"text": "z", "tittle": "t"}], atoms=[{"text": "z", "lable": "S"}])
    assert [*notes, *(record.getMessage() for record in caplog.records)] == [
        "assess_many(): 'topci' is kept as metadata; did you mean 'topic'? (`column_map={'topci': 'topic'}`)",
        "assess_many(): contexts: 'tittle' is kept as metadata; did you mean 'title'?",
        "assess(): atoms: 'lable' is kept as metadata; did you mean 'label'?",
        "assess(): contexts: 'tittle' is kept as metadata; did you mean 'title'?",
    ]


@pytest.mark.parametrize("note", ["\ud800", ["a", {"b": "\udfff"}], {"\ud800": 1}, float("inf")])
def test_unserialisable_values_are_refused_early(note):
    with pytest.raises(InputError, match=r"record 1: note: h(as half|olds a number that is too large)"):
        fitting([{"output": "x", "note": note}])
    with pytest.raises(InputError, match="record 1: metadata: h"):
        fitting([Record(id="a", response="x", metadata={"note": note})])


def nested(levels):
    found = []
    for _ in range(levels):
        found = [found]
    return found


CYCLE = {}
CYCLE["itself"] = CYCLE


@pytest.mark.parametrize("note", [{"\udfff"}, object(), b"\xff", nested(400), CYCLE, 10**5000], ids=type)
def test_unserialisable_records_are_refused(note):
    for records in ([{"output": "x", "note": note}], [Record(id="a", response="x", metadata={"note": note})]):
        with pytest.raises(
            InputError, match=r"record 1: (note|metadata): .*(no file can hold it|levels deep)"
        ):
            fitting(records)


def test_dataset_splits_are_reported():
    class Split(list[dict[str, str]]):
        column_names = ("output",)

    with pytest.raises(InputError, match=r"holds the splits train, test; pass one of them: \['train'\]"):
        fitting({"train": Split(), "test": Split()})
