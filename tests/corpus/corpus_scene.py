"""Folders of documents, collections made of them, and what is in these."""

from factreasoner.corpus.indexing import index
from factreasoner.corpus.store import Store
from factreasoner.pipeline.config import Config

OWN = "own_embedding:words"
TEXTS = {
    "curie.txt": "Marie Curie was born in Warsaw in 1867. She moved to Paris in 1891.",
    "tower.md": "# Eiffel Tower\n\nThe tower in **Paris** was finished in [1889](https://x.example/a).",
    "rows.jsonl": '{"title": "Radium", "text": "Radium glows.", "link": "https://x.example/radium"}\n'
    '{"title": "Polonium", "text": "Polonium was named after Poland."}\n',
    "deep/er/rows.csv": 'Title,Text,URL\nSorbonne,"A university, once, in Paris.",https://x.example/s\n',
}


def write(folder, texts):
    """A folder with these files."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def numbered(count):
    """A text of so many sentences of ten words."""
    return " ".join(f"Sentence {n} is about otter number {n * 7} and bridge {n}." for n in range(count))


def bring(*paths, prune=False, **settings):
    """Index `paths`."""
    return index(paths, Config(**settings), prune=prune, listener=lambda step: None)


def content(*, collection="documents", **settings):
    """Passages by id."""
    found = Store(Config(**settings)).collection(collection)
    try:
        return {passage.id: passage for passage in found.passages()}
    finally:
        found.close()
