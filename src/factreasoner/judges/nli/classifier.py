"""A sequence classifier in ONNX form: pairs of texts in, P(label) out."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state
from tokenizers import Encoding, Tokenizer

from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.judges.nli.files import EXPORT, ModelFiles, identity, model_files
from factreasoner.judges.nli.labels import REMEDY, labels_of
from factreasoner.models import Label

Array: TypeAlias = npt.NDArray[np.float64]

RUNTIME_ERRORS: tuple[type[Exception], ...] = tuple(
    kind
    for kind in vars(onnxruntime_pybind11_state).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
"""What onnxruntime raises; these have no base but Exception."""
NOT_RUN: tuple[type[Exception], ...] = (ValueError, *RUNTIME_ERRORS)
"""What becomes of pairs that a loaded classifier can't run."""
FEEDS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""A graph's input -> the attribute of an encoding that is fed to it."""
DTYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
COUNTED_FROM_PADDING = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm", "mpnet", "longformer"}
)
"""Types of models that number positions from the padding token's id plus one."""
NO_LENGTH = 1_000_000
"""A `model_max_length` from here on means that a tokenizer does not know any."""
_ENCODED = 1024
"""Pairs whose tokens are held at once: those of 500 tokens take some 80 kB each."""
USUAL_TOKENS = 128
"""A batch holds `nli_batch` pairs of so many tokens, and fewer longer ones."""


class Classifier:
    """A loaded classifier; may be used from many threads.

    `labels` say what its outputs mean, `longest` is how many tokens a pair may have, special ones included,
    and `special_tokens` how many of these are the tokenizer's own.
    """

    def __init__(self, files: ModelFiles, config: Config) -> None:
        self.files = files
        self.identity = identity(files)
        self.labels: tuple[Label, ...] = labels_of(
            files.settings, config.nli_labels, str(files.settings_path)
        )
        self.tokenizer = _tokenizer(files)
        self.special_tokens = self.tokenizer.num_special_tokens_to_add(True)
        self.longest = min(config.nli_window, position_limit(files) or config.nli_window)
        self.session = _session(files, config)
        self._tokens_a_batch = 0 if self.identity.batch_dependent else config.nli_batch * USUAL_TOKENS
        self._inputs = _inputs(self.session, files)
        self._output = _output(self.session, self.labels)
        self._padding = _padding(files, self.tokenizer)

    def __str__(self) -> str:
        digest, labels = self.identity.digest, "/".join(self.labels)
        return f"{self.files.graph} ({digest}), on {self.device}, {labels}, up to {self.longest} tokens"

    @property
    def device(self) -> str:
        """Where it runs: "cuda" or "cpu"."""
        return "cuda" if "CUDAExecutionProvider" in self.session.get_providers() else "cpu"

    def encode(self, text: str) -> Encoding:
        """The tokens of one text, without special ones, with their places in it."""
        return self.tokenizer.encode(text, add_special_tokens=False)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """P(label) for each (premise, claim): shape (pairs, labels), each row the softmax of the outputs.

        Pairs are run in batches of like lengths.

        Raises:
            ValueError: a pair has more tokens than `longest`; nothing is ever cut.
            one of RUNTIME_ERRORS: onnxruntime can't run the graph.
        """
        parts = [self._probabilities(pairs[n : n + _ENCODED]) for n in range(0, len(pairs), _ENCODED)]
        return np.concatenate([np.empty((0, len(self.labels))), *parts])

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> Array:
        encodings = self.tokenizer.encode_batch(list(pairs))
        lengths = [len(encoding) for encoding in encodings]
        if max(lengths) > self.longest:
            raise ValueError(f"a pair has {max(lengths)} tokens, and the model takes {self.longest}")
        found = np.empty((len(encodings), len(self.labels)))
        for batch in batches(lengths, self._tokens_a_batch):
            feed = self._feed([encodings[n] for n in batch])
            (outputs,) = self.session.run([self._output], feed)
            found[batch] = softmax(np.asarray(outputs, dtype=np.float64))
        return found

    def _feed(self, encodings: Sequence[Encoding]) -> dict[str, npt.NDArray[Any]]:
        longest = max(len(encoding) for encoding in encodings)
        feed = {}
        for name, dtype in self._inputs.items():
            padding = self._padding if name == "input_ids" else 0
            values = np.full((len(encodings), longest), padding, dtype=dtype)
            for row, encoding in zip(values, encodings, strict=True):
                row[: len(encoding)] = getattr(encoding, FEEDS[name])
            feed[name] = values
        return feed


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Positions in batches of like lengths, each of at most so many tokens, padding included, or one pair."""
    batch: list[int] = []
    for n in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[n] > tokens:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def softmax(outputs: Array) -> Array:
    """The softmax of every row: outputs of shape (pairs, labels) as probabilities."""
    powers: Array = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


def position_limit(files: ModelFiles) -> int | None:
    """How many tokens a pair may have by config.json and tokenizer_config.json; None where neither says."""
    settings = files.settings
    limits = [settings.get("max_position_embeddings"), files.tokenizer_settings.get("model_max_length")]
    if settings.get("model_type") in COUNTED_FROM_PADDING and isinstance(limits[0], int):
        limits[0] -= int(settings.get("pad_token_id") or 0) + 1
    known = [int(n) for n in limits if isinstance(n, int | float) and 0 < n < NO_LENGTH]
    return min(known, default=None)


def _tokenizer(files: ModelFiles) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # the library raises nothing more special
        raise ConfigError(f"nli_model: {files.tokenizer}: can't be read: {error}") from error
    # A saved tokenizer may cut pairs, or fill them up, as its training did.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _padding(files: ModelFiles, tokenizer: Tokenizer) -> int:
    """The id of the padding token; some models number positions by it."""
    number = files.settings.get("pad_token_id")
    if isinstance(number, int):
        return number
    name = files.tokenizer_settings.get("pad_token")
    name = name.get("content") if isinstance(name, Mapping) else name
    known = tokenizer.token_to_id(name) if isinstance(name, str) else None
    if known is None:
        raise ConfigError(f"nli_model: {files.settings_path}: pad_token_id: missing; add it")
    return known


def _session(files: ModelFiles, config: Config) -> onnxruntime.InferenceSession:
    providers = ["CPUExecutionProvider"]
    if config.nli_device == "cuda":
        if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
            raise ConfigError(
                "nli_device: the onnxruntime installed here has no CUDAExecutionProvider: pip uninstall "
                "onnxruntime, then pip install 'onnxruntime-gpu[cuda,cudnn]'; or use --nli-device cpu"
            )
        onnxruntime.preload_dlls()
        providers.insert(0, "CUDAExecutionProvider")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = config.nli_threads or 0
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(files.graph), options, providers=providers)
    except RUNTIME_ERRORS as error:
        raise ConfigError(
            f"nli_model: {files.graph}: onnxruntime can't load it (is the file whole?): {error}"
        ) from error
    if session.get_providers()[0] != providers[0]:
        raise ConfigError(
            "nli_device: onnxruntime could not start CUDA, whose libraries it does not find or which it does "
            "not fit: see its requirements (CUDA and cuDNN versions), or use --nli-device cpu"
        )
    return session


def _inputs(session: onnxruntime.InferenceSession, files: ModelFiles) -> dict[str, Any]:
    """The graph's inputs and their types. Raises ConfigError where one can't be fed."""
    found = {}
    for given in session.get_inputs():
        if given.name not in FEEDS or given.type not in DTYPES:
            raise ConfigError(
                f"nli_model: {files.graph}: input {given.name!r} ({given.type}): what is fed is "
                f"{', '.join(FEEDS)}; export it as a classifier of sequences: {EXPORT}"
            )
        if any(isinstance(size, int) for size in given.shape):
            raise ConfigError(
                f"nli_model: {files.graph}: input {given.name!r} has the fixed shape {given.shape}; export "
                f"it with sizes left open: {EXPORT}"
            )
        found[given.name] = DTYPES[given.type]
    return found


def _output(session: onnxruntime.InferenceSession, labels: Sequence[Label]) -> str:
    """The name of the output to read. Raises ConfigError where it has not one value a label."""
    outputs = session.get_outputs()
    chosen = next((output for output in outputs if output.name == "logits"), outputs[0])
    size = chosen.shape[-1] if len(chosen.shape) == 2 else None
    if len(chosen.shape) != 2 or (isinstance(size, int) and size != len(labels)):
        raise ConfigError(
            f"nli_model: output {chosen.name!r} has the shape {chosen.shape}, and the labels are "
            f"{len(labels)} ({', '.join(labels)}); {REMEDY}"
        )
    return str(chosen.name)


@lru_cache(maxsize=2)
def _loaded(settings: str, digest: str) -> Classifier:
    config = Config.model_validate_json(settings)
    return Classifier(model_files(config), config)


_LOADING = threading.Lock()


def classifier_of(config: Config) -> Classifier:
    """The classifier that `config` names; one that is loaded in this process already is used again.

    Raises:
        ConfigError: there is none, or it can't be used; with the remedy.
    """
    digest = identity(model_files(config)).digest
    own = {key: value for key, value in config.model_dump().items() if key.startswith("nli_")}
    settings = Config(judge="nli", **own | {"nli_download": False}).model_dump_json()
    with _LOADING:
        return _loaded(settings, digest)
