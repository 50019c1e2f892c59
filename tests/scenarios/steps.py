"""What is done between the commands of scenarios."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from batch_server import answer_file
from fake_server import FakeServer
from scene import Scene, Step
from scripted import scripted
from services import ANSWER, PASSAGE


def correct_the_first_verdict(scene: Scene) -> None:
    """Write corrections.jsonl, as the page of `report` saves it."""
    first = json.loads((scene.folder / "v.jsonl").read_text(encoding="utf-8").splitlines()[0])
    line = {key: first[key] for key in ("record", "premise", "claim")}
    line |= {"task": "run", "was": first["label"], "label": "contradiction"}
    scene.write("corrections.jsonl", [line])


def record_of_a_book(number: int) -> dict[str, object]:
    """A record whose one claim a passage supports."""
    passage = f"Book {number} has {100 + number} pages.{' It is deadly.' if number == 3 else ''}"
    return {
        "id": f"book-{number}",
        "output": f"Book {number} has {100 + number} pages.",
        "atoms": [{"id": "a0", "text": f"Book {number} has {100 + number} pages."}],
        "contexts": [{"id": "c0", "text": passage}],
    }


def killed(line: str) -> Step:
    """Run a command in a process of its own that its judge kills."""

    def step(scene: Scene) -> str:
        scene.write("books.jsonl", map(record_of_a_book, range(1, 5)))
        process = scene.process(line)
        printed, said = process.communicate(timeout=120)
        scene.note_end(line, process.returncode, printed, said)
        return f"kept: {len((scene.folder / 'out/journal.jsonl').read_text().splitlines())} records"

    return step


def with_model(answer: Callable[[Any], Any]) -> Step:
    """A model that answers so; a second time it is the same model, mended."""

    def step(scene: Scene) -> None:
        scene.server = scene.server or scene.open.enter_context(FakeServer(logprobs=True))
        scene.server.answer = answer
        scene.places["model"] = scene.server.url
        scene.patch.delenv("FACTREASONER_ATOMS_PER_CALL", raising=False)

    return step


def written(name: str, rows: Callable[[], Iterable[Mapping[str, Any]]]) -> Step:
    """Write a file of records."""
    return lambda scene: scene.write(name, rows())


def not_shown(folder: str) -> Step:
    """Leave what is in a folder out of the record: too much, and like that of other scenarios."""
    return lambda scene: scene.not_shown.append(folder)


def wide(scene: Scene) -> None:
    """Print in lines that no path of a temporary folder breaks."""
    scene.patch.setenv("COLUMNS", "300")


def an_answer(scene: Scene) -> None:
    """Write an answer that cites, and its source."""
    for name, text in (("answer.txt", ANSWER), ("source.txt", PASSAGE)):
        (scene.folder / name).write_text(f"{text}\n", encoding="utf-8")
        scene.not_shown.append(name)


def one_document_changes(scene: Scene) -> None:
    """Write one document anew and delete the other."""
    (scene.folder / "docs" / "tower.txt").write_text("The tower was painted in 2024.\n", encoding="utf-8")
    (scene.folder / "docs" / "bridge.html").unlink()


def documents(scene: Scene) -> None:
    """Write documents of two kinds, and records whose evidence is found in them."""
    (scene.folder / "docs").mkdir()
    (scene.folder / "docs" / "tower.txt").write_text(
        "The Eiffel Tower was finished in 1889. The height of the tower is 330 metres.\n", encoding="utf-8"
    )
    page = (
        "<title>Bridge</title><p>The Harbour Bridge in Sydney was opened in 1932, after eight years of work."
    )
    (scene.folder / "docs" / "bridge.html").write_text(f"<html>{page}</p></html>", encoding="utf-8")
    rows = [("tower", "The Eiffel Tower was finished in 1898."), ("bridge", "The bridge was opened in 1932.")]
    scene.write(
        "towers.jsonl",
        ({"id": name, "output": text, "atoms": [{"id": "a0", "text": text}]} for name, text in rows),
    )


def answer_batch(scene: Scene) -> str:
    """Answer the requests that wait, as `vllm run-batch` does."""
    for requests in sorted((scene.folder / "out" / "batches").glob("*.requests.jsonl")):
        results = requests.with_name(requests.name.replace("requests", "results"))
        if not results.exists():
            return f"answered {len(answer_file(requests, results, scripted, logprobs=True))} requests"
    raise AssertionError("nothing waits")


def corrected_texts(scene: Scene) -> str:
    """The corrected text of every record of `out`."""
    lines = (scene.folder / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return "".join(f"corrected {line['id']}:\n{line['corrected']}\n" for line in map(json.loads, lines))


def records(scene: Scene) -> None:
    """Write records of several kinds, an answer with its source, and verdicts on one of them."""
    an_answer(scene)
    tower = {
        "id": "tower",
        "output": "The tower was built in 1898. It is 330 metres high.",
        "contexts": [PASSAGE],
    }
    atoms = [{"id": "a0", "text": "The tower was built in 1898."}, {"id": "a1", "text": "It is of iron."}]
    scene.write("records.jsonl", [tower | {"atoms": atoms}, tower | {"id": "copy", "atoms": atoms[1:]}])
    scene.write("bad.jsonl", [tower | {"atoms": atoms}, {"id": 3}, {"id": "x", "otput": "A.", "contexts": 4}])
    scene.write("one.jsonl", [{"record": "tower", "source": "c0", "target": "a0", "label": "entailment"}])
    scene.write("urls.jsonl", [{"id": "r", "output": "It is old [1].", "contexts": ["https://a.example/x"]}])
    scene.not_shown.append("")
