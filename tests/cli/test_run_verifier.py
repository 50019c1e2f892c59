"""`--judge verifier` from a data file to results: resuming, replays, dry run, doctor."""

import json
import shutil

import pytest
from command import record, verdicts_in, write_records
from fake_server import Completion, FakeServer
from tiny_classifiers import overlap, pooled, save


@pytest.fixture
def model(tmp_path):
    return save(tmp_path / "model", overlap())


@pytest.fixture
def data(tmp_path):
    atoms = ["Marie Curie was born in Warsaw.", "The city is in Peru.", "The Lena flows out of a lake."]
    passages = ["Marie Curie was born in Warsaw (r1).", "The city is not in Peru (r1)."]
    return write_records(tmp_path / "d.jsonl", record("r1", atoms=atoms, contexts=passages))


@pytest.fixture
def run(factreasoner, data, model):
    def run(*flags, model=model, out="out", code=0):
        flags = ("--judge", "verifier", "--verifier", "nli", "--verifier-model", model, "--out", out, *flags)
        return factreasoner("run", data, *flags, code=code)

    return run


def verdicts(folder):
    return {(v["context_id"], v["target_id"]): v for v in verdicts_in(folder)}


def test_run_fingerprint_is_the_models_content(run, model, tmp_path):
    run()
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert list(manifest["files"]) == ["verifier"]
    before = (tmp_path / "out/journal.jsonl").read_bytes()
    moved = shutil.move(model, tmp_path / "moved")
    run(model=moved)
    assert (tmp_path / "out/journal.jsonl").read_bytes() == before
    assert "verifier: " in run(model=save(model, pooled()), code=1).stderr
    own = tmp_path / "own.toml"
    own.write_text('input = "pair"\nhead = "sequence"\nmax_tokens = 40\n')
    assert "verifier: was 'nli', now " in run("--verifier", own, model=moved, code=1).stderr


def test_finished_run_rescores_without_the_model(factreasoner, run, model, tmp_path):
    run()
    shutil.rmtree(model)
    factreasoner("score", "out", "--factors", "table1")
    factreasoner("run", "out", "--judge", "recorded", "--relations", "out", "--out", "again")
    given, replayed = verdicts(tmp_path / "out"), verdicts(tmp_path / "again")
    assert {v["label"] for v in given.values()} == {"entailment", "contradiction", "neutral"}
    assert {pair: v | {"confidence": "recorded"} for pair, v in given.items()} == replayed


def test_missing_verifier_parts_are_reported_first(run, factreasoner, data, tmp_path):
    assert "--verifier-model acme/none --download" in run(model="acme/none", code=1).stderr
    assert not (tmp_path / "out").exists()
    for flags, told in (
        (("--judge", "verifier", "--verifier", "nli"), "'nli' needs its model: add --verifier-model"),
        (("--verifier", "factcg"), "add --judge verifier"),
        (("--judge", "verifier", "--verifier", "facctg"), "did you mean 'factcg'?"),
    ):
        assert told in factreasoner("run", data, *flags, code=1).stderr


@pytest.mark.parametrize(("flags", "pairs"), [((), 6), (("--version", 3), 8)])
def test_a_dry_run_counts_pairs(run, tmp_path, flags, pairs):
    assert f"{pairs} pairs of context and claim for the verifier" in run("--dry-run", *flags).stdout
    assert not (tmp_path / "out").exists()


def test_doctor_tries_the_model(factreasoner, model):
    done = factreasoner("doctor", "--verifier", "nli", "--verifier-model", model)
    said = " ".join(done.stdout.split())
    assert "contradiction/entailment/neutral, up to 63 tokens; a test: entailment 0.88" in said
    swapped = model.parent / "swapped.toml"
    labels = 'labels = { 0 = "entailment", 1 = "contradiction", 2 = "neutral" }'
    swapped.write_text(f'input = "pair"\nhead = "sequence"\nmax_tokens = 512\n{labels}\n')
    done = factreasoner("doctor", "--verifier", swapped, "--verifier-model", model, code=1)
    assert "a test: contradiction 0.88, where the context states the claim" in " ".join(done.stdout.split())
    (model / "config.json").write_text("{}")
    done = factreasoner("doctor", "--verifier", "nli", "--verifier-model", model, code=1)
    assert "id2label: missing" in done.stdout
    (model / "tokenizer.json").unlink()
    done = factreasoner(
        "doctor", "--verifier", "nli", "--verifier-model", model, env={"COLUMNS": "60"}, code=1
    )
    assert "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)" in "".join(done.stdout.split())


@pytest.mark.usefixtures("bundled_judge")
def test_doctor_and_run_name_a_better_judge(factreasoner, data):
    line = "Before you rely on a score, use --model NAME or a verifier"
    assert line in " ".join(factreasoner("doctor").stdout.split())
    done = factreasoner("run", data, "--out", "bundled")
    better = "Before you rely on a score, use --model NAME or a verifier (docs/judges.md)."
    assert " ".join(done.stdout.split()).endswith(better)
    unasked = ("--model", "openai/x", "--judge", "verifier", "--atomizer", "rules", "--reviser", "none")
    done = factreasoner("run", data, *unasked, "--out", "named", env={"OPENAI_API_KEY": "x"})
    assert "use --judge llm or a verifier" in " ".join(done.stdout.split())


def test_doctor_tests_a_language_model_verifier(factreasoner):
    top = [("Yes", -0.1), ("No", -2.5)]
    answer = Completion(content="Yes", tokens=[("Yes", -0.1, top)])
    with FakeServer(lambda request: answer) as server:
        done = factreasoner(
            "doctor", "--verifier", "bespoke-minicheck", "--model", "fake", "--api-base", server.url
        )
    assert "a test: entailment 0.90" in " ".join(done.stdout.split())
