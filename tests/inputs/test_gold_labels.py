"""Gold files: both forms, and labels that are for something else."""

import json

import pytest
from assessments import assessment

from factreasoner.errors import InputError
from factreasoner.inputs.gold_labels import GoldFile


def gold_file(tmp_path, *lines):
    path = tmp_path / "gold.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def label(record, atom, gold, **more):
    return {"record": record, "atom": atom, "label": gold, **more}


def golds(item):
    return [atom.gold for atom in item.atoms]


def test_gold_file_labels_replace_run_labels(tmp_path):
    gold = GoldFile(
        gold_file(tmp_path, label("r1", "a0", "C"), "", label("r1", "a1", "U"), label("r1", "a2", None))
    )
    assert golds(gold.apply(assessment([0.9, 0.8, 0.7], gold="SSS"))) == ["C", "U", None]
    assert gold.counts() == {
        "labels": 2,
        "used": 2,
        "of_other_records": 0,
        "of_other_atoms": 0,
        "on_other_texts": 0,
    }
    assert gold.unused() is None


def test_records_with_labelled_atoms_are_a_gold_file(tmp_path):
    atoms = [{"text": "Statement  0.", "label": "S"}, {"id": "a1", "text": "Something else.", "gold": "NS"}]
    gold = GoldFile(gold_file(tmp_path, {"id": "r1", "output": "x", "atoms": atoms}))
    assert golds(gold.apply(assessment([0.9, 0.8]))) == ["S", None]
    assert gold.unused() == f"{tmp_path / 'gold.jsonl'}: 1 of 2 labels are used; 1 on other texts"


def test_integer_ids_and_default_record_ids_match(tmp_path):
    lines = [label(7, 0, "S"), {"atoms": [{"text": "Statement 0.", "label": "NS"}]}]
    gold = GoldFile(gold_file(tmp_path, *lines))
    assert golds(gold.apply(assessment([0.9], record_id="r2"))) == ["NS"]
    assert golds(gold.apply(assessment([0.9], record_id="7"))) == [None]
    assert gold.counts()["of_other_atoms"] == 1


def test_labels_of_others_are_counted(tmp_path):
    lines = [
        label("r1", "a0", "S"),
        label("r1", "a9", "S"),
        label("x", "a0", "S"),
        label("r1", "a1", "S", text="?"),
    ]
    gold = GoldFile(gold_file(tmp_path, *lines))
    gold.apply(assessment([0.9, 0.8]))
    assert "1 of 4 labels are used; 1 of other records, 1 of other atoms, 1 on other texts" in gold.unused()


def test_gold_file_matching_nothing_is_refused(tmp_path):
    gold = GoldFile(gold_file(tmp_path, *(label(f"x{i}", "a0", "S") for i in range(4))))
    gold.apply(assessment([0.9]))
    with pytest.raises(InputError) as error:
        gold.unused()
    assert "none of its 4 labels is for an atom of this run: 4 of other records" in str(error.value)
    assert "'x0', 'x1', 'x2', ..., the run's 'r1'" in str(error.value)
    gold = GoldFile(gold_file(tmp_path, label("r1", "a77", "S")))
    gold.apply(assessment([0.9]))
    with pytest.raises(InputError, match="1 of other atoms; `show` names the run's atoms"):
        gold.unused()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"record": "r", "atom": "a"}, "label: missing; a line is"),
        ({"record": "r", "atom": "a", "label": "yes"}, "label: is 'yes'; write \"S\""),
        ({"atom": "a", "label": "S"}, "record: missing"),
        ({"record": "r", "atom": "a", "label": "S", "text": 3}, "text: is the number 3"),
        ({"id": "r", "atoms": [{"text": "t", "label": "maybe"}]}, "atoms[0].label: is 'maybe'"),
        ({"id": "r", "atoms": "a0"}, "atoms: is a string"),
        ("{'record': 'r'}", "not JSON"),
        ("[1]", "this is a JSON array"),
        ("r,a,S", 'no line of it is a JSON object; a line is {"record", "atom", "label"}'),
    ],
)
def test_bad_lines_are_named(tmp_path, line, words):
    with pytest.raises(InputError) as error:
        GoldFile(gold_file(tmp_path, line))
    assert words in str(error.value)


def test_all_bad_and_conflicting_lines_are_named(tmp_path):
    lines = [label("r", "a", "S"), label("r", "a", "S"), label("r", "a", "NS"), label("r", "b", 1)]
    gold = GoldFile(gold_file(tmp_path, *lines))
    with pytest.raises(InputError) as error:
        gold.unused()
    assert "gold.jsonl:3: label: 'a' of 'r' is S in line 1; keep one" in str(error.value)
    assert "gold.jsonl:4: label: is 1" in str(error.value)
    assert "gold.jsonl: none of its 1 labels is for an atom of this run" in str(error.value)


@pytest.mark.parametrize("lines", [(), (label("r", "a", None),)])
def test_a_file_without_labels(tmp_path, lines):
    with pytest.raises(InputError, match="holds no label"):
        GoldFile(gold_file(tmp_path, *lines))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        GoldFile(tmp_path / "nothing.jsonl")
