"""`factreasoner verify` with a model behind a local server, one that answers badly too."""

from command import results, write_records
from fake_server import FakeServer, answering

SOURCE = "The Harbour Museum opened on 4 May 1932. It shows ships and maps."
TEXT = "The Harbour Museum opened in 1930 [1]. It shows ships [1]."
ATOMS = [
    {
        "id": "a0",
        "text": "The Harbour Museum opened in 1930.",
        "original": "The Harbour Museum opened in 1930",
    },
    {"id": "a1", "text": "The Harbour Museum shows ships.", "original": "It shows ships"},
]
RECORD = {"id": "r1", "input": "What of it?", "output": TEXT, "atoms": ATOMS, "contexts": [SOURCE]}


def said(name, prop, request):
    """What a model that reads says: 1930 is wrong."""
    if name == "statements":
        return ["It opened in 1932 => The museum opened in 1932."]
    if name.startswith("sentence_"):
        return "It opened in 1932 [1]."
    if name.startswith("atom_"):
        return "The museum opened in 1932."
    if name.endswith("_sources"):
        return "1"
    if name.endswith("_citation"):
        return "opened on 4 May 1932"
    if name.endswith("_reasoning"):
        return "It opened in 1932."
    return "False" if "1930" in prop["description"] else "True"


good = answering(said)


def verify(factreasoner, server, data, *flags):
    return factreasoner(
        *("verify", data, "--model", "openai/fake", "--api-base", server.url, "--form", "tool"),
        *("--out", "out", "--patience", 0, *flags),
    )


def test_a_text_is_corrected_by_the_model(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", RECORD)
    with FakeServer(good) as server:
        verify(factreasoner, server, data)
        assert server.calls == 5  # verdicts, the sentence, its claims, revised, their verdicts
        verify(factreasoner, server, data)
        assert server.calls == 5
    (line,) = results(tmp_path / "out")
    assert line["corrected"] == "It opened in 1932 [1]. It shows ships [1]."
    assert [(c["label"], c["fate"]) for c in line["claims"]] == [
        ("contradicted", "rewritten"),
        ("supported", "kept"),
    ]
    assert line["claims"][0]["quote"] == "opened on 4 May 1932"
    assert line["citation_recall"] == 0.5
    assert line["corrected_citation_recall"] == 1.0
