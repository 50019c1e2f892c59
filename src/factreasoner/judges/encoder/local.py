"""A verifier in this process: an ONNX graph on onnxruntime, and the tokenizer that goes with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding

from factreasoner.judges.encoder.adapter import Adapter, Texts, adapter_of
from factreasoner.judges.encoder.files import ModelFiles, identity, model_files
from factreasoner.judges.encoder.onnx_parts import (
    DECODER_FEEDS,
    FEEDS,
    RUNTIME_ERRORS,
    inputs_of,
    meanings_of,
    open_session,
    open_tokenizer,
    output_of,
    padding_id,
    position_limit,
    wrong_width,
)
from factreasoner.judges.encoder.runtime import Array, Unscored, softmax
from factreasoner.settings import Config

_ENCODED = 1024
"""Texts whose tokens are held at once: those of 500 tokens take some 80 kB each."""
USUAL_TOKENS = 128
"""A batch holds `verifier_batch` texts of so many tokens, and fewer longer ones."""


class OnnxRuntime:
    """A loaded verifier.

    Raises:
        ConfigError: a file is missing or damaged, or does not fit the adapter: what was found and needed.
    """

    def __init__(self, files: ModelFiles, adapter: Adapter, config: Config) -> None:
        self.files = files
        self.adapter = adapter
        found = identity(files)
        self.identity = found.digest
        self.labels, self._columns = meanings_of(files, adapter, config)
        self.tokenizer = open_tokenizer(files, adapter)
        table = position_limit(files)
        wanted = config.verifier_window or adapter.max_tokens
        self.longest = wanted if table is None else min(wanted, table)
        self.session = open_session(files, config)
        self._tokens_a_batch = 0 if found.batch_dependent else config.verifier_batch * USUAL_TOKENS
        self._inputs = inputs_of(self.session, files, adapter)
        self._output = output_of(self.session, files, adapter, self._width)
        self._padding = padding_id(files, self.tokenizer)

    def __str__(self) -> str:
        labels = "/".join(self.labels)
        return (
            f"{self.files.graph} ({self.identity}), on {self.device}, {labels}, up to {self.longest} tokens"
        )

    @property
    def device(self) -> str:
        """Where it runs: "cuda" or "cpu"."""
        return "cuda" if "CUDAExecutionProvider" in self.session.get_providers() else "cpu"

    @property
    def _width(self) -> int:
        """How many outputs a position has; of a decoder step, at least."""
        return max(self._columns) + 1

    def starts(self, text: str) -> Sequence[int]:
        """Where the tokens of a text start, special ones left out, in characters."""
        return [start for start, _ in self.tokenizer.encode(text, add_special_tokens=False).offsets]

    def taken(self, texts: Texts) -> int:
        """How many tokens the model reads, special ones included."""
        return len(self.tokenizer.encode(texts.first, texts.second))

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each: shape (tokens of the claim, labels) for a head a token, else (1, labels).

        Texts are run in batches of like lengths. Nothing is ever cut: one of more than `longest` tokens has
        no scores, nor has one that onnxruntime can't run.
        """
        parts = (self._scores(asked[n : n + _ENCODED]) for n in range(0, len(asked), _ENCODED))
        return [row for part in parts for row in part]

    def _scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        encodings = self.tokenizer.encode_batch([_given(texts) for texts in asked])
        found: list[Array | Unscored] = [
            Unscored("TooLong", f"{len(e)} tokens, and the model takes {self.longest}") for e in encodings
        ]
        fitting = [n for n, encoding in enumerate(encodings) if len(encoding) <= self.longest]
        for batch in batches([len(encodings[n]) for n in fitting], self._tokens_a_batch):
            places = [fitting[n] for n in batch]
            for place, row in zip(places, self._run([encodings[n] for n in places]), strict=True):
                found[place] = row
        return found

    def _run(self, encodings: Sequence[Encoding]) -> list[Array | Unscored]:
        try:
            (outputs,) = self.session.run([self._output], self._feed(encodings))
        except RUNTIME_ERRORS as error:
            if len(encodings) > 1:  # lest one text spoil the others
                return [row for one in encodings for row in self._run([one])]
            return [Unscored(type(error).__name__, str(error))]
        logits = np.asarray(outputs, dtype=np.float64)
        if logits.shape[-1] != self._width and self.adapter.head != "decoder_step":
            raise wrong_width(self._output, logits.shape, self.files, self._width)
        rows = [self._row(values, encoding) for values, encoding in zip(logits, encodings, strict=True)]
        bad = Unscored("NotFinite", "the model's outputs are not numbers")
        return [row if np.isfinite(row).all() else bad for row in rows]

    def _row(self, values: Array, encoding: Encoding) -> Array:
        """P(label) from the outputs for one text: shape (tokens, labels)."""
        if self.adapter.head == "sequence":
            chosen = values[None, :]
        elif self.adapter.head == "token":
            claim = [n for n, part in enumerate(encoding.sequence_ids) if part == 1]
            chosen = values[claim]
        else:
            chosen = values[:1]
        return softmax(chosen[:, self._columns])

    def _feed(self, encodings: Sequence[Encoding]) -> dict[str, npt.NDArray[Any]]:
        longest = max(len(encoding) for encoding in encodings)
        feed = {}
        for name, dtype in self._inputs.items():
            if name in DECODER_FEEDS:
                feed[name] = np.full((len(encodings), 1), DECODER_FEEDS[name], dtype=dtype)
                continue
            padding = self._padding if name == "input_ids" else 0
            values = np.full((len(encodings), longest), padding, dtype=dtype)
            for row, encoding in zip(values, encodings, strict=True):
                row[: len(encoding)] = getattr(encoding, FEEDS[name])
            feed[name] = values
        return feed


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Positions in batches of like lengths, each of at most so many tokens, padding included, or one text."""
    batch: list[int] = []
    for n in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[n] > tokens:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def _given(texts: Texts) -> str | tuple[str, str]:
    return texts.first if texts.second is None else (texts.first, texts.second)


@lru_cache(maxsize=2)
def _loaded(settings: str, digest: str) -> OnnxRuntime:
    config = Config.model_validate_json(settings)
    adapter = adapter_of(str(config.verifier))
    return OnnxRuntime(model_files(config, adapter.export), adapter, config)


_LOADING = threading.Lock()


def loaded(adapter: Adapter, config: Config) -> OnnxRuntime:
    """The verifier that `config` names; one that is loaded in this process already is used again.

    Raises:
        ConfigError: there is none, or it can't be used; with the remedy.
    """
    digest = identity(model_files(config, adapter.export)).digest
    own = {key: value for key, value in config.model_dump().items() if key.startswith("verifier")}
    settings = Config(judge="verifier", **own | {"verifier_download": False}).model_dump_json()
    with _LOADING:
        return _loaded(settings, f"{digest} {adapter.digest}")
