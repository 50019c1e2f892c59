"""`rag`: records, the end of the run, and what was lost claim by claim."""

import json
import re

import pytest
from command import model_flags, summary_of, write_records
from fake_server import FakeServer, server_error

RECORDS = [
    {
        "id": "museum",
        "input": "When did the Harbour Museum open?",
        "output": "The Harbour Museum opened in 1932.",
        "reference": "The Harbour Museum opened in 1932. Entry is free on Mondays.",
        "contexts": ["The Harbour Museum opened in 1932.", "Trains leave every hour.", "Maps hang there."],
        "gold_contexts": ["c0", "c2", "c7", "c8"],
    },
    {"id": "nile", "output": "The Nile flows north.", "contexts": []},
]


def test_all_failed_records_blame_no_input(factreasoner, tmp_path):
    data = write_records(tmp_path / "set.jsonl", *RECORDS)
    with FakeServer(lambda request: server_error(400)) as server:
        done = factreasoner("rag", data, *model_flags(server), code=3)
    said = " ".join(done.stdout.split())
    assert "scores none: every record failed, see failures" in said
    assert "it needs" not in said
    assert "faithfulness" not in said
    assert "Run the same command again to retry them" in done.stderr


def test_row_without_quote_names_the_source_relation(factreasoner, tmp_path):
    labels = {"a0": "contradiction", "r0": "entailment", "r1": "neutral"}
    lines = [
        {"record": "museum", "source": source, "target": target, "label": label}
        for target, label in labels.items()
        for source in ("c0", "c1", "c2", "answer", "reference")
    ]
    listed = write_records(tmp_path / "relations.jsonl", *lines)
    data = write_records(tmp_path / "set.jsonl", *RECORDS[:1])
    done = factreasoner("rag", data, "--out", "run", "--judge", "recorded", "--relations", listed, "--k", "2")
    assert "contradicted by c0" in done.stdout
    assert "cover the first 2 contexts (--k)" in done.stdout
    refused = factreasoner("rag", data, "--out", "other", "--k", "median", code=2)
    assert "'--k': must be a whole number  " in refused.stderr  # a ranking has no median, as F1@K has


LABELS = {"E": "entailment", "C": "contradiction", "N": "neutral"}


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        (["c0 a0 E .8", "c1 a0 C .95"], "answer contradicted by c1, but the reference has it"),
        (["c0 a0 C .9", "c1 a0 N .6"], "answer contradicted by c0, but the reference has"),
        (["c0 a0 C .7", "c1 a0 C .9"], "contradicted by c0, c1, but the reference has it"),
        (["c0 r1 E .7", "c1 r1 E .9"], "reference not found in the answer; in c0, c1 Entry is free"),
        (["c0 r1 C .9", "c1 r1 E .8"], "reference not found in the answer; in c1 Entry is free"),
        (["c0 a0 E .9", "reference a0 N .9"], "answer not found in the reference The Harbour"),
        (["c0 a0", "c1 a0 N .9", "reference a0"], "answer a verdict failed The Harbour"),
        (["c0 r1", "c1 r1 N .9"], "reference not found in the answer; a verdict failed Entry is free"),
        (["answer r1"], "reference a verdict failed; found in no context Entry is free"),
        (["c0 a0 E .9", "c0 r0 N .9", "c1 r0 N .9"], None),
    ],
)
def test_supporting_and_contradicting_texts_are_named(factreasoner, tmp_path, verdicts, told):
    """A verdict of two words failed: none is recorded."""
    pairs = {("reference", "a0"): ["E", ".9"], ("answer", "r0"): ["E", ".9"]}
    sources = {"a0": ("reference", "c0", "c1"), "r0": ("answer", "c0", "c1"), "r1": ("answer", "c0", "c1")}
    pairs = {(source, target): ["N", ".9"] for target in sources for source in sources[target]} | pairs
    pairs |= {("c0", target): ["E", ".9"] for target in ("a0", "r0")}
    pairs |= {(source, target): rest for source, target, *rest in map(str.split, verdicts)}
    lines = [
        {"record": "museum", "source": source, "target": target}
        | {"label": LABELS[rest[0]], "probability": float(rest[1])}
        for (source, target), rest in pairs.items()
        if rest
    ]
    listed = write_records(tmp_path / "relations.jsonl", *lines)
    data = write_records(tmp_path / "set.jsonl", RECORDS[0] | {"contexts": RECORDS[0]["contexts"][:2]})
    recorded = ("--judge", "recorded", "--relations", listed, "--explain", "--quiet")
    failed = any(not rest for rest in pairs.values())
    done = factreasoner("rag", data, "--out", "run", *recorded, code=3 if failed else 0)
    listing = " ".join(done.stdout.split())
    if told:
        assert told in listing
    else:
        assert "Harbour" not in listing


@pytest.mark.parametrize(("named", "shown"), [("1, 2", "c0, c1"), ("", "the contexts")])
def test_joint_verdicts_show_the_contexts_that_decide(factreasoner, tmp_path, named, shown):
    def answer(request):
        found = {
            name: "True" if "Entry" in fact["description"] else "False"
            for name, fact in request.properties.items()
        }
        if "Source 2" not in request.text:
            found = dict.fromkeys(found, "Not clear")
        return found | {name: named for name in found if "sources" in name}

    texts = {"output": "Ships are shown.", "reference": "Entry is free.", "contexts": ["Ships.", "Maps."]}
    claims = {"atoms": [texts["output"]], "reference_atoms": [texts["reference"]]}
    data = write_records(tmp_path / "set.jsonl", texts | claims)
    with FakeServer(answer) as server:
        done = factreasoner("rag", data, *model_flags(server), "--premise", "joint", "--explain", "--quiet")
    listing = " ".join(done.stdout.split())
    assert f"answer contradicted by {shown}; not found in the reference Ships" in listing
    assert f"reference not found in the answer; in {shown} Entry" in listing


def test_claims_that_nothing_decides_are_counted(factreasoner, tmp_path):
    data = write_records(tmp_path / "set.jsonl", *RECORDS[:1])
    lines = [{"record": "museum", "source": f"c{i}", "target": "a0", "label": "neutral"} for i in range(3)]
    listed = write_records(tmp_path / "relations.jsonl", *lines)
    done = factreasoner("rag", data, "--out", "run", "--judge", "recorded", "--relations", listed, code=3)
    summary = summary_of(tmp_path / "run")
    assert summary["undecided_claims"] == {"count": 3, "of": 3}
    assert "undecided 3 of 3 claims" in " ".join(done.stdout.split())


def test_a_run_without_a_model(factreasoner, tmp_path):
    data = write_records(tmp_path / "set.jsonl", *RECORDS)
    done = factreasoner("rag", data, "--out", tmp_path / "run", "--explain")
    first, second = map(json.loads, (tmp_path / "run" / "results.jsonl").read_text().splitlines())
    assert (first["faithfulness"], first["correctness"], first["coverage"]) == (1.0, 1.0, 0.5)
    assert (first["claim_recall"], first["retrieval_recall"], first["context_precision"]) == (0.5, 0.5, 1 / 3)
    assert round(first["map_at_hits"], 2) == 0.83
    assert (second["faithfulness"], second["reasons"]["correctness"]) == (0.0, "no reference")
    assert (second["coverage"], second["reasons"]["coverage"]) == (None, "no claims of the reference")
    summary = summary_of(tmp_path / "run")
    assert summary["metrics"]["faithfulness"]["value"] == 0.5
    assert [summary["metrics"][name]["records"] for name in ("faithfulness", "coverage")] == [2, 1]
    worst, _, _ = done.stdout.partition("\nrecords ")
    assert summary["worst_claims"][0]["record"] == "nile"
    assert RECORDS[1]["output"] in worst
    shown = {line.split("  ")[0]: line.rstrip() for line in done.stdout.splitlines()}
    assert shown["coverage"].endswith("0.500  (1 of 2 records)")
    assert "of 2 records" not in shown["faithfulness"]
    assert "Most claims are lost by the retriever." in done.stdout
    assert {"retrieval precision", "retrieval recall"} < shown.keys()
    assert "not found in the answer; found in no context" in done.stdout
    scores = factreasoner("evaluate", tmp_path / "run").stdout.splitlines()
    without_interval = {line.split("  ")[0]: "(no interval: one record has" in line for line in scores}
    assert (without_interval["coverage"], without_interval["faithfulness"]) == (True, False)
    other = write_records(tmp_path / "other.jsonl", {**RECORDS[0], "contexts": []}, RECORDS[1])
    factreasoner("rag", other, "--out", tmp_path / "other", "-q")
    compared = factreasoner("compare", tmp_path / "run", tmp_path / "other", "--out", tmp_path / "c")
    assert "0.500 (n=1)" in compared.stdout


def test_scores_lacking_keys_name_what_they_need(factreasoner, tmp_path):
    bare = {"id": "a", "output": "It opened in 1932.", "contexts": ["It opened in 1932."]}
    data = write_records(tmp_path / "set.jsonl", bare)
    shown = factreasoner("rag", data, "--out", tmp_path / "run").stdout
    table = " ".join(shown.split())
    assert "faithfulness 1.000" in table
    assert "no record has 'reference', which would bring: correctness; coverage; claim F1;" in table
    assert "(or 'relevant' in its contexts), which would bring: retrieval precision;" in table
    assert "it needs" not in table
    assert not any(line.startswith(("coverage", "MAP")) for line in shown.splitlines())
    summary = summary_of(tmp_path / "run")
    assert summary["given"] == {"contexts": 1}
    assert summary["metrics"]["coverage"]["value"] is None
    scores = factreasoner("evaluate", tmp_path / "run").stdout
    table = " ".join(scores.split())
    assert "1 record with a score faithfulness 1.000" in table
    assert "not scored: no record has 'reference', which would bring: correctness; coverage;" in table
    assert not any(line.startswith(("coverage", "MAP")) for line in scores.splitlines())
    other = write_records(tmp_path / "other.jsonl", {**bare, "contexts": ["Trains leave."]})
    factreasoner("rag", other, "--out", tmp_path / "other", "-q")
    compared = factreasoner("compare", tmp_path / "run", tmp_path / "other", "--out", tmp_path / "c").stdout
    assert "faithfulness" in compared
    assert "coverage" not in compared


def test_evaluate_gives_reason_for_missing_score(factreasoner, tmp_path):
    record = {"id": "a", "output": "It opened in 1932.", "contexts": [], "reference": "It opened in 1932."}
    data = write_records(tmp_path / "set.jsonl", {**record, "split": "dev"})
    factreasoner("rag", data, "--out", tmp_path / "run")
    shown = " ".join(factreasoner("evaluate", tmp_path / "run", "--by", "split").stdout.split())
    assert "context precision - (no record has it: it needs contexts and claims of the reference" in shown
    _, _, groups = shown.partition("split records")
    assert "labels" not in shown
    assert "retrieval" not in groups


def test_reference_contradictions_are_shown_with_claims(factreasoner, tmp_path):
    record = {
        "id": "bridge",
        "output": "The bridge was opened in 1932. Its towers are white. The bridge carries trains.",
        "reference": "The bridge was opened in 1930. The bridge carries trains.",
        "atoms": ["The bridge was opened in 1932.", "The towers are white.", "The bridge carries trains."],
        "contexts": ["The towers are white."],
    }
    data = write_records(tmp_path / "set.jsonl", record)
    done = factreasoner("rag", data, "--out", tmp_path / "run", "--explain")
    told = " ".join(done.stdout.split())
    contradiction = 'the reference contradicts it: "The bridge was opened in 1930."'
    assert f"The bridge was opened in 1932. {contradiction}" in told
    assert "The bridge carries trains. the reference supports it" in told
    assert "found in no context; contradicted by the reference" in told
    assert "found in no context, but the reference has it The bridge carries trains." in told
    assert "contradicted by the answer; found in no context" in told
    shown = " ".join(factreasoner("show", tmp_path / "run").stdout.split())
    assert contradiction in shown
    factreasoner("export", tmp_path / "run", "--format", "jsonl")
    rows = map(json.loads, (tmp_path / "run" / "claims.jsonl").read_text().splitlines())
    notes = [row["note"] for row in rows if (row["of"], row["against"]) == ("answer", "contexts")]
    assert notes[0].startswith(contradiction)
    assert "reference" not in notes[1]
    line = json.loads((tmp_path / "run" / "results.jsonl").read_text())
    assert [claim["contradicted_by_reference"] for claim in line["claims"]] == [True, False, False]
    assert [claim["contradicted_by_answer"] for claim in line["reference_claims"]] == [True, False]


def test_retrieval_without_claims_is_compared(factreasoner, tmp_path):
    silent = {**RECORDS[0], "id": "silent", "output": "I don't know.", "gold_contexts": ["c9"]}
    records = ({**record, "reference": None} for record in (RECORDS[0], silent))
    data = write_records(tmp_path / "set.jsonl", *records)
    factreasoner("rag", data, "--out", tmp_path / "one", "-q")
    changed = {**RECORDS[0], "reference": None, "output": "The Harbour Museum opened in 1950."}
    other = write_records(tmp_path / "other.jsonl", changed, {**silent, "reference": None})
    factreasoner("rag", other, "--out", tmp_path / "other", "-q")
    compared = factreasoner("compare", tmp_path / "one", tmp_path / "other").stdout
    scores = {line.split("  ")[0]: line.split()[-1] for line in compared.partition("\n\n")[0].splitlines()}
    assert scores["retrieval precision ↑"] == "0.333"
    assert re.search(r"faithfulness ↑ +1\.000 \(n=1\)", compared)


def test_wide_groups_are_shown_in_several_tables(factreasoner, tmp_path):
    records = [{**record, "split": f"a split with a long name {n}"} for n, record in enumerate(RECORDS)]
    data = write_records(tmp_path / "set.jsonl", *records)
    factreasoner("rag", data, "--out", tmp_path / "run", "-q")
    evaluate = ("evaluate", tmp_path / "run", "--by", "split")
    shown = factreasoner(*evaluate, env={"COLUMNS": "80", "FORCE_COLOR": "1"}).stdout
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    tables = [line for line in lines if line.startswith("split ")]
    assert len(tables) > 2
    assert max(map(len, lines[lines.index(tables[0]) : -1])) <= 80
    piped = factreasoner(*evaluate, env={"COLUMNS": "1000"}).stdout
    (wide,) = [line for line in piped.splitlines() if line.startswith("split ")]
    assert wide.split()[1:] == " ".join(line.removeprefix("split") for line in tables).split()


def test_dry_run_mentions_second_look_calls(factreasoner, tmp_path):
    data = write_records(tmp_path / "set.jsonl", *RECORDS)
    flags = ("--model", "openai/fake", "--api-base", "http://127.0.0.1:9", "--dry-run")
    each = factreasoner("rag", data, *flags)
    assert "Not counted: claims that no single context supports" in " ".join(each.stdout.split())
    assert "Not counted" not in factreasoner("rag", data, *flags, "--premise", "joint").stdout
    assert "Not counted" not in factreasoner("rag", data, "--dry-run").stdout
