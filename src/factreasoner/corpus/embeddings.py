"""Text embeddings: Chroma's MiniLM, any litellm embedding model, or a custom function."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from factreasoner.calls.cache import CacheFile, cache_folder
from factreasoner.calls.deadlines import run_within
from factreasoner.calls.limits import Budget
from factreasoner.calls.retry import Passing, Retry
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import CACHED, estimate_tokens, record_usage
from factreasoner.corpus.collection import NONE
from factreasoner.corpus.settings import CorpusSettings
from factreasoner.errors import BudgetError, ConfigError, PluginError, StoreError
from factreasoner.llm.faults import ProviderFault, fault_of
from factreasoner.llm.responses import MOST_TOKENS
from factreasoner.llm.transport import MARGIN, Transport
from factreasoner.llm.transport import load as litellm
from factreasoner.models import Usage
from factreasoner.plugins.kinds import PluginKind, describe_error, load
from factreasoner.plugins.table import PLUGINS, extras_named

Vectors = npt.NDArray[np.float32]
KEY_VARIABLE = "FACTREASONER_EMBEDDING_KEY"
_OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Embedding(Protocol):
    """Turns texts into vectors of one length."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, shape (len(texts), dimension).

        Raises:
            StoreError: a temporary failure.
            ConfigError: a failure that the user must fix.
        """
        ...


def embedding_named(name: str, config: CorpusSettings, budget: Budget | None = None) -> Embedding | None:
    """The embedding `name`; None for "none". Its requests are paid from `budget`.

    Vectors of models are cached; those of a custom function are not, since it may change.

    Raises ConfigError: no such function, or the key's variable is not set.
    """
    if name == NONE:
        return None
    if _OWN.fullmatch(name):
        return OwnEmbedding(name, config)
    known = name in PLUGINS["embedding"]
    model: Embedding = load("embedding", name)() if known else LiteLLMEmbedding(name, config, budget)
    return VectorCache(name, model.embed, config)


EMBEDDING: PluginKind[Embedding] = PluginKind("embedding", "embed", object)


class OwnEmbedding:
    """A custom function from a list of texts to vectors, or a class with such a method `embed`.

    One thread at a time calls it.
    """

    def __init__(self, name: str, config: CorpusSettings) -> None:
        self._name = name
        found = load("embedding", name)
        if inspect.isclass(found):
            found = EMBEDDING.make(name, {"config": config}).embed
        self._function: Callable[[list[str]], object] = found
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The function's vectors. Raises ConfigError if it fails or does not return one vector per text."""
        with self._lock:
            try:
                found = self._function(list(texts))
            except PluginError as error:
                raise ConfigError(str(error)) from error
            except Exception as error:
                raise ConfigError(
                    f"embedding {self._name!r}: {describe_error(error, self._function)}"
                ) from error
        return checked(found, len(texts), self._name)


class MiniLM:
    """all-MiniLM-L6-v2 as Chroma runs it, on the CPU; dimension 384, first 256 tokens of a text."""

    def __init__(self) -> None:
        with extras_named():
            from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2
        self._model = ONNXMiniLM_L6_V2()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`. Raises ConfigError if the model is missing and can't be downloaded."""
        with self._lock:
            try:
                found = self._model(list(texts))
            except Exception as error:
                raise ConfigError(
                    f"embedding 'minilm': its model is not in {self._model.DOWNLOAD_PATH} and can't be "
                    f"downloaded ({error}). Download {self._model.MODEL_DOWNLOAD_URL} elsewhere and put it "
                    "there, or do without vectors (`embedding='none'`), or name a litellm model"
                ) from error
        return checked(found, len(texts), "minilm")


class LiteLLMEmbedding:
    """An embedding model of any provider litellm knows, or of an OpenAI-compatible server.

    Its requests count in usage and are paid from `budget` (default: `config.max_cost`). Tokens that a server
    does not report are estimated. A local server costs nothing. KEY_VARIABLE holds its key.
    """

    def __init__(self, model: str, config: CorpusSettings, budget: Budget | None = None) -> None:
        self._name = model
        self._config = config
        self._budget = budget or Budget(config.max_cost)
        key = KEY_VARIABLE if os.environ.get(KEY_VARIABLE, "").strip() else None
        self._provider = Transport(model, config.embedding_api_base, key)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts` from one request, with retries."""
        answer = Retry(self._config.max_attempts, self._config.patience)(lambda: self._tried(list(texts)))
        try:
            rows = sorted(answer.data, key=lambda row: int(row["index"]))
            vectors = [row["embedding"] for row in rows]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _wrong(self._name, "did not return a list of numbered vectors") from error
        return checked(vectors, len(texts), self._name)

    def _tried(self, texts: list[str]) -> Any | Passing:
        """The answer to one request, or a transient failure. Raises StoreError for a final failure."""
        try:
            return self._paid(texts)
        except (BudgetError, ConfigError):
            raise
        except Exception as error:  # noqa: BLE001 - of any library below; it is classified
            fault: ProviderFault = fault_of(error, form="word", request={}, secret=self._provider.key)
        message = f"embedding {self._name!r}: {fault.message}"
        if fault.kind == "config":
            raise ConfigError(f"{message} ({_remedy(fault)})")
        if fault.retry_after is not None:
            message += f" (it asks to wait {fault.retry_after:.0f} s; see `patience`)"
        if fault.kind != "retry":
            raise StoreError(message)
        return Passing(StoreError(message), fault.retry_after)

    def _paid(self, texts: list[str]) -> Any:
        """The answer to one request, counted in usage and limit."""
        tokens = sum(map(estimate_tokens, texts))
        unknown = f"embedding {self._name!r} is not known, so no limit can be kept; leave `max_cost` out"
        with self._budget.reserved(lambda: self._price(int(MARGIN * tokens)), unknown) as reservation:
            try:
                answer = run_within(self._config.timeout, lambda: self._send(texts))
            except TimeoutError:
                raise  # it may have been worked on, and paid for
            except Exception:
                reservation.cost = 0.0
                raise
            counted = getattr(getattr(answer, "usage", None), "prompt_tokens", None)
            tokens = counted if type(counted) is int and 0 < counted <= MOST_TOKENS else tokens
            cost = self._price(tokens)
            reservation.cost = cost or 0.0
        record_usage(Usage(calls=1, prompt_tokens=tokens, cost=cost))
        return answer

    def _price(self, tokens: int) -> float | None:
        return 0.0 if self._config.embedding_api_base else self._provider.price(tokens, 0)

    def _send(self, texts: list[str]) -> Any:
        return litellm().embedding(
            model=self._provider.model,
            input=texts,
            **self._provider.place,
            timeout=self._config.timeout,
            max_retries=0,
            encoding_format="float",
            drop_params=True,
        )


def _remedy(fault: ProviderFault) -> str:
    if fault.remedy == "key":
        return f"the key is missing or wrong: put it into {KEY_VARIABLE}"
    return fault.remedy.replace("`model", "`embedding").replace("`api_base", "`embedding_api_base")


def _wrong(name: str, what: str) -> ConfigError:
    return ConfigError(f"embedding {name!r}: {what}")


def checked(vectors: Any, count: int, name: str) -> Vectors:
    """`vectors` as an array of shape (count, dimension). Raises ConfigError if they are not vectors."""
    try:
        found = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise _wrong(name, "does not give one vector per text, all of the same length") from error
    if found.ndim != 2 or len(found) != count or not found.shape[1]:
        raise _wrong(name, f"gives an array of shape {found.shape} for {count} texts")
    if not np.isfinite(found).all():
        raise _wrong(name, "gives numbers that are not finite")
    return found


TEXTS_A_REQUEST = 64
FILE = "vectors.sqlite"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)",
    "DELETE FROM vectors WHERE key = x''",
)
_KEYS_A_QUERY = 900
"""SQLite before 3.32 accepts at most 999 values per query."""


class VectorCache:
    """An embedding that passes only new texts to `embed`, at most 64 per request, in parallel.

    Vectors are kept in one file, see `CacheFile`; with `cache` off, in a temporary one.

    Raises ConfigError: the file is damaged, or can't be created or written.
    """

    def __init__(self, name: str, embed: Callable[[Sequence[str]], Vectors], config: CorpusSettings) -> None:
        self._name = f"{config.embedding_api_base or ''} {name}"
        self._embed = embed
        self._workers = config.concurrency
        path = cache_folder(config) / FILE if config.cache else None
        self._file = CacheFile(path, _TABLES, remedy="set FACTREASONER_CACHE_DIR")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, shape (len(texts), dimension)."""
        keys = [hashlib.sha256(f"{self._name}\0{text}".encode()).digest() for text in texts]
        known = self._load(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            wanted = list(missing)
            parts = [wanted[i : i + TEXTS_A_REQUEST] for i in range(0, len(wanted), TEXTS_A_REQUEST)]
            ask = functools.partial(self._fetch, texts=missing)
            for fetched in parallel_map(ask, parts, workers=self._workers):
                known.update(fetched)
        else:
            record_usage(CACHED)
        if len({vector.shape for vector in known.values()}) > 1:
            raise ConfigError(f"embedding {self._name.split()[-1]!r}: does not give vectors of equal length")
        return np.stack([known[key] for key in keys])

    def _fetch(self, keys: Sequence[bytes], texts: Mapping[bytes, str]) -> dict[bytes, Vectors]:
        """Vectors from one request, stored at once, even if other requests fail."""
        fetched = dict(zip(keys, self._embed([texts[key] for key in keys]), strict=True))
        rows = [(key, vector.tobytes()) for key, vector in fetched.items()]
        self._file.write("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        return fetched

    def _load(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        for first in range(0, len(keys), _KEYS_A_QUERY):
            part = keys[first : first + _KEYS_A_QUERY]
            marks = ",".join("?" * len(part))
            rows = self._file.rows(f"SELECT * FROM vectors WHERE key IN ({marks})", part)
            found |= {key: np.frombuffer(vector, np.float32) for key, vector in rows}
        return found
