"""The example data: whole, self-consistent, as its README describes it, and decidable from its evidence."""

import json
import re
import runpy
from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path

import pytest

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.inputs.input import CheckedInput
from factreasoner.judges.recorded import RecordedJudge
from factreasoner.models import HALF_TOLERANCE
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.solvers.exact import ExactSolver
from factreasoner.tasks.factuality import check_fits
from factreasoner.tasks.rag.task import TASK as RAG

EXAMPLES = Path(__file__).parents[2] / "examples"


def rows(name):
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


ANSWERS = rows("answers.jsonl")
RESPONSES = rows("responses.jsonl")
RELATIONS = rows("relations.jsonl")
RECORDS = {record.id: record for record in CheckedInput(EXAMPLES / "answers.jsonl").records()}
IDS = [row["id"] for row in ANSWERS]

each_answer = pytest.mark.parametrize("row", ANSWERS, ids=IDS)


def labels_between(record_id):
    """{(source, target): label} of one record."""
    found = [r for r in RELATIONS if r["record"] == record_id]
    return {(r["source"], r["target"]): r["label"] for r in found}


def evidence(record_id):
    """{atom id: labels of the relations that point to it}."""
    found = defaultdict(list)
    for (_, target), label in labels_between(record_id).items():
        if target.startswith("a"):
            found[target].append(label)
    return found


def test_example_records_parse_without_loss():
    assert len(ANSWERS) >= 6
    assert list(RECORDS) == IDS
    for row in ANSWERS:
        record = RECORDS[row["id"]]
        assert record.metadata == {}
        assert (record.prompt, record.response, record.topic) == (row["input"], row["output"], row["topic"])
        assert [atom.gold for atom in record.atoms] == [atom["label"] for atom in row["atoms"]]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_record_fits_every_version(version):
    config = Config(version=version)
    for name in ("answers.jsonl", "responses.jsonl") if version > 1 else ("answers.jsonl",):
        checked = CheckedInput(EXAMPLES / name, fits=lambda record: check_fits(record, config))
        assert len(checked.ids) == len(ANSWERS)


@each_answer
def test_ids_count_up_and_references_exist(row):
    assert [atom["id"] for atom in row["atoms"]] == [f"a{i}" for i in range(len(row["atoms"]))]
    context_ids = [context["id"] for context in row["contexts"]]
    assert context_ids == [f"c{i}" for i in range(len(context_ids))]
    for atom in row["atoms"]:
        assert set(atom["contexts"]) <= set(context_ids), atom["id"]


@each_answer
def test_atoms_are_labelled_and_come_from_the_response(row):
    texts = [atom["text"] for atom in row["atoms"]]
    assert len(set(texts)) == len(texts)
    for atom in row["atoms"]:
        assert atom["label"] in ("S", "NS")
        assert atom["original"] in row["output"], atom["id"]
        assert not re.match(r"(He|She|It|They|Its|Their|This|These)\b", atom["text"]), atom["text"]


@each_answer
def test_contexts_are_complete(row):
    for context in row["contexts"]:
        assert context["title"]
        assert re.fullmatch(r"https://\S+", context["link"])
        assert context["text"].startswith(context["snippet"].removesuffix(" ..."))


@each_answer
def test_evidence_conflicts_and_digresses_somewhere(row):
    labels = labels_between(row["id"])
    assert any(len(set(kinds)) == 2 for kinds in evidence(row["id"]).values())
    telling = {source for source, target in labels if target.startswith("a")}
    assert any(context["id"] not in telling for context in row["contexts"])


def test_exact_and_near_duplicates():
    exact = [row["id"] for row in ANSWERS if len({c["text"] for c in row["contexts"]}) < len(row["contexts"])]
    near = set()
    for row in ANSWERS:
        text = {context["id"]: context["text"] for context in row["contexts"]}
        labels = labels_between(row["id"])
        for (source, target), label in labels.items():
            if label == "entailment" and target in text and text[source] != text[target]:
                near.add(row["id"])
    assert len(exact) >= 5
    assert len(near) >= 5


def test_responses_are_the_same_records_without_atoms():
    without_atoms = [{key: value for key, value in row.items() if key != "atoms"} for row in ANSWERS]
    assert without_atoms == RESPONSES


def test_relations_name_known_nodes_once():
    keys = Counter((r["record"], r["source"], r["target"]) for r in RELATIONS)
    assert max(keys.values()) == 1
    for relation in RELATIONS:
        quoted = relation["label"] == "contradiction" and relation["target"].startswith("a")
        assert set(relation) == {"record", "source", "target", "label"} | ({"quote"} if quoted else set())
        assert relation["label"] in ("entailment", "contradiction")
        record = RECORDS[relation["record"]]
        contexts = {context.id for context in record.contexts}
        assert relation["source"] in contexts
        assert relation["target"] in (contexts | {atom.id for atom in record.atoms}) - {relation["source"]}


@each_answer
def test_relations_between_contexts_go_both_ways(row):
    labels = labels_between(row["id"])
    between = {pair: label for pair, label in labels.items() if pair[1].startswith("c")}
    assert "contradiction" in between.values()
    for (source, target), label in between.items():
        assert between[target, source] == label


@each_answer
def test_contexts_contradict_exactly_where_they_disagree(row):
    labels = labels_between(row["id"])
    expected = set()
    for atom in row["atoms"]:
        stances = {source: label for (source, target), label in labels.items() if target == atom["id"]}
        expected |= {pair for pair in permutations(stances, 2) if stances[pair[0]] != stances[pair[1]]}
    assert expected == {
        pair for pair, label in labels.items() if pair[1].startswith("c") and label == "contradiction"
    }


@each_answer
def test_equal_contexts_have_equal_relations(row):
    labels = labels_between(row["id"])
    by_text = defaultdict(list)
    for context in row["contexts"]:
        by_text[context["text"]].append(context["id"])
    for first, *others in by_text.values():
        towards_atoms = {t: label for (s, t), label in labels.items() if s == first and t.startswith("a")}
        for other in others:
            assert towards_atoms == {
                t: label for (s, t), label in labels.items() if s == other and t.startswith("a")
            }


@pytest.mark.parametrize("version", [1, 2, 3])
@each_answer
def test_graph_decides_atoms_as_labelled(row, version):
    relations = EXAMPLES / "relations.jsonl"
    config = Config(version=version, judge="recorded", relations=relations, unlisted="neutral")
    record = RECORDS[row["id"]]
    evaluator = GraphEvaluator(RecordedJudge(config), ExactSolver(), config)
    p_true = evaluator.evaluate(record.atoms, record.contexts, record).p_true
    found = evidence(record.id)
    for atom in record.atoms:
        if atom.id in found:
            assert (p_true[atom.id] > 0.5 + HALF_TOLERANCE) == (atom.gold == "S"), atom.id
            assert abs(p_true[atom.id] - 0.5) > 1e-3, atom.id
        else:
            assert p_true[atom.id] == pytest.approx(0.5, abs=HALF_TOLERANCE)


def test_readme_states_the_counts():
    table = {}
    for line in (EXAMPLES / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if len(cells) == 7 and (cells[0] in IDS or cells[0] == "all"):
            table[cells[0]] = [int(cell) for cell in cells[2:]]
    expected = {row["id"]: counts(row) for row in ANSWERS}
    expected["all"] = [sum(column) for column in zip(*expected.values(), strict=True)]
    assert table == expected


def counts(row):
    found = evidence(row["id"])
    return [
        len(row["atoms"]),
        sum(atom["label"] == "NS" for atom in row["atoms"]),
        sum(atom["id"] not in found for atom in row["atoms"]),
        len(row["contexts"]),
        len(labels_between(row["id"])),
    ]


def test_library_script_prints_atoms_with_probabilities(capsys):
    runpy.run_path(str(EXAMPLES / "library.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    scored = [line for line in lines if re.match(r"[01]\.\d\d  ", line)]
    assert len(scored) >= 4


@pytest.mark.parametrize(
    ("version", "p_true", "label"), [(2, 0.86, "supported"), (3, 0.055396, "contradicted")]
)
def test_sources_that_others_contradict_lose_their_credit(version, p_true, label):
    """A majority of sources is wrong: version 3 sees it, version 2 does not."""
    (record,) = CheckedInput(EXAMPLES / "conflict.jsonl").records()
    config = Config(
        version=version, judge="recorded", relations=EXAMPLES / "conflict_relations.jsonl", unlisted="neutral"
    )
    outcome = build_pipeline(config).assess(record).outcome
    assert outcome.p_true["a0"] == pytest.approx(p_true, abs=1e-6)
    assert outcome.support["a0"] == label
    assert {outcome.support[atom] for atom in ("a1", "a2")} == {"supported"}
    assert {atom.id: atom.gold for atom in record.atoms} == {"a0": "NS", "a1": "S", "a2": "S"}


def test_ten_questions_with_contexts_references_and_gold_contexts():
    records = [*CheckedInput(EXAMPLES / "rag.jsonl").records()]
    assert len({record.id for record in records}) == 10
    worker, tally = RAG.worker(Config(), Calls()), RAG.tally(Config(), ())
    for record in records:
        assert RAG.problems(record, Config()) == []
        assert record.contexts
        assert record.reference
        assert record.gold_contexts is not None
        assert tally.add(worker.assess(record))["status"] == "ok"
    values = {name: found["value"] for name, found in tally.content()["metrics"].items()}
    for name in ("lost_in_retrieval", "lost_in_generation", "hallucination", "beyond_reference"):
        assert 0 < values[name] < 1, name
