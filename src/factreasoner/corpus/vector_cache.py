"""Vectors by model and text: nothing is computed or paid for twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from factreasoner.corpus.collection import Vectors
from factreasoner.errors import ConfigError
from factreasoner.llm.cache import CacheFile, cache_folder
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.usage import CACHED, record_usage
from factreasoner.settings import Config

TEXTS_A_REQUEST = 64
FILE = "vectors.sqlite"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)",
    "DELETE FROM vectors WHERE key = x''",
)
_KEYS_A_QUERY = 500


class VectorCache:
    """An embedding that asks `embed` only for texts it was never asked for, at most 64 at once, side by side.

    Vectors are kept in one file, see `CacheFile`; with `cache` off in a temporary one.
    Raises ConfigError: the file is damaged, or can't be made or written.
    """

    def __init__(self, name: str, embed: Callable[[Sequence[str]], Vectors], config: Config) -> None:
        self._name = f"{config.embedding_api_base or ''} {name}"
        self._embed = embed
        self._workers = config.concurrency
        path = cache_folder(config) / FILE if config.cache else None
        self._file = CacheFile(path, _TABLES, remedy="set FACTREASONER_CACHE_DIR")
        self.close = self._file.close

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, shape (len(texts), dimension)."""
        keys = [hashlib.sha256(f"{self._name}\0{text}".encode()).digest() for text in texts]
        known = self._load(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            wanted = list(missing)
            parts = [wanted[i : i + TEXTS_A_REQUEST] for i in range(0, len(wanted), TEXTS_A_REQUEST)]
            for fetched in parallel_map(
                lambda part: self._fetch(part, missing), parts, workers=self._workers
            ):
                known.update(fetched)
        else:
            record_usage(CACHED)
        if len({vector.shape for vector in known.values()}) > 1:
            raise ConfigError(f"embedding {self._name.split()[-1]!r}: does not give vectors of one length")
        return np.stack([known[key] for key in keys])

    def _fetch(self, keys: Sequence[bytes], texts: Mapping[bytes, str]) -> dict[bytes, Vectors]:
        """Vectors asked for and kept: they are paid, whatever becomes of the other requests."""
        fetched = dict(zip(keys, self._embed([texts[key] for key in keys]), strict=True))
        self._store(fetched)
        return fetched

    def _load(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found = {}
        for first in range(0, len(keys), _KEYS_A_QUERY):
            part = keys[first : first + _KEYS_A_QUERY]
            marks = ",".join("?" * len(part))
            rows = self._file.rows(f"SELECT * FROM vectors WHERE key IN ({marks})", part)
            found.update({key: np.frombuffer(vector, np.float32) for key, vector in rows})
        return found

    def _store(self, vectors: dict[bytes, Vectors]) -> None:
        rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
        self._file.write("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
