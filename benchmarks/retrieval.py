"""How well, how fast and in how much memory own documents are searched.

    python benchmarks/retrieval.py [quality]
    python benchmarks/retrieval.py scale [--sizes 10000 100000]
    python benchmarks/retrieval.py vectors [--sizes 10000 100000]

`quality` uses the data in the folder named by FACTREASONER_DATA, or in ../shared/data: WiCE (parts of an
article that support a claim), Factcheck-Bench (web passages in which people saw a stance on a claim) and
SciFact (an abstract's sentences for or against a claim). Each set's passages make one collection, and a claim
is searched among all of them. Recall@k is the share of a claim's gold passages among the first k, hit@k
whether there is any. The peer is bm25s with its own tokeniser and settings. `dense` and `hybrid` use
MiniLM, where it is on this machine already.
`scale` indexes made-up documents with the command in a process of its own, and searches them by words.
`vectors` holds the index of vectors against brute force, on random vectors, its worst case.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bm25s
import numpy as np
from data_folder import lines

from factreasoner.corpus.collection import StoredPassage
from factreasoner.corpus.indexing import index
from factreasoner.corpus.store import Store
from factreasoner.pipeline.config import Config
from factreasoner.retrieval.corpus import CorpusRetriever
from factreasoner.retrieval.per_atom import Query

MINILM = Path.home() / ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx/model.onnx"
DEPTHS = (3, 5)
QUERIES = 200

Search = Callable[[str], Sequence[str]]
"""Ids of the best passages for a claim, best first."""


class Claims(NamedTuple):
    """Passages by id, and claims with the ids of their gold passages."""

    name: str
    passages: dict[str, str]
    claims: list[tuple[str, set[str]]]


def wice() -> Claims:
    """Claims with the chunks of the cited article that hold a supporting sentence."""
    passages, claims = {}, []
    for record in lines("wice/records.jsonl"):
        passages.update({f"{record['id']}:{c['id']}": c["text"] for c in record["contexts"]})
        atom = record["atoms"][0]
        claims.append((atom["text"], {f"{record['id']}:{c}" for c in atom.get("gold_contexts") or ()}))
    return _claims("WiCE", passages, claims)


def factcheck_bench() -> Claims:
    """Claims with the passages that, as people saw it, support or refute them."""
    passages: dict[str, str] = {}
    gold: dict[str, set[str]] = {}
    for row in lines("factcheck_bench/human_relations.jsonl"):
        if row["type"] == "context_atom" and row["label"] != "neutral":
            gold.setdefault(f"{row['record']}:{row['target']}", set()).add(f"{row['record']}:{row['source']}")
    claims = []
    for record in lines("factcheck_bench/records.jsonl"):
        passages.update({f"{record['id']}:{c['id']}": c["text"] for c in record["contexts"]})
        claims += [
            (atom["text"], gold.get(f"{record['id']}:{atom['id']}", set())) for atom in record["atoms"]
        ]
    return _claims("Factcheck-Bench", passages, claims)


def scifact() -> Claims:
    """Claims with the abstract sentences that decide them."""
    passages: dict[str, str] = {}
    gold: dict[str, set[str]] = {}
    for row in lines("nli/pairs.jsonl"):
        if row["source"] == "scifact_oracle":
            passages[row["id"]] = row["premise"]
            if row["label"] != "neutral":
                gold.setdefault(row["hypothesis"], set()).add(row["id"])
    return _claims("SciFact", passages, list(gold.items()))


def _claims(name: str, passages: dict[str, str], claims: list[tuple[str, set[str]]]) -> Claims:
    """One id a text: a passage given twice is found whichever of the two is found."""
    of_text: dict[str, str] = {}
    same = {i: of_text.setdefault(" ".join(text.split()), i) for i, text in passages.items()}
    kept = {i: text for i, text in passages.items() if same[i] == i}
    return Claims(name, kept, [(text, {same[i] for i in ids}) for text, ids in claims if ids])


def quality() -> None:
    """Print recall and hits of every way of searching, for every set."""
    for claims in (wice(), factcheck_bench(), scifact()):
        print(f"{claims.name}: {len(claims.claims)} claims, {len(claims.passages)} passages")
        print(f"  {'':28}" + "".join(f"recall@{k}  hit@{k}  " for k in DEPTHS) + "ms a claim")
        with tempfile.TemporaryDirectory() as folder:
            for name, search in ways(claims, Path(folder)):
                measure(name, search, claims)


def ways(claims: Claims, folder: Path) -> Iterator[tuple[str, Search]]:
    """Every way of searching the passages of `claims`, by name."""
    yield "bm25s as it comes", peer(claims)
    embeddings = {"none": ["bm25"]}
    if MINILM.exists():
        embeddings["minilm"] = ["dense", "hybrid"]
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps({"text": t, "link": i}) + "\n" for i, t in claims.passages.items()))
    for number, (embedding, searches) in enumerate(embeddings.items()):
        made = Config(
            store=folder / "store", collection=f"by-{number}", embedding=embedding, retrieve_k=max(DEPTHS)
        )
        index([rows], made, tell=lambda step: None)
        for search in searches:
            retriever = CorpusRetriever(made.model_copy(update={"search": search}))
            name = search if embedding == "none" else f"{search}, {embedding}"
            yield name, lambda text, r=retriever: [found.link for found in r.search(Query(text))]  # type: ignore[misc]


def peer(claims: Claims) -> Search:
    """Plain bm25s."""
    ids = list(claims.passages)
    model = bm25s.BM25()
    model.index(bm25s.tokenize(list(claims.passages.values()), show_progress=False), show_progress=False)

    def search(text: str) -> list[str]:
        words = bm25s.tokenize(text, show_progress=False)
        found, _ = model.retrieve(words, k=max(DEPTHS), show_progress=False)
        return [ids[i] for i in found[0]]

    return search


def measure(name: str, search: Search, claims: Claims) -> None:
    """Print one row."""
    start = time.perf_counter()
    found = [search(text) for text, _ in claims.claims]
    each = 1000 * (time.perf_counter() - start) / len(found)
    row = ""
    for k in DEPTHS:
        shares = [
            len(gold & set(ids[:k])) / len(gold) for ids, (_, gold) in zip(found, claims.claims, strict=True)
        ]
        row += f"{statistics.mean(shares):8.1%}{statistics.mean(share > 0 for share in shares):8.1%}  "
    print(f"  {name:26}{row}{each:8.1f}")


def scale(sizes: Sequence[int]) -> None:
    """Print what indexing and searching so many passages takes."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder, "rows.jsonl")
            characters = made_up(rows, size)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            before, start = used.ru_utime + used.ru_stime, time.perf_counter()
            command = [sys.executable, "-m", "factreasoner", "index", str(rows), "--store", f"{folder}/store"]
            subprocess.run([*command, "--quiet"], check=True)
            seconds = time.perf_counter() - start
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = used.ru_utime + used.ru_stime - before
            disk = sum(file.stat().st_size for file in Path(folder, "store").rglob("*") if file.is_file())
            print(
                f"{size} passages, {characters / 1e6:.0f} MB of text: indexed in {seconds:.0f} s "
                f"({processor:.0f} s of processor time), peak memory {used.ru_maxrss / 1024:.0f} MiB, "
                f"store {disk / 1e6:.0f} MB"
            )
            search(Path(folder, "store"))


def search(store: Path) -> None:
    """Print how long queries take."""
    start = time.perf_counter()
    retriever = CorpusRetriever(Config(store=store))
    opened = time.perf_counter() - start
    draw = random.Random(1)
    words = vocabulary()
    queries = [" ".join(draw.choices(words[50:2000], k=10)) for _ in range(QUERIES)]
    times = sorted(1000 * timed(lambda q=q: retriever.search(Query(q))) for q in queries)  # type: ignore[misc]
    print(
        f"  opened in {opened:.2f} s; a query of 10 words: median {statistics.median(times):.1f} ms, "
        f"95 % within {times[int(0.95 * QUERIES)]:.1f} ms"
    )


def vocabulary() -> list[str]:
    """30,000 made-up words, the most frequent first."""
    draw = random.Random(0)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return list(dict.fromkeys("".join(draw.choices(syllables, k=draw.randint(2, 5))) for _ in range(60_000)))[
        :30_000
    ]


def made_up(path: Path, size: int) -> int:
    """Write `size` rows of 150 words in ten sentences, frequent ones as in real texts; returns characters."""
    draw = np.random.default_rng(0)
    words = np.array(vocabulary())
    weights = 1 / np.arange(1, len(words) + 1)
    characters = 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            chosen = draw.choice(words, size=(10, 15), p=weights / weights.sum())
            text = " ".join(" ".join(sentence).capitalize() + "." for sentence in chosen)
            characters += len(text)
            file.write(json.dumps({"title": f"Document {number}", "text": text}) + "\n")
    return characters


def vectors(sizes: Sequence[int], dimension: int) -> None:
    """Print recall@10 of the index of vectors against brute force, and times."""
    for size in sizes:
        draw = np.random.default_rng(0)
        made = _unit(draw.standard_normal((size, dimension), dtype=np.float32))
        asked = _unit(draw.standard_normal((QUERIES, dimension), dtype=np.float32))
        exact = np.argsort(-(asked @ made.T), axis=1)[:, :10]
        with tempfile.TemporaryDirectory() as folder:
            config = Config(store=Path(folder))
            collection = Store(config, create=True).open("vectors", "my.own:embedding")
            start = time.perf_counter()
            passages = [StoredPassage("", "f", "h", i) for i in range(size)]
            for first in range(0, size, 5000):
                collection.add(passages[first : first + 5000], made[first : first + 5000])
            collection.finish()
            collection.vectors.close()
            built = time.perf_counter() - start
            # An index that is open goes on with the settings it was opened with.
            collection = Store(config).collection("vectors")
            collection.vectors.nearest(asked[0], 10)
            ids = [passage.id for passage in passages]
            times, shares = [], []
            for vector, best in zip(asked, exact, strict=True):
                start = time.perf_counter()
                found = collection.vectors.nearest(vector, 10)
                times.append(1000 * (time.perf_counter() - start))
                shares.append(len({ids[i] for i in best} & set(found)) / 10)
            print(
                f"{size} random vectors of {dimension}: recall@10 {statistics.mean(shares):.4f}, indexed in "
                f"{built:.1f} s, median query {statistics.median(times):.1f} ms"
            )


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def timed(fn: Callable[[], object]) -> float:
    """Seconds `fn` takes."""
    start = time.perf_counter()
    fn()
    return time.perf_counter() - start


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="quality", choices=["quality", "scale", "vectors"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--dimension", type=int, default=384, help="numbers in a vector (default: 384)")
    given = parser.parse_args()
    if given.what == "quality":
        quality()
    elif given.what == "scale":
        scale(given.sizes)
    else:
        vectors(given.sizes, given.dimension)


if __name__ == "__main__":
    main()
