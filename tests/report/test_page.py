"""What is written of runs: one page, of one task, that holds what the runs hold."""

import json
import re

import pytest
from reported import LOST, bridge, cited, data_in, report_of
from run_folders import run_folder

from factreasoner.errors import RunError, UsageError
from factreasoner.models import Assessment
from factreasoner.pipeline.config import Config
from factreasoner.report import record_content
from factreasoner.report.page import json_text, write_report
from factreasoner.runs.finished import FinishedRun


def test_the_page_holds_scores_labels_and_what_judged(tmp_path):
    config = Config(judge="recorded", relations=tmp_path / "r.jsonl", version=3)
    page = report_of(run_folder(tmp_path / "run", bridge(), bridge("two", topic="Bridges"), config=config))
    content = data_in(page, "content")
    (run,) = content["runs"]
    assert (content["task"], content["claim"], content["files"]) == ("run", "atom", None)
    assert run["labels"] == {"contradicted": 2, "supported": 4, "unverified": 2}
    assert sum(run["bins"]) == 8
    assert run["judged_by"] == f"recorded verdicts of {tmp_path / 'r.jsonl'}"
    assert run["made"][:2] == [["version", "3"], ["relations", str(tmp_path / "r.jsonl")]]
    precision = next(score for score in run["scores"] if score["name"] == "precision")
    assert (precision["value"], precision["main"]) == ("0.500", True)
    assert sum(size for _, _, size, *_ in run["calibration"]) == 6
    assert [row[0] for row in data_in(page, "rows")] == ["bridge", "two"]


def test_policy_allows_only_own_script_and_style(tmp_path):
    page = report_of(run_folder(tmp_path / "run", bridge())).read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    parts = dict(part.split(" ", 1) for part in policy.replace("&#39;", "'").split("; "))
    assert parts["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/]+='", parts["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/]+='", parts["style-src"])
    assert not re.findall(
        r"\son\w+=|style=|https?://(?!www\.w3\.org)", re.sub(r"(?s)<script.*?</script>", "", page)
    )


def test_groups_are_by_keys_that_some_records_share(tmp_path):
    records = [
        bridge(f"r{n}").model_copy(update={"topic": "ab"[n % 2], "metadata": {"line": n, "kind": "x"}})
        for n in range(4)
    ]
    records.append(bridge("lost", LOST).model_copy(update={"topic": "a", "metadata": {"line": 4}}))
    (run,) = data_in(report_of(run_folder(tmp_path / "run", *records)), "content")["runs"]
    assert {key: [(g["name"], g["records"]) for g in found] for key, found in run["groups"].items()} == {
        "topic": [("a", 3), ("b", 2)]
    }
    assert [g["scores"][0]["fewer"] for g in run["groups"]["topic"]] == ["(2 of 3 records)", ""]


def test_failed_and_empty_records_are_shown_as_such(tmp_path):
    failed = Assessment(record_id="bad", status="failed", assessor="factreasoner", response="Some answer.")
    empty = Assessment(record_id="none", status="no_atoms", assessor="factreasoner")
    page = report_of(run_folder(tmp_path / "run", failed, empty))
    assert [row[4] for row in data_in(page, "rows")] == [[["failed", {}]], [["no_atoms", {}]]]
    assert data_in(page, "record-0")["runs"][0]["answer"] == [["Some answer.", []]]
    assert data_in(page, "content")["runs"][0]["scores"] == []


def test_side_by_side_runs_need_one_task(tmp_path):
    one, other = (run_folder(tmp_path / name / "run", bridge()) for name in ("a", "b"))
    assert [run["name"] for run in data_in(report_of(one, other), "content")["runs"]] == ["a/run", "b/run"]
    with pytest.raises(UsageError, match="given twice"):
        report_of(one, other, one)
    with pytest.raises(RunError, match="about one task, and these runs are of run, verify"):
        report_of(one, run_folder(tmp_path / "other", cited(), task="verify"))


def test_parser_of_one_run_is_listed_as_differing(tmp_path):
    runs = run_folder(tmp_path / "a", bridge()), run_folder(tmp_path / "b", bridge())
    manifest = json.loads((runs[1] / "manifest.json").read_text())
    (runs[1] / "manifest.json").write_text(json.dumps(manifest | {"parser": "other 9.9"}))
    assert dict(data_in(report_of(*runs), "content")["differing"])["parser"][1] == "other 9.9"


def test_file_of_one_run_is_listed_as_differing(tmp_path):
    config = Config(calibration=tmp_path / "c.json", credibility=tmp_path / "t.csv", concurrency=3)
    runs = run_folder(tmp_path / "a", bridge()), run_folder(tmp_path / "b", bridge(), config=config)
    assert data_in(report_of(*runs), "content")["differing"] == [
        ["credibility", ["not set", str(tmp_path / "t.csv")]],
        ["calibration", ["not set", str(tmp_path / "c.json")]],
    ]


def test_effects_too_costly_to_compute_are_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(record_content, "MOST_PAIRS", 12)
    page = report_of(run_folder(tmp_path / "run", bridge(), bridge("second")))
    first, second = (data_in(page, f"record-{n}")["runs"][0] for n in range(2))
    told = [entry["without"] for entry in first["claims"][0]["evidence"] if "without" in entry]
    assert len(told) == 2
    assert first["not_computed"] == ""
    assert second["not_computed"].endswith(f"factreasoner explain {tmp_path / 'run'} --record second")
    assert not any("without" in entry for claim in second["claims"] for entry in claim["evidence"])


def test_unwritable_page_is_reported(tmp_path, monkeypatch):
    run = run_folder(tmp_path / "run", bridge())
    (tmp_path / "page_files").write_text("")
    monkeypatch.setattr("factreasoner.report.page.EMBEDDED", 10)
    with pytest.raises(RunError, match="page_files: can't be written"):
        report_of(run, out=tmp_path / "page.html")


def test_page_files_hold_all_records_in_order(tmp_path, monkeypatch):
    run = run_folder(tmp_path / "run", *(bridge(f"r{n}") for n in range(5)))
    page, folder = run / "report.html", run / "report_files"
    with monkeypatch.context() as patch:
        patch.setattr("factreasoner.report.page.EMBEDDED", 10)
        for size in (6000, 1_000_000):
            patch.setattr("factreasoner.report.page.IN_A_FILE", size)
            report_of(run)
            (name, starts), held = data_in(page, "content")["files"], []
            for number, file in enumerate(sorted(folder.iterdir())):
                told = re.fullmatch(r"factreasonerRecords\((\d+),(.*)\);\n", file.read_text(encoding="utf-8"))
                assert (file.name, int(told[1])) == (f"records-{number + 1:04d}.js", number)
                assert starts[number] == len(held)
                held += [json.loads(text)["id"] for text in json.loads(told[2])]
            assert (name, held) == ("report_files", [f"r{n}" for n in range(5)])
            assert (len(starts) > 1) == (size == 6000)
    report_of(run)
    assert not folder.exists()


def test_page_lists_the_first_of_many_records(tmp_path, monkeypatch):
    monkeypatch.setattr("factreasoner.report.page.MOST_RECORDS", 2)
    run = run_folder(tmp_path / "run", *(bridge(f"r{n}") for n in range(5)))
    written = write_report([FinishedRun.of_any_task(run)], run / "report.html")
    assert (written.records, written.left_out) == (2, 3)
    assert "scores are of all records, its list has the first 2, and 3 are not shown" in str(written)
    content = data_in(written.path, "content")
    assert content["left_out"] == 3
    assert content["runs"][0]["records"]["total"] == 5
    assert [row[0] for row in data_in(written.path, "rows")] == ["r0", "r1"]


def test_no_text_breaks_out_of_a_script_element():
    text = '</script><!-- & \u2028 \u2029 " \\ \x00'
    assert json_text({"k": text}) == r'{"k":"\u003c/script\u003e\u003c!-- \u0026 \u2028 \u2029 \" \\ \u0000"}'
