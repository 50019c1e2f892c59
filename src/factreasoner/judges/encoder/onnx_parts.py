"""The parts of a verifier in this process, each opened and held against what its adapter says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state
from tokenizers import Tokenizer

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import SPECIAL_TOKEN, Adapter
from factreasoner.judges.encoder.files import ModelFiles
from factreasoner.judges.encoder.labels import REMEDY, labels_of
from factreasoner.models import Label
from factreasoner.settings import Config

RUNTIME_ERRORS: tuple[type[Exception], ...] = tuple(
    kind
    for kind in vars(onnxruntime_pybind11_state).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
"""What onnxruntime raises; these have no base but Exception."""
FEEDS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""A graph's input -> the attribute of an encoding that is fed to it."""
DECODER_FEEDS = {"decoder_input_ids": 0, "decoder_attention_mask": 1}
"""A graph's input -> what a decoder's first step is fed: the id that T5 begins with, and its mask."""
DTYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
COUNTED_FROM_PADDING = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm", "mpnet", "longformer"}
)
"""Types of models that number positions from the padding token's id plus one."""


def position_limit(files: ModelFiles) -> int | None:
    """How many tokens the model's table of positions has; None where it has none that is known."""
    settings = files.settings
    limit = settings.get("max_position_embeddings")
    if not isinstance(limit, int) or limit <= 0 or settings.get("position_biased_input") is False:
        return None
    if settings.get("model_type") in COUNTED_FROM_PADDING:
        limit -= int(settings.get("pad_token_id") or 0) + 1
    return limit


def meanings_of(files: ModelFiles, adapter: Adapter, config: Config) -> tuple[tuple[Label, ...], list[int]]:
    """What the outputs that count mean, and which these are."""
    if adapter.labels is not None and config.verifier_labels is None:
        columns = sorted(adapter.labels)
        return tuple(adapter.labels[n] for n in columns), columns
    if adapter.head != "sequence":
        raise ConfigError(
            f"verifier_labels: verifier {config.verifier!r} has its own, for a head {adapter.head!r}"
        )
    labels = labels_of(files.settings, config.verifier_labels, str(files.settings_path))
    return labels, list(range(len(labels)))


def open_tokenizer(files: ModelFiles, adapter: Adapter) -> Tokenizer:
    """The tokenizer. Raises ConfigError where it is seen to be another model's."""
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # the library raises nothing more special
        raise ConfigError(f"verifier_model: {files.tokenizer}: can't be read: {error}") from error
    # A saved tokenizer may cut pairs, or fill them up, as its training did.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for token in SPECIAL_TOKEN.findall(adapter.template):
        if len(tokenizer.encode(token, add_special_tokens=False).ids) != 1:
            raise ConfigError(
                f"verifier_model: {files.tokenizer}: has no special token {token!r}, which the "
                f"verifier's template needs; take that of {adapter.weights or 'the verifier'}"
            )
    words = files.settings.get("vocab_size")
    highest = max(tokenizer.get_vocab().values(), default=0)
    if isinstance(words, int) and highest >= words:
        raise ConfigError(
            f"verifier_model: {files.tokenizer}: has ids up to {highest}, and the model takes them "
            f"below {words} (vocab_size in {files.settings_path}); it is the tokenizer of another model"
        )
    return tokenizer


def padding_id(files: ModelFiles, tokenizer: Tokenizer) -> int:
    """The id of the padding token; some models number positions by it."""
    number = files.settings.get("pad_token_id")
    if isinstance(number, int):
        return number
    name = files.tokenizer_settings.get("pad_token")
    name = name.get("content") if isinstance(name, Mapping) else name
    known = tokenizer.token_to_id(name) if isinstance(name, str) else None
    if known is None:
        raise ConfigError(f"verifier_model: {files.settings_path}: pad_token_id: missing; add it")
    return known


def open_session(files: ModelFiles, config: Config) -> onnxruntime.InferenceSession:
    """The loaded graph. Raises ConfigError where onnxruntime can't load it, or not on that device."""
    providers = ["CPUExecutionProvider"]
    if config.verifier_device == "cuda":
        if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
            raise ConfigError(
                "verifier_device: the onnxruntime installed here has no CUDAExecutionProvider: pip uninstall "
                "onnxruntime, then pip install 'onnxruntime-gpu[cuda,cudnn]'; or use --verifier-device cpu"
            )
        onnxruntime.preload_dlls()
        providers.insert(0, "CUDAExecutionProvider")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = config.verifier_threads or 0
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(files.graph), options, providers=providers)
    except RUNTIME_ERRORS as error:
        raise ConfigError(
            f"verifier_model: {files.graph}: onnxruntime can't load it (is the file whole?): {error}"
        ) from error
    if session.get_providers()[0] != providers[0]:
        raise ConfigError(
            "verifier_device: onnxruntime could not start CUDA, whose libraries it does not find or which "
            "it does not fit: see its requirements (CUDA and cuDNN versions), or use --verifier-device cpu"
        )
    return session


def inputs_of(session: onnxruntime.InferenceSession, files: ModelFiles, adapter: Adapter) -> dict[str, Any]:
    """The graph's inputs and their types. Raises ConfigError where one can't be fed."""
    decoding = adapter.head == "decoder_step"
    fed = [*FEEDS, *DECODER_FEEDS] if decoding else [*FEEDS]
    found = {}
    for given in session.get_inputs():
        if given.name not in fed or given.type not in DTYPES:
            raise ConfigError(
                f"verifier_model: {files.graph}: input {given.name!r} ({given.type}): what is fed is "
                f"{', '.join(fed)}; export it as the verifier needs it: {adapter.export}"
            )
        if given.name in FEEDS and any(isinstance(size, int) for size in given.shape):
            raise ConfigError(
                f"verifier_model: {files.graph}: input {given.name!r} has the fixed shape {given.shape}; "
                f"export it with sizes left open: {adapter.export}"
            )
        found[given.name] = DTYPES[given.type]
    if decoding and "decoder_input_ids" not in found:
        raise ConfigError(
            f"verifier_model: {files.graph}: has the inputs {', '.join(found)}, and the verifier needs "
            f"decoder_input_ids beside them, in one graph: {adapter.export}"
        )
    return found


def output_of(session: onnxruntime.InferenceSession, files: ModelFiles, adapter: Adapter, width: int) -> str:
    """The name of the output to read. Raises ConfigError where its shape does not fit the adapter's head."""
    outputs = session.get_outputs()
    chosen = next((output for output in outputs if output.name == "logits"), outputs[0])
    axes = ("texts", "outputs") if adapter.head == "sequence" else ("texts", "positions", "outputs")
    size = chosen.shape[-1] if chosen.shape else None
    short = isinstance(size, int) and (size < width if adapter.head == "decoder_step" else size != width)
    if len(chosen.shape) != len(axes):
        raise ConfigError(
            f"verifier_model: {files.graph}: output {chosen.name!r} has the shape {chosen.shape}, and the "
            f"head {adapter.head!r} needs ({', '.join(axes)}); export it as the verifier "
            f"needs it: {adapter.export}"
        )
    if short:
        raise wrong_width(chosen.name, chosen.shape, files, width)
    return str(chosen.name)


def wrong_width(name: str, shape: Sequence[object], files: ModelFiles, width: int) -> ConfigError:
    """What is wrong with an output of so many values a position."""
    return ConfigError(
        f"verifier_model: {files.graph}: output {name!r} has the shape {list(shape)}, and the verifier needs "
        f"{width} outputs; is it another model's? Of a classifier, {REMEDY}"
    )
