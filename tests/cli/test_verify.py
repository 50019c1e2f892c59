"""`factreasoner verify`: records into a folder, and one text with its sources."""

import json

import pytest
from command import results, write_records

SOURCE = "The Harbour Museum opened on 4 May 1932. It shows ships and maps."
TEXT = "The Harbour Museum opened in 1930 [1]. It shows ships and maps [1]. It has a café [7].\n"


@pytest.fixture
def files(tmp_path):
    """A text and its source."""
    (tmp_path / "answer.md").write_text(TEXT)
    (tmp_path / "museum.txt").write_text(SOURCE)
    return tmp_path / "answer.md", tmp_path / "museum.txt"


@pytest.mark.usefixtures("whole_sentences")
def test_records_run_into_a_folder_and_resume(factreasoner, tmp_path):
    data = write_records(
        tmp_path / "answers.jsonl",
        {"id": "r1", "input": "What of it?", "output": TEXT, "contexts": [SOURCE]},
        {"id": "r2", "output": "I don't know.", "contexts": []},
    )
    for _ in range(2):
        done = factreasoner("verify", data, "--out", tmp_path / "run")
        assert "citation recall" in done.stdout
        worst, _, _ = done.stdout.partition("\nrecords ")
        assert worst.index("contradicts it") < worst.index("unknown source")
        assert "claims to review first" in worst
        assert '[1] contradicts it: "The Harbour Museum opened on 4 May 1932' in worst
        assert "c0" not in worst  # the source is named once
        assert done.stdout.endswith("These citations name no source: 7 (r1).\n")
    first, second = results(tmp_path / "run")
    assert first["corrected"] == "It shows ships and maps [1].\n"
    assert [claim["label"] for claim in first["claims"]][::2] == ["contradicted", "unknown_source"]
    assert [claim["fate"] for claim in first["claims"]] == ["removed", "kept", "removed"]
    assert [change["before"] for change in first["changes"]] == [
        "The Harbour Museum opened in 1930 [1].",
        "It has a café [7].",
    ]
    assert first["unknown_citations"] == ["7"]
    assert first["corrected_citation_recall"] == 1.0
    assert second["status"] == "no_atoms"
    shown = factreasoner("evaluate", tmp_path / "run").stdout
    assert all(f"citation {name}, corrected " in shown for name in ("recall", "precision"))


def test_long_claim_is_shortened_in_verify_output(factreasoner, files, tmp_path):
    long = f"It shows {'ships and maps ' * 200}[1][9]."
    records = [{"id": f"r{n}", "output": long, "contexts": [SOURCE]} for n in range(5)]
    data = write_records(tmp_path / "answers.jsonl", *records)
    run = ("verify", data, "--out", tmp_path / "run")
    told = factreasoner(*run).stdout
    assert len(told.partition("\njudged by ")[0]) < 5 * 1000
    assert told.endswith("source: 9 (r0); 9 (r1); 9 (r2); and others in more records.\n")
    assert "name no source" not in factreasoner(*run, "--json").stdout + factreasoner(*run, "--quiet").stdout
    assert len(factreasoner("show", tmp_path / "run").stdout) > 5 * 3000
    files[0].write_text(long)
    assert len(factreasoner("verify", "--text", files[0], "--source", files[1]).stdout) < 2500


@pytest.mark.usefixtures("whole_sentences")
def test_uncited_and_unjudged_claims_are_reported_separately(factreasoner, tmp_path):
    answer = "It shows ships and maps [1]. Entry is free."
    german = "Der Turm ist seit dem Jahr 1871 am Hafen und die Lampe ist noch da [1]."
    data = write_records(
        tmp_path / "answers.jsonl",
        {"id": "r1", "output": answer, "contexts": [SOURCE]},
        {"id": "r2", "output": german, "contexts": [SOURCE]},
    )
    done = factreasoner("verify", data, "--out", tmp_path / "run", code=3)
    assert "1 (probabilities: 1 word_judge:WordJudge judge)" in done.stdout, done.stdout
    shown = factreasoner("show", tmp_path / "run").stdout
    assert "r1: claims of the answer that cite nothing" in shown
    assert "checked against the contexts" not in shown


def test_dry_run_mentions_correcting_calls(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", {"id": "r1", "output": TEXT, "contexts": [SOURCE]})
    flags = ("--model", "openai/fake", "--api-base", "http://127.0.0.1:9", "--dry-run")
    done = factreasoner("verify", data, *flags)
    assert "Not counted: sentences whose claims fail are rewritten and judged again." in " ".join(
        done.stdout.split()
    )
    assert "Not counted" not in factreasoner("verify", data, *flags, "--rounds", "0").stdout


def test_dry_run_of_text_equals_data_run(factreasoner, files, tmp_path):
    text, source = files
    flags = ("--model", "openai/fake", "--api-base", "http://127.0.0.1:9", "--dry-run")
    data = write_records(
        tmp_path / "d.jsonl", {"output": TEXT, "contexts": [{"title": "museum", "text": SOURCE}]}
    )
    text.write_text(TEXT)
    source.write_text(SOURCE)
    of_text = ("verify", "--text", text, "--source", source, *flags)
    assert factreasoner(*of_text).stdout == factreasoner("verify", data, *flags).stdout
    assert factreasoner(*of_text, "--json").stdout == factreasoner("verify", data, *flags, "--json").stdout


def test_verify_shows_and_writes_corrected_text(factreasoner, files, tmp_path):
    text, source = files
    out = ("--out", tmp_path / "mended.md")
    done = factreasoner("verify", "--text", text, "--source", source, *out, env={"COLUMNS": "60"})
    named = str(tmp_path)  # a path is left whole
    assert max(len(line) for line in done.stdout.splitlines() if named not in line) <= 60
    assert "(removed)" in done.stdout
    assert "unknown source" in done.stdout
    assert "- The Harbour Museum opened in 1930 [1]." in done.stdout
    assert "\nThese citations name no source: 7.\n" in done.stdout
    assert (tmp_path / "mended.md").read_text() == "It shows ships and maps [1].\n"
    quiet = factreasoner("verify", "--text", text, "--source", source, "--out", "again.md", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    assert (tmp_path / "again.md").read_text() == "It shows ships and maps [1].\n"


def test_one_text_as_json(factreasoner, files):
    text, source = files
    done = factreasoner("verify", "--text", text, "--source", source, "--json")
    content = json.loads(done.stdout)
    assert content["corrected"] == "It shows ships and maps [1].\n"
    assert content["verified"]["claims"][0]["cited"] == ["1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rounds", 1), "nothing to verify"),
        (("--text", "TEXT"), "add --source"),
        (("--source", "SOURCE"), "add --text FILE"),
        (("--text", "TEXT", "--source", "SOURCE", "--fresh", "--report"), "--report, --fresh: for records"),
        (("DATA", "--text", "TEXT", "--source", "SOURCE"), "not both"),
        (("--text", "-", "--source", "-"), "standard input (-) can be read only once"),
        (("--text", "none.md", "--source", "SOURCE"), "none.md: can't be read"),
        (("--text", "TEXT", "--source", "none.txt"), "none.txt: can't be read"),
        (("--text", "TEXT", "--source", "SOURCE", "--out", "FOLDER"), "a folder; name a file in it"),
        (("--text", "TEXT", "--source", "SOURCE", "--out", "linked.md/a"), "linked.md can't be made: a file"),
        (("--text", "TEXT", "--source", "SOURCE", "--out", "TEXT"), "answer.md: is read here"),
        (("--text", "TEXT", "--source", "SOURCE", "--out", "SOURCE"), "museum.txt: is read here"),
        (("--text", "TEXT", "--source", "SOURCE", "--out", "linked.md"), "linked.md: is read here"),
    ],
)
def test_invalid_verify_arguments_are_named(factreasoner, files, tmp_path, arguments, message):
    (tmp_path / "linked.md").hardlink_to(files[0])
    names = {"TEXT": files[0], "SOURCE": files[1], "FOLDER": tmp_path, "DATA": files[0]}
    done = factreasoner("verify", *(names.get(argument, argument) for argument in arguments), code=1)
    assert message in " ".join(done.stderr.split())


def test_claim_cited_by_paragraph_marker_is_noted(factreasoner, tmp_path):
    (tmp_path / "answer.md").write_text("The Harbour Museum opened in 1930. It shows ships and maps. [1]\n")
    (tmp_path / "museum.txt").write_text(SOURCE)
    done = factreasoner("verify", "--text", tmp_path / "answer.md", "--source", tmp_path / "museum.txt")
    assert "(by the marker that closes its paragraph)" in " ".join(done.stdout.split()), done.stdout
