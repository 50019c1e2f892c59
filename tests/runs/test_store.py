"""The run folder: nothing finished is lost, nothing torn is believed, no other run is mixed in."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from assessments import assessment as judged
from run_folders import append, run_folder

from factreasoner.errors import InputError, RunError
from factreasoner.judges.calibration import Calibration, LabelOffsets
from factreasoner.models import Atom, Outcome
from factreasoner.models.journal import pack, unpack
from factreasoner.pipeline.config import Config
from factreasoner.runs import store
from factreasoner.runs.store import Ledger, RunFolder, fingerprints_of
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.recall import TASK as RECALL


def assessment(record_id, *, n=1, **fields):
    return judged([0.75] * n, record_id=record_id, fingerprint="f", **fields)


def opened(path, config=None, *, fresh=False, **fingerprints):
    folder = RunFolder(path, TASK)
    known = {"prompts": {"judge": "1"}, "files": {"relations": "1"}}
    folder.start(config or Config(), known | fingerprints, fresh=fresh)
    return folder


def written(path, *assessments):
    folder = opened(path)
    for item in assessments:
        append(folder, item)
    folder.close()


def test_last_line_of_each_record_is_read(tmp_path):
    items = [assessment(f"r{i}", n=i + 1) for i in range(3)]
    written(tmp_path / "run", assessment("r0", status="failed"), *items[1:], items[0])
    folder = opened(tmp_path / "run")
    assert list(folder.results(["r2", "nobody", "r0"])) == [items[2], items[0]]
    entries = [folder.entries[f"r{i}"] for i in range(3)]
    assert [(entry.size, entry.status) for entry in entries] == [(1, "ok"), (2, "ok"), (3, "ok")]


def test_atoms_are_counted_alike_before_and_after_reading(tmp_path):
    """K is their median: it is no other where a solver failed, and the posteriors come with another one."""
    unsolved = Outcome(p_true={}, support={}, unjudged=("a2",))
    atoms = tuple(Atom(id=f"a{i}", text="x") for i in range(3))
    made = assessment("r1").model_copy(update={"atoms": atoms, "outcome": unsolved})
    folder = opened(tmp_path / "run")
    append(folder, made)
    folder.close()
    again = RunFolder(tmp_path / "run", TASK)
    assert folder.entries["r1"].size == again.entries["r1"].size == 2


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_torn_last_line_is_overwritten(tmp_path, cut):
    written(tmp_path, assessment("r0"), assessment("r1"))
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-cut])
    folder = opened(tmp_path)
    assert set(folder.entries) == {"r0"}
    append(folder, assessment("r1"))
    folder.close()
    assert set(opened(tmp_path).entries) == {"r0", "r1"}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"config": Config(version=3)}, ["version: was 2, now 3", "`fresh=True`"]),
        ({"config": Config(atom_prior=0.4, max_tokens=99)}, ["atom_prior: was 0.5, now 0.4", "max_tokens"]),
        ({"prompts": {"judge": "2"}}, ["judge: was '1', now '2'"]),
        ({"prompts": {"judge": "1", "new": "2"}}, ["new: was None"]),
        ({"files": {"relations": "2"}}, ["relations: was '1', now '2'"]),
        ({"files": {}}, ["relations: was '1', now None"]),
    ],
)
def test_another_run_is_refused_by_the_differing_keys(tmp_path, other, words):
    written(tmp_path, assessment("r0"))
    with pytest.raises(RunError) as caught:
        opened(tmp_path, **other)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert list(opened(tmp_path).entries) == ["r0"], "what is refused is not locked"


def test_run_may_change_settings_without_effect_on_results(tmp_path):
    written(tmp_path)
    folder = opened(tmp_path, Config(version=3))
    assert folder.config().version == 3
    append(folder, assessment("r0"))
    folder.close()
    folder = opened(tmp_path, Config(version=3, k=3, concurrency=2, timeout=9, max_cost=5, cache=False))
    assert set(folder.entries) == {"r0"}


def test_only_fresh_resets_the_ledger(tmp_path):
    written(tmp_path, assessment("r0"))
    folder = opened(tmp_path)
    folder.ledger.add(0.25)
    folder.close()
    (tmp_path / "results.jsonl").write_text("old\n")
    (tmp_path / "batches").mkdir()
    (tmp_path / "batches" / "1.results.jsonl").write_text("{}\n")
    folder = opened(tmp_path)
    assert folder.spent == 0.25
    folder.close()
    folder = opened(tmp_path, Config(version=1), fresh=True)
    assert (folder.entries, folder.spent, folder.config().version) == ({}, 0, 1)
    assert not (tmp_path / "journal.jsonl").exists()
    assert not (tmp_path / "results.jsonl").exists()
    assert not list((tmp_path / "batches").glob("*"))


def test_a_second_writer_is_kept_out(tmp_path):
    first = opened(tmp_path)
    with pytest.raises(RunError, match="another call or process"):
        opened(tmp_path)
    first.close()
    opened(tmp_path).close()


def test_an_ending_writer_is_waited_for(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(opened, tmp_path).result()
        pool.submit(lambda: (time.sleep(0.3), first.close()))
        opened(tmp_path).close()


@pytest.mark.parametrize("lose", [Path.unlink, lambda journal: journal.write_bytes(b"")])
def test_results_without_journal_are_an_error(tmp_path, lose):
    folder = RunFolder(run_folder(tmp_path / "run", assessment("r1")), TASK)
    lose(folder.journal_path)
    lost = r"journal\.jsonl: is missing or empty, .*put it back, or run again with `fresh=True`"
    with pytest.raises(RunError, match=lost):
        folder.assessed()
    with pytest.raises(RunError, match=lost):
        folder.known_id("r1")
    with pytest.raises(RunError, match=lost):
        opened(folder.path)
    opened(folder.path, fresh=True).close()
    with pytest.raises(RunError, match="no record has been assessed in this run"):
        folder.assessed()


def test_a_journal_without_its_manifest_is_not_believed(tmp_path):
    written(tmp_path, assessment("r0"))
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(RunError, match=r"no manifest\.json"):
        opened(tmp_path)


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_a_folder_that_is_no_run(tmp_path, content):
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    remedy = "has no manifest" if content is None else "manifest.* put back a copy of it, or .*`fresh=True`"
    with pytest.raises(RunError, match=remedy):
        RunFolder(tmp_path, TASK).config()


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match=r"can't be used as a run folder: .*; choose another `out`"):
        opened(tmp_path / "file")


def test_order_follows_results_then_journal(tmp_path):
    written(tmp_path, *(assessment(f"r{i}") for i in (3, 1, 2)))
    folder = opened(tmp_path)
    assert list(folder.order()) == ["r3", "r1", "r2"]
    (tmp_path / "results.jsonl").write_text('{"id": "r2"}\n{"id": "gone"}\n')
    assert list(folder.order()) == ["r2", "r3", "r1"]
    (tmp_path / "results.jsonl").write_text('{"id":"r2"}\n{"p":1,"id":"r1"}\n')
    (tmp_path / "summary.json").write_text('{"records": {"not_in_input": 1}}')
    assert list(folder.order()) == ["r2", "r1"]
    for damaged in ("damaged", "7", '{"id": ["r2"]}'):
        (tmp_path / "results.jsonl").write_text(damaged)
        assert list(folder.order()) == ["r3", "r1", "r2"]


def test_a_journal_that_cant_be_written_is_named(tmp_path):
    folder = opened(tmp_path)
    folder.journal_path.mkdir()
    with pytest.raises(RunError, match=r"journal\.jsonl: can't be written: Is a directory"):
        append(folder, assessment("r0"))


DEEP = "[" * 100_000


def test_bottomless_nesting_is_reported_with_line(tmp_path):
    written(tmp_path, assessment("r0"))
    folder = RunFolder(tmp_path, TASK)
    folder.results_path.write_text(DEEP)
    assert list(folder.order()) == ["r0"]
    with folder.journal_path.open("a") as journal:
        journal.write('{"record_id": "r1", "x": ' + DEEP + "\n")
    with pytest.raises(RunError, match=r"journal\.jsonl:2: damaged line"):
        _ = RunFolder(tmp_path, TASK).entries
    folder.manifest.path.write_text(DEEP)
    with pytest.raises(RunError, match=r"manifest\.json: not a manifest: it is not valid JSON"):
        folder.manifest.content()


@pytest.mark.parametrize(("made", "asked"), [(TASK, RECALL), (RECALL, TASK)])
def test_run_of_other_task_is_refused(tmp_path, made, asked):
    folder = RunFolder(tmp_path, made)
    folder.start(Config(), {})
    folder.close()
    for refused in (
        lambda: RunFolder(tmp_path, asked).start(Config(), {}),
        RunFolder(tmp_path, asked).config,
    ):
        with pytest.raises(RunError, match=f"a run of `{made.name}`, not of `{asked.name}`"):
            refused()
    assert RunFolder.of_any_task(tmp_path).task is made


@pytest.mark.parametrize("made", [None, 1, 2, 0, 4, "3", [3]])
def test_another_format_is_refused_in_one_sentence(tmp_path, made):
    written(tmp_path, assessment("r0"))
    path = tmp_path / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in manifest.items() if key != "format"}))
    if made is not None:
        path.write_text(json.dumps(manifest | {"format": made}))
    remedy = "run again" if made in (None, 0, 1, 2) else "install a later version"
    with pytest.raises(RunError, match=rf"has format .*, and this version reads 3; {remedy}$"):
        RunFolder.of_any_task(tmp_path)


def test_an_unknown_task_is_named(tmp_path):
    written(tmp_path, assessment("r0"))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"task": "sing"}))
    with pytest.raises(RunError, match=r"'sing'.*known: run, recall"):
        RunFolder.of_any_task(tmp_path)


def test_every_changed_byte_is_detected(tmp_path):
    written(tmp_path, assessment("r0"), assessment("r1"), assessment("r2"))
    journal = tmp_path / "journal.jsonl"
    whole = journal.read_bytes()
    begin = whole.index(b"\n") + 1
    for at in range(begin, whole.index(b"\n", begin), 7):
        changed = bytearray(whole)
        changed[at] ^= 1
        if changed[at] == ord("\n"):
            continue
        journal.write_bytes(changed)
        with pytest.raises(RunError, match=r"journal\.jsonl:2: damaged line: .*; remove it and run again"):
            _ = RunFolder(tmp_path, TASK).entries


def test_invalid_value_in_line_gives_one_sentence(tmp_path):
    written(tmp_path, assessment("r0"))
    folder = RunFolder(tmp_path, TASK)
    line = unpack(folder.journal_path.read_bytes())
    wrong = line._replace(result=line.result.replace(b'"supported"', b'"suported"'))
    folder.journal_path.write_bytes(pack(wrong))
    with pytest.raises(RunError) as raised:
        list(folder.results(["r0"]))
    told = str(raised.value)
    assert "journal.jsonl:1: not a result of a run of `run`: outcome.support.a0: " in told
    assert told.endswith("the line is whole, so it was written with another manifest.json: put that one back")
    assert "\n" not in told
    assert "pydantic" not in told


def test_unknown_record_suggests_the_nearest_id(tmp_path, monkeypatch):
    written(tmp_path, *(assessment(f"r{number}") for number in range(1, 8)))
    folder = opened(tmp_path)
    assert folder.known_id("r1") == "r1"
    with pytest.raises(RunError, match="no record 'r11'; did you mean 'r1'"):
        folder.known_id("r11")
    monkeypatch.setattr(store, "MOST_COMPARED", 0)
    ids = r"'r1', 'r2', 'r3', \.\.\."
    with pytest.raises(RunError, match=rf"no record 'r11'; the run has the ids {ids}$"):
        folder.known_id("r11")


def test_resume_removes_leftovers_of_killed_process(tmp_path):
    written(tmp_path, assessment("a"))
    left = [tmp_path / f".{name}.77.tmp" for name in ("results.jsonl", "summary.json", "manifest.json")]
    others = tmp_path / ".report.html.77.tmp"
    for path in (*left, others):
        path.write_text("half")
    opened(tmp_path).close()
    assert not any(path.exists() for path in left)
    assert others.exists()


def test_every_thread_s_payment_counts(tmp_path):
    ledger = Ledger(tmp_path / "spent.txt")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ledger.add, [1e-6] * 200))
    assert Ledger(ledger.path).total == pytest.approx(2e-4)


@pytest.mark.parametrize("cut", range(1, 13))
def test_torn_ledger_line_never_counts_more(tmp_path, cut):
    ledger = Ledger(tmp_path / "spent.txt")
    ledger.add(0.25)
    ledger.add(0.0000125)
    ledger.path.write_bytes(ledger.path.read_bytes()[:-cut])
    Ledger(ledger.path).add(0.5)
    assert 0.75 <= Ledger(ledger.path).total <= 0.7500125


@pytest.mark.parametrize("damaged", [b"\x00\x00", b"-1.5", b"nan", b"0.1 0.2", "½".encode()])
def test_invalid_ledger_line_is_named(tmp_path, damaged):
    path = tmp_path / "spent.txt"
    path.write_bytes(b"\n0.25\n" + damaged)
    with pytest.raises(RunError, match=r"spent\.txt:3: .* is not an amount in US dollars"):
        _ = Ledger(path).total


def test_unusable_ledger_file_is_named(tmp_path):
    with pytest.raises(RunError, match=r"gone/spent\.txt: can't be written: No such file"):
        Ledger(tmp_path / "gone" / "spent.txt").add(0.1)
    with pytest.raises(RunError, match="can't be read: Is a directory"):
        _ = Ledger(tmp_path).total


LINE = '{"record": "r", "source": "c0", "target": "a0", "label": "entailment"}\n'


@pytest.fixture
def config(tmp_path):
    relations, calibration = tmp_path / "relations.jsonl", tmp_path / "c.json"
    relations.write_text(LINE)
    calibration.write_text(Calibration(verdicts=LabelOffsets(temperature=2.0)).model_dump_json())
    return Config(judge="recorded", relations=relations, calibration=calibration)


def made(path, config):
    opened(path, config, **fingerprints_of(TASK, config)).close()
    return RunFolder(path, TASK)


@pytest.mark.parametrize(
    ("settings", "more"),
    [({}, set()), ({"query_builder": "llm", "summarizer": "llm"}, {"query", "summarizer"})],
)
def test_only_possible_prompts_are_fingerprinted(settings, more):
    found = fingerprints_of(TASK, Config(model="m", **settings))["prompts"]
    assert found.keys() == {"atomizer", "judge", "judge_one", "reviser"} | more


def test_files_are_fingerprinted_by_their_content(config, tmp_path):
    found = fingerprints_of(TASK, config)["files"]
    assert found.keys() == {"relations", "calibration"}
    assert fingerprints_of(TASK, Config())["files"] == {}
    copy = tmp_path / "copy.jsonl"
    copy.write_text(LINE)
    assert fingerprints_of(TASK, config.model_copy(update={"relations": copy}))["files"] == found


def test_verdicts_of_newer_format_are_refused(config, tmp_path):
    path = made(tmp_path / "run", config).path
    manifest = path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 99}))
    with pytest.raises(RunError, match="has format 99"):
        fingerprints_of(TASK, Config(judge="recorded", relations=path))


@pytest.mark.parametrize("name", ["relations", "calibration"])
def test_a_changed_file(config, tmp_path, name):
    folder = made(tmp_path / "run", config)
    folder.refuse_changed_files()
    path = getattr(config, name)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(RunError, match=rf"\({name}\) has changed since this run"):
        folder.refuse_changed_files()
    folder.refuse_changed_files(named=[name])


def test_a_file_that_is_gone(config, tmp_path):
    folder = made(tmp_path / "run", config)
    config.relations.unlink()
    folder.refuse_changed_files()
    config.calibration.unlink()
    with pytest.raises(InputError, match="calibration: can't be read"):
        folder.refuse_changed_files()
