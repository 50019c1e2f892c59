"""`index`, and runs that find their evidence in what it made."""

import pytest
from command import kept, manifest_of, results, summary_of, write_records
from json_server import Answer, JsonServer
from pages import pdf

from factreasoner import assess_many
from factreasoner.corpus.embeddings import LiteLLMEmbedding
from factreasoner.corpus.store import Store
from factreasoner.pipeline.config import Config
from factreasoner.report import progress

BORN, FINISHED = "Marie Curie was born in Warsaw in 1867.", "The Eiffel Tower was finished in 1889."
CURIE = f"{BORN} She won the Nobel Prize in Physics in 1903."
ROWS = [
    {"title": "Radium", "text": "Marie Curie isolated radium in 1910.", "link": "https://x.example/radium"},
    {"title": "Eiffel Tower", "text": FINISHED, "link": "/notes/tower"},
]
PROMPTS = [
    {"id": "curie", "input": "Who was Marie Curie?", "output": f"{BORN} She isolated radium in 1925."},
    {"id": "tower", "input": "When was the Eiffel Tower finished?", "output": FINISHED},
]


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "curie.txt").write_text(CURIE)
    (folder / "page.html").write_text(
        "<html><head><title>Polonium</title></head><body><article><p>Polonium was discovered by Marie and "
        "Pierre Curie in July 1898, and it was named after Poland.</p></article></body></html>"
    )
    write_records(folder / "rows.jsonl", *ROWS)
    return folder


@pytest.fixture
def index(factreasoner, docs, monkeypatch):
    monkeypatch.setattr(progress, "FIRST_PAUSE", 3600.0)  # on a busy machine it says more

    def run(*arguments, **options):
        return factreasoner("index", *(arguments or ["docs"]), "--store", "store", **options)

    return run


def test_index_reports_counts(index, docs):
    done = index()
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Files: 3 added. Passages: 4 written, 4 in all.",
        "Search it with `run` or `assess`: --retriever corpus --collection documents --store store",
    ]
    (docs / "curie.txt").write_text("Marie Curie died in 1934.")
    (docs / "page.html").unlink()
    (docs / "photo.png").touch()
    (docs / "old.doc").touch()
    done = index()
    left_out = f"skipped: {docs}/old.doc: .doc is not read; save it as docx\n"
    assert done.stderr == left_out
    assert done.stdout.splitlines()[:3] == [
        "Files: 1 replaced, 1 unchanged. Passages: 1 written, 4 in all.",
        "Gone: 1 indexed file; --prune drops the passages.",
        "Skipped: 1 file of other kinds (1 .png).",
    ]
    assert "Files: 2 unchanged, 1 dropped. Passages: 0 written, 3 in all." in index("docs", "--prune").stdout
    assert index("docs", "--quiet").stdout == ""


def test_files_without_text_are_named(index, docs):
    (docs / "none.txt").touch()
    (docs / "rows.csv").write_text('title,text\nCurie,She died in 1934.\nTower,\n\n"",""\n')
    (docs / "blank.jsonl").write_text('{"text": " "}\n')
    done = index()
    assert done.stderr.splitlines() == [
        f"skipped: {docs}/blank.jsonl: line 1: no text",
        f"skipped: {docs}/none.txt: no text in it",
        f"skipped: {docs}/rows.csv: line 3: no text; line 5: no text",
    ]
    assert done.stdout.startswith("Files: 4 added, 2 empty.")
    assert "Files: 4 unchanged, 2 empty." in index().stdout


def test_guessed_encodings_are_reported_in_one_line(index, docs):
    for n in range(7):
        (docs / f"old{n}.txt").write_bytes(f"Café {n}".encode("cp1252"))
    names = "; ".join(f"{docs}/old{n}.txt: read as windows-1252" for n in range(5))
    told = f"not valid UTF-8: 7 files ({names}; and 2 more)\n"
    assert index("docs", "--collection", "other", "--quiet").stderr == ""
    assert [index().stderr, index().stderr] == [told, ""]


def test_broken_file_gives_exit_code_3(index, docs):
    (docs / "a\nb\x1b[31m.pdf").write_bytes(b"%PDF-1.4 and no more")
    with (docs / "rows.jsonl").open("a") as file:
        file.write("no\n")
    (docs / "loop.txt").symlink_to("loop.txt")
    damaged = "damaged PDF; save it again"
    for quiet in ([], ["--quiet"]):
        done = index("docs", *quiet, code=3)
        assert done.stderr.splitlines() == [
            f"not indexed: {docs}/a b\N{REPLACEMENT CHARACTER}[31m.pdf: {damaged}",
            f"not indexed: {docs}/loop.txt: a link that leads nowhere",
            f"read in part: {docs}/rows.jsonl: line 3: not JSON",
        ]
    assert "Files: 2 unchanged, 1 read in part, 2 not readable." in index(code=3).stdout


def test_find_shows_what_a_run_would_get(index, docs):
    index()
    found = index("--find", "Who isolated radium?", "--retrieve-k", "1").stdout.splitlines()
    assert [line.strip() for line in found[1:]] == [
        f"1  {docs}/rows.jsonl, passage 1",
        "Marie Curie isolated radium in 1910.",
    ]
    assert index("--find", "xyzzy").stdout == "No passage found.\n"
    assert "needs vectors" in index("--find", "radium", "--search", "dense", code=1).stderr


def test_partly_read_files_appear_in_list(index, docs):
    (docs / "paper.pdf").write_bytes(pdf("One.", "", "Three."))
    for count in ("3 added", "3 unchanged"):
        done = index(code=3)
        assert done.stderr == f"read in part: {docs}/paper.pdf: page 2 has no text\n"
        assert f"Files: {count}, 1 read in part." in done.stdout
    assert f"read in part: {docs}/paper.pdf: page 2 has no text" in index("--list").stdout


def test_list_and_delete(factreasoner, index, docs, tmp_path):
    index()
    index("docs/curie.txt", "--collection", "other")
    assert index("--list").stdout.splitlines() == [
        "documents\t4 passages\tembedding none",
        "other\t1 passage\tembedding none",
    ]
    done = index("--delete", "--collection", "other", code=2)
    assert "add --yes to delete collection other (1 passage)" in " ".join(done.stderr.split())
    assert "other" in index("--list").stdout
    assert "Deleted collection other" in index("--delete", "--yes", "--collection", "other").stdout
    assert index("--list").stdout == "documents\t4 passages\tembedding none\n"
    assert "no 'other' in store" in index("--delete", "--collection", "other", code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere"], 1, "nowhere: no such file or folder"),
        (["docs", "--list"], 2, "give paths, or one of --list, --find and --delete"),
        (["--list"], 1, "make one with `factreasoner index PATH...`"),
    ],
)
def test_invalid_index_arguments_are_refused(index, arguments, code, words):
    assert words in " ".join(index(*arguments, code=code).stderr.split())


@pytest.mark.parametrize("version", [1, 2])
def test_a_run_finds_its_evidence(factreasoner, index, docs, tmp_path, version):
    index()
    data = write_records(tmp_path / "prompts.jsonl", *PROMPTS)
    search = ["--retriever", "corpus", "--store", "store"]
    factreasoner("run", data, *search, "--version", version, "--retrieve-k", 1, "--out", "out")
    lines = {line["id"]: line for line in results(tmp_path / "out")}
    assert lines["curie"]["predictions"] == {"a0": "S", "a1": "NS"}
    assert lines["tower"]["predictions"] == {"a0": "S"}

    found = {result["record_id"]: result["contexts"] for result in kept(tmp_path / "out")}
    of_curie = {context["id"]: context for context in found["curie"]}
    assert of_curie["c_a0_0"]["text"] == CURIE
    assert (of_curie["c_a0_0"]["atom_ids"], of_curie["c_a0_0"]["title"]) == (["a0"], "curie")
    assert of_curie["c_a0_0"]["note"] == f"{docs}/curie.txt, passage 1"
    assert of_curie["c_a1_0"]["link"] == "https://x.example/radium"
    assert of_curie["c_a1_0"]["note"] == f"{docs}/rows.jsonl, passage 1"
    (tower,) = [context for context in found["tower"] if context["id"] == "c_a0_0"]
    assert (tower["title"], tower["link"]) == ("Eiffel Tower", "")
    assert {"c_q_0" in {context["id"] for context in group} for group in found.values()} == {version > 1}


def test_run_names_mixed_collection_states(factreasoner, index, docs, tmp_path):
    index()
    data = write_records(tmp_path / "prompts.jsonl", *PROMPTS)
    run = ("run", data, "--retriever", "corpus", "--store", "store", "--out", "out")

    def states():
        manifest = manifest_of(tmp_path / "out")
        return manifest["searched"], summary_of(tmp_path / "out")["searched"]

    done = factreasoner(*run, "--limit", 1)
    assert "Collection" not in done.stderr
    assert "searched" not in done.stdout
    (first,) = states()[0]
    assert first.startswith("documents@")
    (docs / "curie.txt").write_text("Marie Curie died in 1934.")
    index()
    finished = factreasoner(*run, "--limit", 1).stderr
    assert states()[0] == [first]  # nothing was searched for
    done = factreasoner(*run)
    (_, second), searched = states()
    assert searched == {first: 1, second: 1}
    told = f"Collection 'documents' has changed since this run began ({first}, {second}): finished records"
    assert told in finished
    assert told in done.stderr
    assert f"1 record in {first}" in done.stdout
    assert [line["searched"] for line in results(tmp_path / "out")] == [[first], [second]]
    assert "Collection" not in factreasoner(*run, "--fresh").stderr
    assert states() == ([second], {second: 2})


def test_python_and_compare_report_changed_collection(factreasoner, index, docs, tmp_path, caplog):
    index()
    data = write_records(tmp_path / "prompts.jsonl", *PROMPTS)
    search = {"retriever": "corpus", "store": "store", "out": "python", "progress": False}
    compare = ("compare", data, "--assessors", "fr2,fr1", "--retriever", "corpus", "--store", "store")
    assess_many(PROMPTS[:1], **search)
    factreasoner(*compare, "--out", "compared", "--limit", 1)
    (docs / "curie.txt").write_text("Marie Curie died in 1934.")
    index()
    caplog.clear()
    assess_many(PROMPTS, **search)
    assert "Collection 'documents' has changed since this run began" in caplog.text
    assert "Collection 'documents' has changed" in factreasoner(*compare, "--out", "compared").stderr


def test_given_contexts_note_no_collection(factreasoner, index, docs, tmp_path):
    index()
    data = write_records(tmp_path / "prompts.jsonl", *PROMPTS)
    search = ("--retriever", "corpus", "--store", "store", "--out", "out")
    compare = ("compare", data, "--assessors", "fr1,factscore", *search)
    factreasoner(*compare)
    journal = tmp_path / "out" / "factscore" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    before = [manifest_of(tmp_path / "out" / name).get("searched") for name in ("fr1", "factscore")]
    (docs / "curie.txt").write_text("Marie Curie died in 1934.")
    index()
    # fr1, which is whole, was searched for; factscore takes its contexts
    assert factreasoner(*compare).stderr.count("Collection") == 1
    assert [line["searched"] for line in results(tmp_path / "out" / "factscore")] == [[], []]
    after = [manifest_of(tmp_path / "out" / name).get("searched") for name in ("fr1", "factscore")]
    assert after == before
    assert (len(after[0]), after[1]) == (1, None)


def test_run_on_unfinished_collection_warns(factreasoner, index, tmp_path):
    index()
    with Store.writing(Config(store=tmp_path / "store")) as store:
        store.collection("documents").begin()
    assert "\tincomplete: indexing is in progress or was interrupted\n" in index("--list").stdout
    assert (
        "incomplete: indexing is in progress or was interrupted at 4 passages" in index("--find", "x").stderr
    )
    data = write_records(tmp_path / "prompts.jsonl", *PROMPTS)
    run = ("run", data, "--retriever", "corpus", "--store", "store", "--out", "out")
    told = "Collection 'documents' is incomplete: indexing is in progress or was interrupted at 4 passages"
    for quiet in ([], ["--quiet", "--fresh"]):
        assert told in factreasoner(*run, *quiet).stderr
    assert "2 records in documents@unfinished-4 (not whole)" in factreasoner(*run).stdout


def embed(request):
    rows = [{"index": n, "embedding": [1.0, len(text)]} for n, text in enumerate(request.body["input"])]
    usage = {"prompt_tokens": 1000 * len(rows), "total_tokens": 1}
    return Answer({"object": "list", "model": "m", "data": rows, "usage": usage})


def test_embeddings_cost_no_more_than_allowed(factreasoner, index, tmp_path, monkeypatch):
    monkeypatch.setattr(LiteLLMEmbedding, "_price", lambda _, tokens: tokens / 1e6)
    data = write_records(tmp_path / "prompts.jsonl", PROMPTS[1])
    with JsonServer(embed) as server:
        priced = ("--embedding-api-base", server.url)
        done = index("docs", "--embedding", "my-model", *priced, "--max-cost", 0, code=1)
        assert "max_cost 0: $0.0000 are spent" in done.stderr
        assert server.requests == []
        done = index("docs", *priced, "--max-cost", 1)
        assert done.stderr == "Embeddings: 1 request, 4,000 tokens, $0.004000.\n"
        run = ("run", data, "--retriever", "corpus", "--store", "store", "--version", 1, *priced)
        done = factreasoner(*run, "--out", "none", "--max-cost", 0, code=3)
        assert "the next call could cost" in done.stderr
        done = factreasoner(*run, "--out", "out", "--max-cost", 1)
    summary = summary_of(tmp_path / "out")
    assert summary["usage"]["by_stage"]["retriever"]["prompt_tokens"] == 1000
    assert summary["usage"]["total"]["cost"] == summary["usage"]["spent"] == 0.001
