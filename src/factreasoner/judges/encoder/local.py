"""A verifier in this process: an ONNX graph with its tokenizer on onnxruntime."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state
from tokenizers import Encoding, Tokenizer

from factreasoner.calls.threads import check_wanted
from factreasoner.errors import ConfigError
from factreasoner.judges.encoder import runtime
from factreasoner.judges.encoder.adapter import SPECIAL_TOKEN, Adapter, Texts, adapter_of
from factreasoner.judges.encoder.model_files import ModelFiles, model_files
from factreasoner.judges.encoder.runtime import REMEDY, Array, Unscored, meanings
from factreasoner.judges.encoder.settings import EncoderSettings

RUNTIME_ERRORS: tuple[type[Exception], ...] = tuple(
    kind
    for kind in vars(onnxruntime_pybind11_state).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
"""Exceptions of onnxruntime, whose only common base is Exception."""
FEEDS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""Graph input -> the encoding's attribute."""
DECODER_FEEDS = {"decoder_input_ids": 0, "decoder_attention_mask": 1}
"""Graph input -> the feed of a decoder's first step: T5's start id, and its mask."""
DTYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
ENCODED = 1024
"""Maximum texts tokenized at once: 500 tokens take about 80 kB each."""
USUAL_TOKENS = 128
"""A batch holds BATCH texts of this many tokens, and fewer longer ones."""
_LOADING = threading.Lock()


class OnnxRuntime:
    """A loaded verifier.

    Raises ConfigError: a file is missing, damaged, or does not fit the adapter.
    """

    def __init__(self, adapter: Adapter, config: EncoderSettings) -> None:
        self._files = files = model_files(config, adapter.export)
        self._adapter = adapter
        self.identity, batch_dependent = files.identity
        self.labels = meanings(adapter, files.settings, str(files.settings_path))
        by_id = adapter.labels if adapter.head == "decoder_step" else None
        self._columns = sorted(by_id or range(len(self.labels)))
        self.tokenizer = self._opened_tokenizer()
        wanted = adapter.max_tokens
        self.session = opened_session(files, config)
        self._inputs = self._checked_inputs()
        texts, self._length = self._fixed_sizes()
        singly = batch_dependent or texts == 1
        self._tokens_a_batch = 0 if singly else runtime.BATCH * USUAL_TOKENS
        self.longest = min(wanted, files.positions or wanted, self._length or wanted)
        self._output = self._checked_output()
        self._padding = self._padding_id()

    def _wrong(self, file: object, what: str) -> ConfigError:
        return ConfigError(f"verifier_model: {file}: {what}")

    def _misfit(self, what: str) -> ConfigError:
        return self._wrong(
            self._files.graph, f"{what}; export it as the verifier needs it: {self._adapter.export}"
        )

    def _opened_tokenizer(self) -> Tokenizer:
        """The tokenizer. Raises ConfigError if it clearly belongs to another model."""
        path = self._files.tokenizer
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing more special
            raise self._wrong(path, f"can't be read: {error}") from error
        # A saved tokenizer may cut pairs, or fill them up, as its training did.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        for token in SPECIAL_TOKEN.findall(self._adapter.template):
            if len(tokenizer.encode(token, add_special_tokens=False).ids) != 1:
                right = self._adapter.weights or "the verifier"
                needed = f"which the verifier's template needs; use that of {right}"
                raise self._wrong(path, f"has no special token {token!r}, {needed}")
        words = self._files.settings.get("vocab_size")
        highest = max(tokenizer.get_vocab().values(), default=0)
        if isinstance(words, int) and highest >= words:
            taken = f"the model accepts them below {words} (vocab_size in {self._files.settings_path})"
            raise self._wrong(
                path, f"has ids up to {highest}, but {taken}; it is the tokenizer of another model"
            )
        return tokenizer

    def _padding_id(self) -> int:
        """The padding token's id; some models number positions from it."""
        number = self._files.settings.get("pad_token_id")
        if isinstance(number, int):
            return number
        name = self._files.tokenizer_settings.get("pad_token")
        name = name.get("content") if isinstance(name, Mapping) else name
        known = self.tokenizer.token_to_id(name) if isinstance(name, str) else None
        if known is None:
            raise self._wrong(self._files.settings_path, "pad_token_id: missing; add it")
        return known

    def _checked_inputs(self) -> dict[str, Any]:
        """The graph's inputs and types. Raises ConfigError if one is unsupported."""
        decoding = self._adapter.head == "decoder_step"
        fed = [*FEEDS, *DECODER_FEEDS] if decoding else [*FEEDS]
        found = {}
        for given in self.session.get_inputs():
            if given.name not in fed or given.type not in DTYPES:
                raise self._misfit(
                    f"input {given.name!r} ({given.type}): the verifier feeds {', '.join(fed)}"
                )
            found[given.name] = DTYPES[given.type]
        if decoding and "decoder_input_ids" not in found:
            needed = "the verifier also needs decoder_input_ids, in the same graph"
            raise self._misfit(f"has the inputs {', '.join(found)}, but {needed}")
        return found

    def _fixed_sizes(self) -> tuple[int | None, int | None]:
        """The graph's fixed batch size and number of tokens; None: any.

        Raises ConfigError: its batch size is fixed and larger than one.
        """
        shapes = {given.name: given.shape for given in self.session.get_inputs() if given.name in FEEDS}
        for name, shape in shapes.items():
            if len(shape) != 2 or (isinstance(shape[0], int) and shape[0] != 1):
                needed = "the verifier feeds (texts, tokens), and any number of texts or 1"
                raise self._misfit(f"input {name!r} has the shape {shape}, but {needed}")
        texts, tokens = (
            {shape[axis] for shape in shapes.values() if isinstance(shape[axis], int)} for axis in (0, 1)
        )
        return min(texts, default=None), min(tokens, default=None)

    def _checked_output(self) -> str:
        """The output to read. Raises ConfigError if its shape does not fit the head."""
        outputs = self.session.get_outputs()
        chosen = next((output for output in outputs if output.name == "logits"), outputs[0])
        head, shape = self._adapter.head, chosen.shape
        axes = ("texts", "outputs") if head == "sequence" else ("texts", "positions", "outputs")
        if len(shape) != len(axes):
            needed = f"the head {head!r} needs ({', '.join(axes)})"
            raise self._misfit(f"output {chosen.name!r} has the shape {shape}, but {needed}")
        if isinstance(shape[-1], int):
            self._expect_width(chosen.name, shape)
        return str(chosen.name)

    def _expect_width(self, output: str, shape: Sequence[Any]) -> None:
        """Raise ConfigError unless there is one output per label; a decoder step may have more."""
        needed = max(self._columns) + 1
        if shape[-1] < needed or (shape[-1] > needed and self._adapter.head != "decoder_step"):
            raise self._wrong(
                self._files.graph,
                f"output {output!r} has the shape {list(shape)}, but the verifier needs {needed} outputs; "
                f"is it another model? If it is a classifier, {REMEDY}",
            )

    def __str__(self) -> str:
        device = "cuda" if "CUDAExecutionProvider" in self.session.get_providers() else "cpu"
        labels = "/".join(self.labels)
        return f"{self._files.graph} ({self.identity}), on {device}, {labels}, up to {self.longest} tokens"

    def starts(self, text: str) -> Sequence[int]:
        """The character positions of a text's tokens, without special ones."""
        return [start for start, _ in self.tokenizer.encode(text, add_special_tokens=False).offsets]

    def taken(self, texts: Texts) -> int:
        """The number of tokens that the model reads, with special ones."""
        return len(self.tokenizer.encode(texts.first, texts.second))

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each: shape (tokens of the claim, labels) for a head "token", else (1, labels).

        Texts of similar length share a batch. Nothing is truncated: a text of more than `longest` tokens, or
        one that onnxruntime can't process, is Unscored.
        """
        parts = (self._scores(asked[n : n + ENCODED]) for n in range(0, len(asked), ENCODED))
        return [row for part in parts for row in part]

    def _scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        given = [texts.first if texts.second is None else (texts.first, texts.second) for texts in asked]
        encodings = self.tokenizer.encode_batch(given)
        found: list[Array | Unscored] = [
            Unscored("TooLong", f"{len(e)} tokens, but the model accepts {self.longest}") for e in encodings
        ]
        fitting = [n for n, encoding in enumerate(encodings) if len(encoding) <= self.longest]
        lengths = [self._length or len(encodings[n]) for n in fitting]
        for batch in batches(lengths, self._tokens_a_batch):
            places = [fitting[n] for n in batch]
            for place, row in zip(places, self._run([encodings[n] for n in places]), strict=True):
                found[place] = row
        return found

    def _run(self, encodings: Sequence[Encoding]) -> list[Array | Unscored]:
        check_wanted()
        try:
            (outputs,) = self.session.run([self._output], self._feed(encodings))
        except RUNTIME_ERRORS as error:
            if len(encodings) > 1:  # so that one text spoils no other
                return [row for one in encodings for row in self._run([one])]
            return [Unscored(type(error).__name__, str(error))]
        logits = np.asarray(outputs, dtype=np.float64)
        self._expect_width(self._output, logits.shape)
        rows = [self._row(values, encoding) for values, encoding in zip(logits, encodings, strict=True)]
        bad = Unscored("NotFinite", "the model's outputs are not numbers")
        return [row if np.isfinite(row).all() else bad for row in rows]

    def _row(self, values: Array, encoding: Encoding) -> Array:
        """P(label) from one text's outputs: shape (tokens, labels)."""
        if self._adapter.head == "sequence":
            chosen = values[None, :]
        elif self._adapter.head == "token":
            chosen = values[[n for n, part in enumerate(encoding.sequence_ids) if part == 1]]
        else:
            chosen = values[:1]
        outputs = chosen[:, self._columns]
        powers: Array = np.exp(outputs - outputs.max(axis=-1, keepdims=True))
        shares: Array = powers / powers.sum(axis=-1, keepdims=True)
        return shares

    def _feed(self, encodings: Sequence[Encoding]) -> dict[str, npt.NDArray[Any]]:
        longest = self._length or max(len(encoding) for encoding in encodings)
        feed = {}
        for name, dtype in self._inputs.items():
            if name in DECODER_FEEDS:
                feed[name] = np.full((len(encodings), 1), DECODER_FEEDS[name], dtype=dtype)
                continue
            padding = self._padding if name == "input_ids" else 0
            feed[name] = np.full((len(encodings), longest), padding, dtype=dtype)
            for row, encoding in zip(feed[name], encodings, strict=True):
                row[: len(encoding)] = getattr(encoding, FEEDS[name])
        return feed


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Positions in batches of similar length, each of at most `tokens` padded tokens, or one text."""
    batch: list[int] = []
    for n in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[n] > tokens:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def opened_session(files: ModelFiles, config: EncoderSettings) -> onnxruntime.InferenceSession:
    """The loaded graph. Raises ConfigError if onnxruntime can't load it on that device."""
    providers = ["CPUExecutionProvider"]
    if config.verifier_device == "cuda":
        if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
            raise ConfigError(
                "verifier_device: the onnxruntime installed here has no CUDAExecutionProvider: pip uninstall "
                "onnxruntime, then pip install 'onnxruntime-gpu[cuda,cudnn]'; or use `verifier_device='cpu'`"
            )
        onnxruntime.preload_dlls()
        providers.insert(0, "CUDAExecutionProvider")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = runtime.threads
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(files.graph), options, providers=providers)
    except RUNTIME_ERRORS as error:
        raise ConfigError(
            f"verifier_model: {files.graph}: onnxruntime can't load it (is the file complete?): {error}"
        ) from error
    if session.get_providers()[0] != providers[0]:
        raise ConfigError(
            "verifier_device: onnxruntime could not start CUDA: its libraries are missing, or of the "
            "wrong versions (see its requirements for CUDA and cuDNN); or use `verifier_device='cpu'`"
        )
    return session


@lru_cache(maxsize=2)
def _loaded(settings: str, digest: str) -> OnnxRuntime:
    config = EncoderSettings.model_validate_json(settings)
    return OnnxRuntime(adapter_of(config.named_verifier), config)


def loaded(adapter: Adapter, config: EncoderSettings) -> OnnxRuntime:
    """The verifier of `config`, loaded once per process.

    Raises ConfigError: it is missing or unusable; with the fix.
    """
    digest = model_files(config, adapter.export).identity.digest
    own = {key: value for key, value in config.model_dump().items() if key.startswith("verifier")}
    settings = EncoderSettings(**own).model_dump_json()
    with _LOADING:
        return _loaded(settings, f"{digest} {adapter.digest}")
