"""`score`, `assess`, `doctor` and the help."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from assessments import assessment
from command import ATOMS, PASSAGES, record, results, write_records
from fake_server import KNOWN, FakeServer, answering, hang, prose
from run_folders import run_folder

from factreasoner.cli.flags import OF_CLAIMS
from factreasoner.models.results import LEAST_PROBE_CALLS, MOST_PROBE_CALLS
from factreasoner.pipeline.config import Config

ROOT = Path(__file__).parents[2]


@pytest.fixture
def finished(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(3)))
    factreasoner("run", data, "--out", "out")
    return tmp_path / "out"


def p_true(folder):
    return [m["probabilities"][1] for line in results(folder) for m in line["marginals"]]


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_score_changes_scores_and_never_the_run(factreasoner, tmp_path, finished):
    before = snapshot(finished)
    factreasoner("score", finished, "--k", 9, "--out", "k9")
    assert {line["k"] for line in results(tmp_path / "k9")} == {9}
    assert p_true(tmp_path / "k9") == pytest.approx(p_true(finished), abs=1e-12)
    factreasoner("score", finished, "--solver", "pgmpy", "--out", "pgmpy")
    assert p_true(tmp_path / "pgmpy") == pytest.approx(p_true(finished), abs=1e-9)
    assert results(tmp_path / "pgmpy")[0]["solver"]["name"] == "pgmpy"
    assert "are replaced" not in factreasoner("score", finished, "--factors", "table1").stderr
    replaced = f"{finished / 'rescored'}: scores made with --factors table1 are replaced; --out keeps both"
    assert replaced in factreasoner("score", finished).stderr
    assert snapshot(finished) == before


def test_refusing_solver_is_reported_and_keeps_k(factreasoner, tmp_path, finished, monkeypatch):
    (tmp_path / "refusing.py").write_text(
        "from factreasoner.errors import SolverError\n"
        "class Refusing:\n"
        "    name = 'refusing'\n"
        "    def marginals(self, graph):\n"
        "        raise SolverError('too large for me')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    factreasoner("score", finished, "--solver", "refusing:Refusing", "--out", "again", code=3)
    assert [line["status"] for line in results(tmp_path / "again")] == ["failed"] * 3
    assert {line["k"] for line in results(tmp_path / "again")} == {line["k"] for line in results(finished)}
    assert "too large for me" in results(tmp_path / "again")[0]["failures"][0]["message"]


def test_score_without_any_atom_exits_like_run(factreasoner, tmp_path):
    factreasoner("score", run_folder(tmp_path / "run", assessment([])), code=3)


READING = (
    *(("show",), ("export",), ("report",), ("evaluate",), ("explain",), ("score",)),
    *(("check", "--min", "precision=0"), ("calibrate", "--out", "c.json"), ("publish",)),
)


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_invalid_run_folder_is_named_by_every_command(factreasoner, tmp_path, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "manifest.json").write_text("{")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "manifest.json").write_text('{"config": {}, "format": 99}')
    (tmp_path / "headless").mkdir()
    (tmp_path / "headless" / "journal.jsonl").write_text("")
    (tmp_path / "file").write_text("{}")
    words = {
        "nothing": "not a run folder: no such folder",
        "folder": "not a run folder: it has no manifest.json",
        "file": "not a run folder: a file; name the folder that a run wrote",
        "damaged": "damaged/manifest.json: not a manifest: it is not valid JSON; put back a copy of it, or",
        "later": "later/manifest.json: has format 99, and this version reads 3; install a later version",
        "headless": "headless: not a run folder: it has no manifest.json; put back a copy of it, or start",
    }
    for path, told in words.items():
        done = factreasoner(command[0], path, *command[1:], code=1)
        assert done.stdout == ""
        assert told in done.stderr


READING = ["show", "export", "evaluate", "compare", "score", "explain", "report"]


@pytest.mark.parametrize("command", READING)
def test_interrupted_run_is_read_and_reported(factreasoner, tmp_path, command):
    made = [assessment([0.9, 0.2], gold="SN"[:: 1 - 2 * (n % 2)], record_id=f"r{n}") for n in range(12)]
    for name in ("cut", "whole"):
        run_folder(tmp_path / name, *made, finished=name == "whole")
    more = ("whole",) if command == "compare" else ()
    told = factreasoner(command, "cut", *more, code=None).stderr
    assert "summary.json is missing, so the run may have been interrupted: 12 records" in told


@pytest.fixture
def passages(tmp_path):
    flags = []
    for i, text in enumerate(PASSAGES):
        (tmp_path / f"p{i}.txt").write_text(text)
        flags += ["--context", f"p{i}.txt"]
    return flags


def test_assess_json_reads_file_and_stdin(factreasoner, tmp_path, passages):
    (tmp_path / "answer.txt").write_text(ATOMS[0])
    from_file = factreasoner("assess", "--file", "answer.txt", *passages, "--json")
    from_stdin = factreasoner("assess", *passages, "--json", stdin=ATOMS[0])
    answers = [json.loads(done.stdout)["outcome"]["p_true"] for done in (from_file, from_stdin)]
    assert answers[0] == answers[1]
    assert answers[0]["a0"] > 0.5


def test_assess_reads_documents_as_index_does(factreasoner, tmp_path):
    (tmp_path / "fees.md").write_text("# Fees\n\n~~Entry costs 2 pounds.~~ Entry is free.")
    done = factreasoner("assess", "Entry is free.", "--context", "fees.md", "--json")
    (read,) = json.loads(done.stdout)["contexts"]
    assert (read["title"], "2 pounds" in read["text"]) == ("Fees", False)


def test_assess_names_missing_inputs(factreasoner, tmp_path, passages):
    assert "--context" in factreasoner("assess", "Water is wet.", code=1).stderr
    done = factreasoner("assess", "Water is wet.", "--context", "nothing.txt", code=1)
    assert "nothing.txt" in done.stderr
    for text, why in (
        ("I don't know.", "an abstention"),
        (" ", "an empty answer"),
        ("Why is that?", "no claim was found"),
    ):
        done = factreasoner("assess", text, *passages, code=3)
        assert "No atoms: " in done.stdout
        assert why in done.stdout
    assert '"none.MD": no file has that name' in factreasoner("assess", "none.MD", *passages).stderr
    assert not factreasoner("assess", "The tower is told of in tower.md", *passages).stderr
    for text in ("The tower is old. " * 20, "The tower/" * 500):  # longer than a file's name may be
        factreasoner("assess", text, *passages)


def test_assess_reads_standard_input_once(factreasoner, passages):
    done = factreasoner("assess", "-", "--context", "-", stdin="Water is wet.", code=1)
    assert done.stdout == ""
    assert "standard input (-) can be read only once" in done.stderr
    done = factreasoner("assess", "Water is wet.", "--context", "-", "--json", stdin="Water is wet.")
    assert json.loads(done.stdout)["contexts"][0]["text"] == "Water is wet."


def test_assess_announces_slow_large_passage(factreasoner, tmp_path, monkeypatch):
    monkeypatch.setattr("factreasoner.cli.assess.LARGE", 100_000)
    (tmp_path / "large.txt").write_text("Water is wet. " * 7_500)
    done = factreasoner("assess", "Water is wet.", "--context", "large.txt", "--json")
    assert done.stderr == "c0 has 0.1 million characters: judging it takes a while\n"
    assert json.loads(done.stdout)["status"] == "ok"


def test_assess_ignores_retriever_beside_given_contexts(factreasoner, passages):
    done = factreasoner("assess", "Water is wet.", *passages, "--retriever", "wikipedia")
    assert done.stderr == "--context is used as it is: --retriever wikipedia searches for nothing.\n"


def test_assess_errors_name_flags(factreasoner, tmp_path, passages):
    flags = ("--judge", "verifier", "--verifier", "nli", "--verifier-model", "acme/none")
    done = factreasoner("assess", "Water is wet.", *passages, *flags, code=1)
    assert "--verifier-model acme/none --download" in done.stderr
    done = factreasoner("assess", "Water is wet.", *passages, "--judge", "other", code=1)
    assert done.stderr.startswith("Error: unknown judge 'other'; known: llm, ")
    assert done.stderr.rstrip().endswith("; name your own class as 'package.module:Name'")


def test_assess_reads_latin_file_but_refuses_argument(factreasoner, tmp_path, passages):
    assert "not UTF-8" in factreasoner("assess", os.fsdecode(b"Caf\xe9"), *passages, code=1).stderr
    (tmp_path / "answer.txt").write_bytes(b"The Caf\xe9 is open.")
    assert "The Café is open." in factreasoner("assess", "--file", "answer.txt", *passages).stdout
    (tmp_path / "answer.pdf").write_bytes(b"%PDF-1.4 and no more")
    done = factreasoner("assess", "--file", "answer.pdf", *passages, code=1)
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, "answer.pdf: damaged PDF; save it again")


def test_assess_lists_failures_and_exits_3(factreasoner, tmp_path, passages):
    with FakeServer(lambda request: prose()) as server:
        flags = ["--model", "openai/fake", "--api-base", server.url, "--max-attempts", 1]
        embedded = ["--atomizer", "rules", "--reviser", "rules"]
        done = factreasoner("assess", ATOMS[0], *passages, *flags, *embedded, code=3)
    assert "not judged" in done.stdout
    assert "failed" in done.stdout


def test_assess_reports_what_it_waits_for(factreasoner, passages, monkeypatch):
    monkeypatch.setattr("factreasoner.report.progress.FIRST_PAUSE", 0.5)
    monkeypatch.setattr("factreasoner.llm.send.SILENCE", 0.5)
    with FakeServer(lambda request: hang()) as server:
        flags = ["--model", "fake", "--api-base", server.url, "--max-attempts", 1, "--timeout", 1.5]
        embedded = ["--atomizer", "rules", "--reviser", "rules"]
        done = factreasoner("assess", ATOMS[0], *passages, *flags, *embedded, code=3)
    assert f"waiting for {urlsplit(server.url).netloc}, silent for 1 s: try 1 of 1" in done.stderr


def test_doctor_names_every_extra_and_no_key(tmp_path):
    """In a process of its own: an import can fail beside threads that other tests left."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].keys() - {"all", "nli"}  # of others, and another name of one
    given = os.environ | {"OPENAI_API_KEY": "sk-hidden", "FACTREASONER_CACHE_DIR": str(tmp_path)}
    given |= {"COLUMNS": "80"}
    command = [sys.executable, "-m", "factreasoner", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, env=given, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert {extra for extra in extras if not re.search(rf"extra {extra}\b|\[{extra}\]", said)} == set()
    assert "ok OPENAI_API_KEY set" in said
    assert "opentelemetry.exporter.otlp.proto.http " in said
    assert "sk-hidden" not in said


def test_doctor_separates_broken_from_missing_packages(factreasoner, tmp_path, monkeypatch):
    (tmp_path / "halved.py").write_text("import its_other_half")
    (tmp_path / "leaving.py").write_text("print('Welcome')\nraise SystemExit('not here')")
    modules = {"halved": ("halving", "one"), "no_such.part": ("nothing", "two"), "leaving": ("going", "two")}
    monkeypatch.setattr("factreasoner.cli.doctor.EXTRA_OF_MODULE", modules)
    monkeypatch.syspath_prepend(tmp_path)
    checks = {check["name"]: check for check in json.loads(factreasoner("doctor", "--json", code=1).stdout)}
    named = ("python", "OPENAI_API_KEY", "halved", "no_such.part")
    assert [checks[name]["state"] for name in named] == ["ok", "missing", "wrong", "missing"]
    assert "(SystemExit: not here)" in checks["leaving"]["detail"]
    assert "ModuleNotFoundError: No module named 'its_other_half'" in checks["halved"]["detail"]
    assert "pip install '.[one]' --force-reinstall" in checks["halved"]["detail"]


@pytest.mark.parametrize(("name", "words"), [(None, "spacy download en_core"), ("en_x 1.0", "ok  pipeline")])
def test_doctor_names_the_pipeline_that_makes_atoms(factreasoner, monkeypatch, name, words):
    monkeypatch.setattr("factreasoner.cli.doctor.describe_parser", lambda: name)
    monkeypatch.setattr("factreasoner.cli.doctor.EXTRA_OF_MODULE", {"spacy": ("parsing", "english")})
    done = factreasoner("doctor")
    assert words in done.stdout
    assert name is None or name in done.stdout


def test_doctor_warns_of_unreliable_model(factreasoner, tmp_path):
    with FakeServer(answering(lambda name, prop, request: "True"), probed=False) as server:
        done = factreasoner("doctor", "--model", "openai/fake", "--api-base", server.url, code=1)
    assert "12 of 32 test verdicts right" in " ".join(done.stdout.split())
    assert "do not rely on" in " ".join(done.stdout.split())


def test_doctor_calls_a_model_with_22_right_weak(factreasoner):
    wrong = {text: "True" for text, answer in [*KNOWN.items()][:32] if answer != "True"}
    wrong = dict([*wrong.items()][:10])

    def answer(request):
        return {n: wrong.get(text, KNOWN.get(text)) for n, text in request.listed.items()}

    with FakeServer(answer, probed=False) as server:
        done = factreasoner("doctor", "--model", "openai/fake", "--api-base", server.url)
    said = " ".join(done.stdout.split())
    assert re.search(r"weak openai/fake .*22 of 32 test verdicts right \(chance: 11, bundled judge: \d", said)


def test_help_states_the_probe_call_range(factreasoner):
    told = " ".join(factreasoner("doctor", "--help").stdout.split())
    assert f"in {LEAST_PROBE_CALLS} to {MOST_PROBE_CALLS} calls" in re.sub(r" ?[│|] ?", " ", told)


@pytest.mark.parametrize(
    ("given", "words"),
    [((), "tried once, without waiting"), (("--patience", "0.2"), "--patience 0.2 allows")],
)
def test_doctor_waits_as_long_as_set(factreasoner, given, words):
    done = factreasoner(
        "doctor", "--model", "openai/fake", "--api-base", "http://127.0.0.1:9", *given, code=1
    )
    assert words in " ".join(done.stdout.split())


@pytest.mark.parametrize("columns", [80, 40])
def test_no_flag_is_cut_in_a_narrow_terminal(factreasoner, columns):
    page = factreasoner("run", "--help-all", env={"COLUMNS": str(columns)}).stdout
    flags = [f"--{key.replace('_', '-')}" for key in Config.model_fields if key not in OF_CLAIMS]
    assert set(flags) <= set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page))


def test_short_help_names_common_flags(factreasoner):
    page = factreasoner("run", "--help", env={"COLUMNS": "80"}).stdout
    assert factreasoner("run", env={"COLUMNS": "80"}, code=2).stdout == page
    assert "show" in factreasoner(code=2).stdout
    assert factreasoner("--version").stdout.startswith("factreasoner 0.")
    assert len(page.splitlines()) <= 60
    assert all(flag in page for flag in ("--out", "--version", "--model", "--judge", "--max-cost"))
    assert "--merlin-ibound" not in page
    assert "more settings: factreasoner run --help-all" in page
    assert "--uncited" not in page
    assert "--uncited" in factreasoner("verify", "--help").stdout
    few = factreasoner("score", "--help").stdout
    assert "--help-all" in few
    assert "--help-all" not in factreasoner("index", "--help").stdout


def test_help_shows_setting_defaults(factreasoner):
    page = " ".join(factreasoner("run", "--help-all", env={"COLUMNS": "1000"}).stdout.split())
    for flag, default in [
        ("--context-prior NUMBER", Config().context_prior),
        ("--concurrency N", Config().concurrency),
        ("--factors conditional|table1|reference", Config().factors),
        ("--cache, --no-cache", "on"),
        ("--fetch-text, --no-fetch-text", "off"),
        ("--api-base TEXT", "none"),
        ("--judge TEXT", "llm with a model, else verifier"),
    ]:
        about = page.partition(f" {flag} ")[2].partition(" --")[0]
        assert f"(default: {default})" in about, flag
        assert about.count("default:") == 1, flag


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("show", "show [OPTIONS] RUN_DIR"),
        ("report", "report [OPTIONS] RUN_DIR..."),
        ("assess", "assess [OPTIONS] [TEXT]"),
        ("index", "index [OPTIONS] [PATHS...]"),
        ("verify", "verify [OPTIONS] [DATA]"),
    ],
)
def test_usage_line_shows_typed_arguments(factreasoner, command, usage):
    assert factreasoner(command, "--help").stdout.splitlines()[0] == f"Usage: factreasoner {usage}"


@pytest.mark.parametrize(
    ("flags", "told", "code"),
    [
        (("--version", "9"), "Error: --version: must be 1, 2 or 3", 1),
        (("--factors", "tabel1"), "Error: --factors: must be conditional, table1 or reference", 1),
        (("--concurrency", "many"), "Error: --concurrency: must be a whole number of at least 1", 1),
        (("--concurrency", "0"), "Error: --concurrency: must be a whole number of at least 1", 1),
        (("--limit", "0"), "'--limit': must be at least 1", 2),
        (("--model",), "Option '--model' requires an argument", 2),
        (("--verison", "2"), "No such option: --verison (Possible options: --version)", 2),
        (("--fix",), "No such option: --fix", 2),
    ],
)
def test_wrong_setting_exits_one_wrong_usage_two(factreasoner, flags, told, code):
    said = " ".join(factreasoner("run", "data.jsonl", *flags, code=code).stderr.replace("│", "").split())
    assert told in said
    assert "--config" not in said
