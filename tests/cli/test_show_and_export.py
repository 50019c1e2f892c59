"""`show`, `export` and `report`: atoms and claims of finished runs of every task."""

import csv
import json

import pytest
from assessments import assessment
from command import record, summary_of, write_records
from run_folders import run_folder

from factreasoner.models import Atom, Context, Verdict

HOSTILE = "\x1b]0;owned\x07 [red]x[/red] \u202egpj"
SAID = Verdict(context_id="c0", target_id="a0", label="contradiction", probability=0.9, quote="born in 1867")
NO_FOLDER = "run/summary.json/no/a: the folder run/summary.json/no can't be made: Not a dir"
A_FILE = "run/summary.json can't be made: a file has its"


@pytest.fixture
def finished(tmp_path):
    passages = (Context(id="c0", text="x", title=HOSTILE),)
    bad = assessment([0.1, 0.9, 0.3, None], outcome={"verdicts": (SAID,)}, contexts=passages)
    other = assessment([0.05], record_id="r2", atoms=(Atom(id="a0", text=f"=1+1 {HOSTILE}"),))
    return run_folder(tmp_path / "run", bad, other)


def shown(done):
    """The places of the atoms shown, in order."""
    return [word.strip(":") for word in done.stdout.split() if word.startswith("a") and word.endswith(":")]


def test_show_lists_atoms_with_deciding_quotes(factreasoner, finished):
    done = factreasoner("show", finished)
    assert shown(done) == ["a0", "a1", "a2", "a3", "a0"]
    assert '"born in 1867"' in done.stdout
    assert "not judged" in done.stdout
    assert "\x1b]0" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "[red]x[/red]" in done.stdout
    assert max(map(len, factreasoner("show", finished, env={"COLUMNS": "80"}).stdout.splitlines())) <= 80


def test_long_link_is_never_truncated(factreasoner, tmp_path):
    link = f"https://example.org/{'a/very/long/path/' * 9}index.html"
    said = SAID.model_copy(update={"quote": None})
    passages = (Context(id="c0", text="x", link=link),)
    run = run_folder(tmp_path / "run", assessment([0.1], outcome={"verdicts": (said,)}, contexts=passages))
    assert link in factreasoner("show", run, env={"COLUMNS": "500"}).stdout
    assert link in "".join(factreasoner("show", run, env={"COLUMNS": "80"}).stdout.split())


def test_show_sorts_and_picks(factreasoner, finished):
    done = factreasoner("show", finished, "--sort", "p")
    assert shown(done) == ["a0", "a0", "a2", "a1", "a3"]
    assert "r2 a0" in done.stdout
    assert shown(factreasoner("show", finished, "--sort", "p", "--limit", 2)) == ["a0", "a0"]
    assert shown(factreasoner("show", finished, "--limit", 2)) == ["a0", "a1"]
    assert shown(factreasoner("show", finished, "--label", "supported")) == ["a1"]
    both = factreasoner("show", finished, "--label", "not_judged", "--label", "supported")
    assert shown(both) == ["a1", "a3"]
    assert shown(factreasoner("show", finished, "--record", "r2")) == ["a0"]
    done = factreasoner("show", finished, "--record", "r22", code=1)
    assert "no record 'r22'; did you mean 'r2'?" in done.stderr
    assert "No atoms to show" in factreasoner("show", finished, "--label", "uncited").stdout


def test_show_explains_records_without_atoms(factreasoner, tmp_path):
    answers = {"r1": "Oslo is cold.", "r2": "I don't know.", "r3": " ", "r4": "Sorry, I can't say."}
    records = [{"id": name, "output": text, "contexts": []} for name, text in answers.items()]
    done = factreasoner("run", write_records(tmp_path / "d.jsonl", *records), "--out", "run")
    assert "in 1 of 4 records, so all their atoms are unverified" in " ".join(done.stdout.split())
    for order in ("text", "p"):
        said = factreasoner("show", "run", "--sort", order).stdout
        assert "Oslo is cold. no context No atoms" in " ".join(said.split())
        assert said.endswith("2 of 3 sentences not checked: 2 abstentions.\n")
        assert "No atoms in 3 records: an abstention (r2, r4), an empty answer (r3).\n" in said
    only = factreasoner("show", "run", "--record", "r3").stdout
    assert only == "No atoms in 1 record: an empty answer (r3).\n"


def test_export_writes_to_run_folder_or_out(factreasoner, tmp_path, finished):
    assert factreasoner("export", finished).stdout.strip() == str(finished / "atoms.csv")
    with (finished / "atoms.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["atom"] for row in rows] == ["a0", "a1", "a2", "a3", "a0"]
    assert rows[4]["text"] == f"'=1+1 {HOSTILE}"
    assert (rows[3]["p_true"], rows[3]["label"]) == ("", "")
    factreasoner("export", finished, "--table", "records", "--out", "r.jsonl")
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert [json.loads(line)["record"] for line in lines] == ["r1", "r2"]
    told, results = json.loads(lines[0]), (finished / "results.jsonl").read_text().splitlines()
    for name in ("gold_num_atoms", "gold_left_out", "unjudged_atoms"):
        assert told[name] == json.loads(results[0]).get(name)
    factreasoner("export", finished, "--table", "verdicts", "--out", "v.PARQUET")
    assert (tmp_path / "v.PARQUET").read_bytes()[:4] == b"PAR1"


def test_export_to_standard_output_is_exact(factreasoner, finished):
    done = factreasoner("export", finished, "--format", "jsonl", "--out", "-")
    assert json.loads(done.stdout.splitlines()[-1])["text"] == f"=1+1 {HOSTILE}"
    refused = factreasoner("export", finished, "--format", "parquet", "--out", "-", code=1)
    assert "name a file with --out" in refused.stderr
    unknown = factreasoner("export", finished, "--format", "xlsx", code=2)
    assert "'xlsx' is not one of 'csv', 'jsonl', 'parquet'" in " ".join(unknown.stderr.split())


@pytest.fixture
def data(tmp_path):
    """A record that every task takes."""
    fields = {"reference": "Marie Curie was born in Warsaw in 1867.", "output": "She was born in 1867 [1]."}
    given = {key: value for key, value in record("r0").items() if key != "atoms"}
    return write_records(tmp_path / "d.jsonl", given | fields)


def test_every_task_is_shown_and_exported(factreasoner, data):
    for task in ("recall", "rag", "verify"):
        factreasoner(task, data, "--out", task)
        assert "r0: " in factreasoner("show", task).stdout
        done = factreasoner("export", task, "--out", "-")
        header, *rows = csv.reader(done.stdout.splitlines())
        assert header[:4] == ["record", "claim", "of", "against"]
        assert rows
        for table in ("records", "verdicts"):
            factreasoner("export", task, "--table", table)
        refused = factreasoner("export", task, "--table", "atoms", code=1)
        assert f"a run of `{task}` has no table 'atoms'; it has: claims, records, verdicts" in refused.stderr


def test_score_applies_corrections_for_every_task(factreasoner, tmp_path, data):
    for task in ("run", "recall", "rag", "verify"):
        factreasoner(task, data, "--out", task)
        verdicts = factreasoner("export", task, "--table", "verdicts", "--format", "jsonl", "--out", "-")
        first = json.loads(verdicts.stdout.splitlines()[0])
        line = {key: first[key] for key in ("record", "premise", "claim")}
        line |= {"task": task, "was": first["label"]}
        label = "contradiction" if first["label"] != "contradiction" else "entailment"
        file = write_records(tmp_path / "c.jsonl", line | {"label": label})
        done = factreasoner("score", task, "--corrections", file)
        assert "1 verdict, by a reader" in " ".join(done.stdout.split())
        summary = summary_of(tmp_path / task / "rescored")
        assert (summary["corrected_verdicts"], summary["confidences"]["corrected"]) == (1, 1)
        results = json.loads((tmp_path / task / "rescored" / "results.jsonl").read_text())
        assert results["corrected_verdicts"] == 1
        assert "corrected by a reader" in factreasoner("show", task, "--corrections", file).stdout.lower()
        wrong = write_records(tmp_path / "w.jsonl", line | {"claim": "zz", "label": label})
        assert "w.jsonl:1: premise" in factreasoner("score", task, "--corrections", wrong, code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export", "run", "--out", "a.xlsx"), "a.xlsx: .xlsx is not a format of this command"),
        (("export", "run", "--out", "a.txt"), "it writes .csv, .jsonl, .parquet, .md, .ndjson"),
        (("export", "run", "--out", "a.json", "--format", "jsonl"), ".json is not a format of this"),
        (("export", "run", "--out", "a.parquet", "--format", "csv"), "means parquet, but --format is csv"),
        (("report", "run", "--out", "a.pdf"), "is not a format of this command; it writes .html, .htm, .md"),
        (("report", "run", "--out", "."), ".: a folder; name the file in it: report.html"),
        (("export", "run", "-o", "run/summary.json/no/a"), NO_FOLDER),
        (("check", "run", "--max", "failures=0", "--junit", "run/summary.json/no/a"), NO_FOLDER),
        (("report", "run", "--format", "html", "-o", "run/summary.json/a"), A_FILE),
        (("report", "run", "--format", "md", "-o", "run/summary.json/a"), A_FILE),
    ],
)
def test_misfit_file_ending_is_refused(factreasoner, tmp_path, finished, arguments, message):
    assert message in factreasoner(*arguments, code=1).stderr
    assert not list(tmp_path.glob("a.*"))


def test_unknown_label_gives_plain_message(factreasoner, finished):
    said = factreasoner("show", finished, "--label", "foo", code=2).stderr
    assert "'foo' is not one of" in said
    assert "Value error" not in said


def test_score_refuses_graph_settings_without_graph(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r0") | {"facts": ["She liked tea."]})
    factreasoner("recall", data, "--out", "recall")
    done = factreasoner("score", "recall", "--factors", "table1", code=1)
    assert "--factors: a run of `recall` has no fact graph" in done.stderr
    done = factreasoner("score", "recall", "--k", "3", code=1)
    assert "--k: a run of `recall` has no K; only --corrections goes" in done.stderr


def test_report_is_written_with_run_or_later(factreasoner, tmp_path):
    data = write_records(tmp_path / "records.jsonl", record("r1"), record("r2"))
    done = factreasoner("run", data, "--out", "one", "--report")
    assert done.stdout.splitlines()[-1] == "Report: one/report.html"
    assert (tmp_path / "one" / "report.html").stat().st_size > 10_000
    assert factreasoner("report", "one", "--out", "pages/page.html").stdout == "Report: pages/page.html\n"
    assert (tmp_path / "pages" / "page.html").exists()


def test_markdown_report_goes_to_stdout_or_file(factreasoner, tmp_path):
    factreasoner("run", write_records(tmp_path / "records.jsonl", record("r1")), "--out", "one")
    said = factreasoner("report", "one", "--format", "md")
    assert "\n\nJudged by: judge 'word_judge:WordJudge'.\n" in said.stdout
    assert factreasoner("report", "one", "--out", "said.md").stdout == "Report: said.md\n"
    assert (tmp_path / "said.md").read_text(encoding="utf-8") == said.stdout
    assert "it describes one run" in factreasoner("report", "one", "one", "--format", "md", code=1).stderr
    odd = factreasoner("report", "one", "--out", "said.md", "--format", "html", code=1)
    assert "change one of them" in odd.stderr
