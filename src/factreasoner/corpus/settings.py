"""Settings of the user's own documents."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from factreasoner.calls.settings import CallSettings
from factreasoner.settings.setting import setting
from factreasoner.settings.values import Url

Search = Literal["auto", "bm25", "dense", "hybrid"]
_documents = partial(setting, "Own documents")


class CorpusSettings(CallSettings):
    """Settings of collections and their search."""

    search: Search = setting(
        "Retrieval",
        "auto",
        "Search your own documents by words, vectors or both. (default: both if there are vectors)",
    )
    collection: str = _documents("documents", "Collection of passages.", common=True)
    store: Path | None = _documents(None, "Folder of collections. (default: in the user's data folder)")
    embedding: str | None = _documents(
        None,
        "Embedding: none, minilm, a litellm model such as openai/text-embedding-3-small, or "
        "package.module:function. (default: the collection's own; none for a new one)",
    )
    embedding_api_base: Url | None = _documents(None, "URL of an OpenAI-compatible embedding server.")
