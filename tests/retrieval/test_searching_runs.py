"""Runs whose evidence is searched for on a wiki or the web: from the command to the results."""

import json
from pathlib import Path

import pytest
from json_server import Answer, JsonServer, serper, wiki

from factreasoner import cli

KEY = "right-key-0123456789"
PAGES = {
    "Otter Bridge": "The Otter Bridge spans the river Lune. It is painted red.",
    "Lune": "The Lune is a river of 85 kilometres. Salmon return to it each autumn.",
}
TEXTS = ["The Otter Bridge is painted red.", "Salmon return to the Lune each autumn."]
HITS = {
    text: [{"title": title, "link": f"https://{i}.example/", "snippet": page}]
    for i, (text, (title, page)) in enumerate(zip(TEXTS, PAGES.items(), strict=True))
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`factreasoner run` on one record with two atoms and no contexts; a cache of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SERPER_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    atoms = [{"id": f"a{i}", "text": text} for i, text in enumerate(TEXTS)]
    record = {"id": "r1", "input": "Tell me of the Otter Bridge.", "output": " ".join(TEXTS), "atoms": atoms}
    (tmp_path / "d.jsonl").write_text(json.dumps(record) + "\n")

    def run(*flags):
        return cli.execute(["run", "d.jsonl", "--out", "out", *map(str, flags)])

    return run


def result(folder="out"):
    lines = Path(folder, "results.jsonl").read_text(encoding="utf-8").splitlines()
    return dict(json.loads(lines[-1]))


def contexts():
    lines = Path("out", "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return {context["id"]: context for context in json.loads(lines[-1])["result"]["contexts"]}


def test_a_failed_search_is_recorded_and_alone_repeated(run):
    mended = False

    def search(request):
        if request.body["q"] == TEXTS[1] and not mended:
            return Answer({"message": f"{KEY} is out of breath"}, 500, {"Retry-After": "0"})
        return serper(HITS, KEY)(request)

    with JsonServer(search) as server:
        flags = ("--retriever", "web", "--search-url", server.url, "--version", 1, "--max-attempts", 2)
        assert run(*flags) == 3
        line = result()
        assert line["status"] == "partial"
        assert [(f["item_id"], f["attempts"]) for f in line["failures"]] == [("a1", 2)]
        assert line["num_atoms"] == 1
        mended, asked = True, len(server.requests)
        assert run(*flags) == 0
        assert [request.body["q"] for request in server.requests[asked:]] == [TEXTS[1]]
    assert (result()["status"], result()["num_atoms"]) == ("ok", 2)
    assert not any(KEY.encode() in path.read_bytes() for path in Path().rglob("*") if path.is_file())


def test_a_dry_run_searches_nothing(run, capsys):
    with JsonServer(wiki(PAGES)) as server:
        url = f"{server.url}/w/api.php"
        model = ("--model", "openai/fake", "--summarizer", "llm")
        assert run("--retriever", "wikipedia", "--wikipedia", url, *model, "--dry-run") == 0
        assert server.requests == []
    out = capsys.readouterr().out
    assert "3 searches (wikipedia)" in out
    # Three contexts for each of two atoms and the question.
    assert [line.split()[1] for line in out.splitlines() if "summarizer" in line] == ["9"]
    assert not Path("out").exists()


def test_merged_passages_name_their_retrievers(run):
    with JsonServer(wiki(PAGES)) as wikipedia, JsonServer(serper(HITS, KEY)) as web:
        flags = ("--retriever", "wikipedia,web", "--wikipedia", f"{wikipedia.url}/w/api.php")
        assert run(*flags, "--search-url", web.url, "--version", 1, "--retrieve-k", 1) == 0
    assert {i: (c["text"], c["source"]) for i, c in contexts().items()} == {
        "c_a0_0": (PAGES["Otter Bridge"], "wikipedia, web"),
        "c_a1_0": (PAGES["Lune"], "wikipedia, web"),
    }
