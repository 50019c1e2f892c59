"""Which verdicts of a table an input has a use for."""

import pytest

from factreasoner.errors import InputError
from factreasoner.judges.relation_lines import UsedLines, table_of
from factreasoner.models import Atom, Context, Record

LINE = '{{"record": "{}", "source": "{}", "target": "{}", "label": "entailment"}}\n'
GIVEN = Record(
    id="r1", response="x", atoms=(Atom(id="a0", text="A."),), contexts=(Context(id="c0", text="C."),)
)
OPEN = GIVEN.model_copy(update={"atoms": None})
BELONG = "verdicts belong to pairs of this input; the first other one is on line"


@pytest.mark.parametrize(
    ("records", "pairs", "told"),
    [
        ([GIVEN], True, f"2 of 4 {BELONG} 2: "),
        ([OPEN], True, f"3 of 4 {BELONG} 4: no record 'r2'"),
        ([GIVEN], False, "3 of 4 verdicts"),
        ([OPEN, OPEN.model_copy(update={"id": "r2"})], True, ""),
    ],
)
def test_unused_relation_lines_are_counted(tmp_path, records, pairs, told):
    pairs_of = [("r1", "c0", "a0"), ("r1", "c7", "a0"), ("r1", "a0", "c0"), ("r2", "c0", "a0")]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(LINE.format(*line) for line in pairs_of))
    lines = UsedLines(file, table_of(file, 0.9))
    for record in records:
        lines.note(record, pairs=pairs)
    assert lines.unused().startswith(f"{file}: {told}" if told else "")
    assert bool(lines.unused()) == bool(told)
    if told.endswith(": "):
        assert lines.unused().endswith("line 2: record 'r1' has no atom or context 'c7'")


def test_table_on_other_records_or_pairs_is_refused(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_text(LINE.format("r1", "c0", "a9") + LINE.format("r2", "c0", "a0"))
    lines = UsedLines(file, table_of(file, 0.9))
    lines.note(GIVEN, pairs=True)
    with pytest.raises(InputError, match=r"t\.jsonl:1: no verdict of the file .*no atom or context 'a9'"):
        lines.unused()
    with pytest.raises(InputError, match=r"t\.jsonl:1: no verdict on a record that is read .*'a9'"):
        lines.unused(whole=False)


def test_verdict_on_excluded_record_is_not_reported(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_text(LINE.format("r1", "c0", "a0") + LINE.format("r2", "c0", "a0"))
    lines = UsedLines(file, table_of(file, 0.9))
    assert lines.unused(whole=False) == ""
    lines.note(GIVEN, pairs=True)
    assert lines.unused(whole=False) == ""
    assert "1 of 2 verdicts" in lines.unused()
