"""`compare` over run folders: tables and files, unequal records, and runs that lack something."""

import csv
import json
import re
import shutil

import numpy as np
import pytest
from assessments import assessment
from command import printed
from run_folders import run_folder

from factreasoner.models import P_DIGITS, Context, Failure, Usage
from factreasoner.pipeline.config import Config

FILES = ("md", "csv", "json")


def made(skill, *, records=8, gold="SSNN", model_calls=0, **fields):
    random = np.random.default_rng(3)
    found = []
    for number in range(records):
        noise = random.normal(0, 0.15, len(gold))
        p = [0.5 + (skill if label == "S" else -skill) + e for label, e in zip(gold, noise, strict=True)]
        usage = {
            "evaluator": Usage(calls=model_calls, prompt_tokens=100 * model_calls, cost=0.01 * model_calls)
        }
        found.append(
            assessment(
                np.clip(p, 0.01, 0.99).tolist(), gold=gold, record_id=f"r{number}", usage=usage, **fields
            )
        )
    return found


@pytest.fixture(scope="module")
def good_and_bad(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    run_folder(folder / "good", *made(0.3, model_calls=4), config=Config(version=1))
    run_folder(folder / "bad", *made(-0.1, model_calls=1), config=Config(version=2))
    return folder


@pytest.fixture
def two(tmp_path, good_and_bad):
    shutil.copytree(good_and_bad, tmp_path, dirs_exist_ok=True)
    return "good", "bad"


def test_scores_and_differences(factreasoner, tmp_path, two):
    done = factreasoner("compare", *two, "--json")
    found = printed(done)
    assert list(found["runs"]) == ["good", "bad"]
    assert found["baseline"] == "good"
    values = {name: {s: v["value"] for s, v in run["scores"].items()} for name, run in found["runs"].items()}
    assert values["good"]["auroc"] > values["bad"]["auroc"]
    assert (values["good"]["calls"], values["bad"]["tokens"]) == (4.0, 100.0)
    assert values["good"]["cost"] == pytest.approx(0.04)
    differences = {item["score"]: item for item in found["differences"]}
    for score, item in differences.items():
        assert item["value"] == pytest.approx(values["bad"][score] - values["good"][score])
    assert differences["brier"]["interval"][0] > 0
    assert differences["brier"]["p_value"] <= 0.01
    assert differences["brier"]["p_holm"] >= differences["brier"]["p_value"]
    assert differences["calls"]["p_value"] is None
    assert found["differing_settings"]["version"] == {"good": 1, "bad": 2}
    table = factreasoner("compare", *two).stdout
    assert "bad - good" in table
    assert "Rows without p were not tested" in " ".join(table.split())
    assert "ECE ↓: no interval: chance inflates both errors, by unequal" in table
    assert "version: 1 (good), 2 (bad)" in table


def test_the_baseline_can_be_chosen(factreasoner, tmp_path, two):
    found = printed(factreasoner("compare", *two, "--baseline", "bad", "--json"))
    assert {(item["run"], item["baseline"]) for item in found["differences"]} == {("good", "bad")}
    done = factreasoner("compare", *two, "--baseline", "god", code=1)
    assert "no run is called 'god'; did you mean 'good'?" in done.stderr


def test_every_file(factreasoner, tmp_path, two):
    assert factreasoner("compare", *two, "--out", "all").stderr.startswith("8 records")
    quiet = factreasoner("compare", *two, "--out", "all", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    files = {ending: tmp_path / "all" / f"comparison.{ending}" for ending in FILES}
    assert {path.name for path in (tmp_path / "all").iterdir()} == {path.name for path in files.values()}
    found = json.loads(files["json"].read_text())
    rows = list(csv.DictReader(files["csv"].read_text().splitlines()))
    assert len(rows) == 2 * len(found["runs"]["bad"]["scores"])
    row = next(row for row in rows if (row["score"], row["run"]) == ("brier", "bad"))
    assert float(row["value"]) == round(found["runs"]["bad"]["scores"]["brier"]["value"], P_DIGITS)
    assert float(row["difference_low"]) == round(
        next(item["interval"][0] for item in found["differences"] if item["score"] == "brier"), P_DIGITS
    )
    text = files["md"].read_text()
    assert "| Brier ↓ |" in text
    assert "| bad - good | difference | 95 % | p | p (Holm) |" in text
    assert " Judged by: judge 'word_judge:WordJudge'. " in text


@pytest.mark.parametrize("ending", [*FILES, "MD"])
def test_a_file_of_one_ending_is_written_alone(factreasoner, tmp_path, two, ending):
    factreasoner("compare", *two, "--out", "all")
    factreasoner("compare", *two, "--out", f"new/c.{ending}")
    assert [path.name for path in (tmp_path / "new").iterdir()] == [f"c.{ending}"]
    whole = tmp_path / "all" / f"comparison.{ending.lower()}"
    assert (tmp_path / "new" / f"c.{ending}").read_bytes() == whole.read_bytes()


def test_compare_report_shows_runs_side_by_side(factreasoner, tmp_path, two):
    assert "Report: good/side-by-side.html" in factreasoner("compare", *two, "--report").stdout
    quiet = factreasoner("compare", *two, "--report", "--out", "all", "-q")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    pages = [(tmp_path / folder / "side-by-side.html").read_bytes() for folder in ("good", "all")]
    assert pages[0] == pages[1]


def test_wide_table_is_split_into_parts(factreasoner, tmp_path):
    names = [f"a-run-with-a-name-{number}" for number in range(4)]
    for number, name in enumerate(names):
        run_folder(tmp_path / name, *made(0.3, records=2, model_calls=number))
    wide = factreasoner("compare", *names).stdout
    assert sum(line.lstrip().startswith(names[0]) for line in wide.splitlines()) == 1
    assert all(name in wide.splitlines()[0] for name in names)
    shown = factreasoner("compare", *names, env={"COLUMNS": "70", "FORCE_COLOR": "1"}).stdout
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).split("\n2 records")[0].splitlines()
    assert max(map(len, lines)) <= 70
    of_atoms = [line.split() for line in lines if line.startswith("supported")]
    assert of_atoms[:2] == [["supported", "atoms", "↑", "1.50", "1.50"]] * 2


def test_everything_is_scored_with_one_k(factreasoner, tmp_path):
    run_folder(tmp_path / "a", *made(0.3, gold="SSNN"))
    run_folder(tmp_path / "b", *made(0.3, gold="SSNNSS"))
    done = factreasoner("compare", "b", "a", "--json")
    content, again = printed(done), printed(factreasoner("compare", "a", "b", "--json"))
    assert (content["k"], again["k"]) == (6, 4)
    of_six, of_four = (found["runs"]["a"]["scores"]["f1_at_k"]["value"] for found in (content, again))
    assert of_six < of_four
    assert "a: its atoms differ from those of b in 8 records" in done.stderr
    assert "each run's own labelled atoms: b 48, a 32" in done.stderr
    chosen = printed(factreasoner("compare", "b", "a", "--k", 3, "--json"))
    assert (chosen["k"], chosen["k_setting"]) == (3, 3)
    assert "F1@3" in factreasoner("compare", "b", "a", "--k", 3).stdout


def test_unequal_records_are_refused_or_intersected(factreasoner, tmp_path):
    failed = assessment([None] * 4, record_id="r7", status="failed")
    run_folder(tmp_path / "a", *made(0.3)[:7], failed)
    run_folder(tmp_path / "b", *made(0.2, records=9)[1:])
    done = factreasoner("compare", "a", "b", code=1)
    assert "a lacks 2 of 9 (1 failed, 1 not in the run: 'r7', 'r8')" in done.stderr
    assert "b lacks 1 of 9 (1 not in the run: 'r0')" in done.stderr
    assert "--intersect" in done.stderr
    done = factreasoner("compare", "a", "b", "--intersect", "--json")
    assert printed(done)["num_records"] == 6
    assert "a: the comparison excludes 2 of 8 records (1 not scored in every run, 1 failed)" in done.stderr
    run_folder(tmp_path / "more", *made(0.3, records=1), *made(0.3, records=8, gold="SSNNSSN")[1:])
    run_folder(tmp_path / "less", *made(0.3, records=1))
    both = [("more", "less"), ("less", "more")]
    assert [printed(factreasoner("compare", *two, "--intersect", "--json"))["k"] for two in both] == [4, 4]
    run_folder(tmp_path / "c", *made(0.2)[:1])
    done = factreasoner("compare", "b", "c", "--intersect", code=1)
    assert "no record has a score in every run: b scores 8, c scores 1" in done.stderr


def test_record_without_judged_atom_is_not_failed(factreasoner, tmp_path):
    run_folder(tmp_path / "a", *made(0.3)[:7], assessment([None] * 4, record_id="r7"))
    run_folder(tmp_path / "b", *made(0.2)[:6], *(assessment([], record_id=f"r{i}") for i in (6, 7)))
    assert "b lacks 1 of 7 (1 without atoms: 'r6')" in factreasoner("compare", "a", "b", code=1).stderr
    run_folder(tmp_path / "c", *made(0.2))
    done = factreasoner("compare", "a", "c", code=1)
    assert "a lacks 1 of 8 (1 without a judged atom: 'r7')" in done.stderr


def test_undecided_runs_are_noted(factreasoner, tmp_path, two):
    run_folder(tmp_path / "c", *(assessment([0.5] * 4, gold="SNSN", record_id=f"r{i}") for i in range(8)))
    done = factreasoner("compare", "good", "c")
    assert "c: no judged atom is supported or contradicted" in done.stderr
    assert "good: every judged" not in done.stderr
    done = factreasoner("evaluate", "c", "--json")
    assert "no judged atom is supported or contradicted" in json.loads(done.stdout)["notes"][0]


def test_files_that_can_not_be_written(factreasoner, tmp_path, two):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.md").mkdir()
    no_folder = "the folder file can't be made: a file has its name; choose another place"
    for arguments, reason in (
        (("compare", *two, "--out", "file/x.csv"), f"file/x.csv: {no_folder}"),
        (("compare", *two, "--out", "folder.md"), "folder.md: a folder; name a file in it"),
        (("evaluate", "good", "--out", "file"), f"file/records.jsonl: {no_folder}"),
        (("score", "good", "--out", "file"), f"file/results.jsonl: {no_folder}"),
        (("check", "good", "--min", "precision=0", "--junit", "file/x.xml"), f"file/x.xml: {no_folder}"),
    ):
        done = factreasoner(*arguments, code=1)
        assert done.stderr.strip() == f"Error: {reason}"
        assert "Internal" not in done.stderr


def test_other_data_under_the_same_ids_is_refused(factreasoner, tmp_path):
    run_folder(tmp_path / "a", *made(0.3))
    run_folder(tmp_path / "b", *made(0.3, response="Something else."))
    done = factreasoner("compare", "a", "b", "--intersect", code=1)
    assert "record 'r0' has different responses in a and b" in done.stderr


def test_labels_from_a_file(factreasoner, tmp_path, two):
    lines = [{"record": f"r{i}", "atom": f"a{j}", "label": "CUSS"[j]} for i in range(8) for j in range(4)]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, lines)))
    runs = printed(factreasoner("compare", *two, "--gold", "gold.jsonl", "--json"))["runs"]
    good, bad = (runs[name]["scores"]["auroc"]["value"] for name in two)
    assert good < bad


def test_no_labels_and_one_record(factreasoner, tmp_path):
    run_folder(tmp_path / "a", *made(0.3, records=1, gold="----"))
    run_folder(tmp_path / "b", *made(0.2, records=1, gold="----"))
    done = factreasoner("compare", "a", "b", "--json")
    found = printed(done)
    assert "auroc" not in found["runs"]["a"]["scores"]
    assert {item["interval"] for item in found["differences"]} == {None}
    assert "no judged atom has a label" in done.stderr
    assert "only one record: no intervals and no tests" in done.stderr
    assert "permutation test" not in factreasoner("compare", "a", "b").stdout
    assert "nan" not in done.stdout.lower()


@pytest.mark.parametrize(("records", "few", "floor"), [(4, True, True), (50, False, False)])
def test_few_records_are_noted_as_unreliable(factreasoner, tmp_path, records, few, floor):
    run_folder(tmp_path / "a", *made(0.3, records=records))
    run_folder(tmp_path / "b", *made(0.2, records=records))
    notes = factreasoner("compare", "a", "b").stderr
    assert ("below 50, AUROC and ECE are unreliable" in notes) == few
    assert (f"{records} records: no p can be below 0.125" in notes) == floor


def test_comparison_notes_contexts_of_one_run(factreasoner, tmp_path):
    linked = made(0.3, contexts=(Context(id="c0", text="A passage.", atom_ids=("a0",)),))
    run_folder(tmp_path / "fr3", *linked, config=Config(version=3))
    run_folder(tmp_path / "score", *linked, config=Config(assessor="factscore"))
    run_folder(tmp_path / "fr2", *linked, config=Config(version=2))
    found = printed(factreasoner("compare", "fr3", "score", "--json"))
    assert "version" not in found["differing_settings"]
    assert "score: each atom has its own contexts; fr3: all contexts of the record" in found["notes"]
    found = printed(factreasoner("compare", "fr3", "score", "fr2", "--json"))
    assert found["differing_settings"]["version"] == {"fr3": 3, "score": "-", "fr2": 2}
    assert not any(
        "contexts" in note for note in printed(factreasoner("compare", "fr3", "fr2", "--json"))["notes"]
    )


def used(path, **usage):
    """A run that took so much."""
    return run_folder(path, *(one.model_copy(update={"usage": usage}) for one in made(0.3)))


def test_unknown_cost_is_reported(factreasoner, tmp_path, two):
    used(tmp_path / "c", evaluator=Usage(cost=None))
    done = factreasoner("compare", "good", "c")
    assert "the cost is unknown for c" in done.stderr
    assert ["cost", "↓", "0.0400", "-"] in map(str.split, done.stdout.splitlines())


def test_cached_calls_are_counted_and_reported(factreasoner, tmp_path, two):
    used(tmp_path / "c", evaluator=Usage(calls=1, cached_calls=3), atomizer=Usage(calls=50))
    done = factreasoner("compare", "good", "c", "--json")
    assert printed(done)["runs"]["c"]["scores"]["calls"]["value"] == 4.0
    assert "c: 24 of its calls were answered from the cache" in done.stderr


def test_cached_calls_are_not_counted_as_free(factreasoner, tmp_path, two):
    for model, cost in (("openai/gpt-4o-mini", "~0.00"), ("openai/nobody-knows", "-")):
        folder = tmp_path / cost.strip("~")
        cached = assessment([0.9], record_id="r0", usage={"evaluator": Usage(cached_calls=1, cost=0.0)})
        passage = Context(id="c0", text="A passage.", atom_ids=("a0",))
        cached = cached.model_copy(update={"contexts": (passage,)})
        run_folder(folder, cached, config=Config(model=model, version=1))
        done = factreasoner("compare", "good", folder, "--intersect", "--json")
        run = printed(done)["runs"][folder.name]
        assert run["usage_estimated"]
        assert run["scores"]["tokens"]["value"] > 0
        assert run["scores"]["cost"]["value"] != 0
        table = factreasoner("compare", "good", folder, "--intersect").stdout
        line = next(line for line in table.splitlines() if line.startswith("cost"))
        assert line.split()[-1].startswith(cost)


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (("good",), "name at least two run folders", 2),
        (("good", "bad/../good"), "good: given twice; name different runs", 2),
        (("good", "bad", "--model", "x", "--no-cache", "--fresh"), "--cache, --model, --fresh: finished", 1),
        (("good", "bad", "--assessors", "fr1,fr2"), "--assessors runs on one data file", 1),
        (("good", "--assessors", "fr1"), "name at least two", 2),
        (("good", "--assessors", "fr1,fr1"), "'fr1' occurs twice", 2),
        (("good", "--assessors", "fr1,factscor"), "'factscor', and no profile; did you mean 'factscore'?", 2),
        (("good", "--assessors", "fr1,fr2", "--version", 3), "--version: --assessors says which", 1),
    ],
)
def test_incomparable_runs_are_refused(factreasoner, two, arguments, words, code):
    assert words in factreasoner("compare", *arguments, code=code).stderr


def test_the_failures_of_a_run_are_named(factreasoner, tmp_path):
    failure = Failure(stage="judge", item_id="c0->a1", error_type="X", message="no")
    run_folder(tmp_path / "whole", *made(0.3, records=2))
    run_folder(tmp_path / "part", *made(0.3, records=2, status="partial", failures=(failure,)))
    notes = printed(factreasoner("compare", "whole", "part", "--json"))["notes"]
    assert "part: 2 failures, in 2 of its 2 records" in notes
    assert not any(note.startswith("whole:") for note in notes)


def compared(tmp_path, *calls):
    """Runs "r0", "r1" and so on of the same records, that asked so many calls."""
    for number, (records, asked, config) in enumerate(calls):
        run_folder(tmp_path / f"r{number}", *made(records, model_calls=asked), config=Config(**config))
    return [f"r{number}" for number in range(len(calls))]


@pytest.mark.parametrize(
    ("calls", "line"),
    [
        (((0.3, 4, {}),) * 2, "The runs are identical: r0, r1 have the same scores in 8 records.\n"),
        (((0.3, 4, {}),) * 3, "The runs are identical: r0, r1, r2 have the same scores in 8 records.\n"),
        (((0.3, 0, {}), (0.3, 0, {"seed": 5})), "The runs are identical: r0, r1 have"),
    ],
)
def test_identical_runs_are_one_line(factreasoner, tmp_path, calls, line):
    names = compared(tmp_path, *calls)
    done = factreasoner("compare", *names)
    assert done.stdout.startswith(line)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    factreasoner("compare", *names, "--out", "all")
    assert (tmp_path / "all" / "comparison.md").read_text().startswith("The runs are identical")
    found = printed(factreasoner("compare", *names, "--json"))
    assert found["identical"] is True
    assert {item["value"] for item in found["differences"]} <= {0.0, None}


def test_equal_scores_among_other_runs_are_named(factreasoner, tmp_path):
    shown = factreasoner("compare", *compared(tmp_path, (0.3, 4, {}), (-0.1, 4, {}), (0.3, 1, {}))).stdout
    assert "The same in every score: r0, r2." in shown
    assert re.search(r"^calls ↓ +4\.0 +4\.0 +1\.0$", shown, re.MULTILINE)
