"""Every example that stands on a page of the gallery runs, and prints what stands beside it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from batch_server import BatchServer, read_lines
from command import on_path
from executed_notebook import NOTEBOOK, executed
from fake_server import FakeServer, answering
from printed import holds, without_probabilities

EXAMPLES = Path(__file__).parents[2] / "examples"
ROOT = EXAMPLES.parent


def answer(name, prop, request):
    """A model to which all is true, and which repeats an answer's parts."""
    if name == "statements":
        return [
            f"{part} => {part.partition('] ')[2]}" for part in re.findall(r"^\[\d+\] .*", request.text, re.M)
        ]
    return prop["description"] if name.startswith("atom_") else "True"


def beside(name):
    """The lines that an example is said to print."""
    return (EXAMPLES / name).with_suffix(".txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def printed(tmp_path):
    """Runs an example in an empty folder with examples/ in it; what it prints."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    keys = {"OPENAI_API_KEY": "x", "COLUMNS": "80", "HOME": str(tmp_path)}
    environment = os.environ | keys | {"PATH": on_path(tmp_path / "bin"), "PYTHONPATH": str(ROOT / "src")}

    def run(name, *arguments):
        program = sys.executable if name.endswith(".py") else "bash"
        command = [program, f"examples/{name}", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("name", ["rag_answer.py", "prompt_gate.sh", "biographies.py", "pdf_folder.py"])
def test_offline_example_prints_its_recorded_output(name, printed):
    said = printed(name)
    assert holds(said, beside(name)), said


def test_the_rag_answer_is_checked_in_fifteen_lines():
    lines = (EXAMPLES / "rag_answer.py").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line and not line.startswith(("#", '"""'))]) <= 15


def test_a_gate_stops_what_breaks_its_rule(tmp_path):
    environment = os.environ | {"PATH": on_path(tmp_path / "bin")}
    command = ["bash", EXAMPLES / "prompt_gate.sh", EXAMPLES / "cited.jsonl", "0.99"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 4, done.stderr
    assert (tmp_path / "runs/gate/check.xml").exists()


def people(name, prop, request):
    """A model that says of a passage and an atom what people say of them."""
    said = {"entailment": "True", "contradiction": "False"}
    passage = next((text for text in PASSAGES if text in request.asked), "")
    label = PEOPLE.get((passage, prop["description"]))
    return said.get(label, "Not clear")


def of_people():
    """The label of each pair of texts that people found to bear on each other."""
    records = read_lines(EXAMPLES / "answers.jsonl")
    texts = {(r["id"], part["id"]): part["text"] for r in records for part in r["contexts"] + r["atoms"]}
    lines = read_lines(EXAMPLES / "relations.jsonl")
    return {
        (texts[line["record"], line["source"]], texts[line["record"], line["target"]]): line["label"]
        for line in lines
    }


PEOPLE = of_people()
PASSAGES = sorted({passage for passage, _ in PEOPLE}, key=len, reverse=True)


def test_a_batch_costs_half_the_price(printed):
    with BatchServer(answering(people)) as server:
        server.states = ["completed"]
        said = printed("half_price.sh", "--api-base", server.url)
        assert (server.calls, len(server.answered)) == (0, 93)
    assert holds(said, beside("half_price.sh")), said
    totals = re.findall(r"^total +\d+ +~(\S+) +~(\S+) +~\$(\S+)", said.replace(",", ""), re.MULTILINE)
    usual, halved = (
        float(cost) / (0.15e-6 * int(prompt) + 0.6e-6 * int(completion))
        for prompt, completion, cost in totals
    )
    assert usual == pytest.approx(1.0, abs=0.01)
    assert halved == pytest.approx(0.5, abs=0.01)


def test_a_local_model_is_tried_and_judges(printed):
    with FakeServer(answering(answer)) as server:
        said = printed("local_model.sh", server.url)
        assert server.calls > 0
    expected = without_probabilities("\n".join(beside("local_model.sh")))
    assert holds(without_probabilities(said), expected.splitlines()), said


def test_the_notebook_shows_what_its_cells_give(bundled_judge):
    shown = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert shown == executed(), "python tests/executed_notebook.py writes it anew"
    pages = [
        "".join(out["data"].get("text/html", []))
        for cell in shown["cells"]
        for out in cell.get("outputs", [])
    ]
    assert sum("✕ contradicted" in page for page in pages) == 2


def test_every_example_is_indexed_and_in_gallery():
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    gallery = (ROOT / "docs/examples.md").read_text(encoding="utf-8")
    shown = set(re.findall(r'^--8<-- "examples/(.*)"$', gallery, re.MULTILINE))
    programs = [path for end in ("*.py", "*.sh", "integrations/*.py") for path in EXAMPLES.glob(end)]
    assert {path.relative_to(EXAMPLES).as_posix() for path in programs} <= shown
    assert {path.name for path in EXAMPLES.glob("*.txt")} <= shown
    assert [path.name for path in EXAMPLES.iterdir() if path.stem not in index] == ["README.md"]
