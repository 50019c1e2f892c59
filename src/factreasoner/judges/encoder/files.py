"""The files of a classifier: the graph, its tokenizer, its configuration; and what identifies them."""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.hub import MODEL_ID, HubModel
from factreasoner.settings import Config

GRAPH_FOLDER = "onnx"
USUAL_GRAPHS = ("model.onnx", f"{GRAPH_FOLDER}/model.onnx")
TOOL = "`pip install 'optimum-onnx[onnxruntime]'`"
EXPORT = "`optimum-cli export onnx --task text-classification --model ID FOLDER`"
SLOW_TOKENIZERS = ("spm.model", "sentencepiece.bpe.model", "spiece.model", "vocab.txt", "vocab.json")
NEVER_WEIGHTS = (".onnx", ".json", ".txt", ".md", ".model", ".safetensors", ".bin")
"""Ends of the names of files that hold no weights of a graph."""
DYNAMIC = b"DynamicQuantize"
"""Part of the names of the operators that scale a whole batch by its largest value."""
_CHUNK = 1 << 24


class ModelFiles(NamedTuple):
    """Where a classifier's files are, and what is in config.json and tokenizer_config.json."""

    graph: Path
    tokenizer: Path
    settings_path: Path
    settings: Mapping[str, Any]
    tokenizer_settings: Mapping[str, Any]


class Identity(NamedTuple):
    """A digest of everything a classifier's results hang on, and whether its batches change them.

    In a dynamically quantised graph the numbers of a batch share one scale, so that a pair's result would
    hang on the pairs beside it.
    """

    digest: str
    batch_dependent: bool


def model_files(config: Config, export: str = EXPORT) -> ModelFiles:
    """The files of the model that `config` names; fetched where `verifier_download` says so.

    `export` is what makes an ONNX file of such a model.

    Raises:
        ConfigError: no model is named, or it is not there, or a file of it is missing; with the remedy.
    """
    if config.verifier_model is None:
        raise ConfigError(
            f"verifier: {config.verifier!r} needs its model: add --verifier-model FOLDER or ID, or "
            "--verifier-url URL of a served one (docs/judges.md)"
        )
    path = Path(config.verifier_model).expanduser()
    if path.is_file():
        if config.verifier_file is not None:
            raise ConfigError(f"verifier_file: {path} is a file already; leave one out")
        return _beside(path, path.parent)
    if path.is_dir():
        return _in_folder(path, config, export)
    if not MODEL_ID.fullmatch(config.verifier_model) or config.verifier_model.startswith("."):
        raise ConfigError(f"verifier_model: no such file or folder: {config.verifier_model}")
    model = HubModel.of(config.verifier_model, config.verifier_revision)
    try:
        return _in_folder(model.cached(), config, export)
    except ConfigError:
        if not config.verifier_download:
            raise
    folder = model.download(
        lambda names: chosen_graph(names, config.verifier_file, model.name, export), weights_outside
    )
    return _in_folder(folder, config, export)


def _in_folder(folder: Path, config: Config, export: str) -> ModelFiles:
    names = sorted(found.relative_to(folder).as_posix() for found in folder.rglob("*.onnx"))
    return _beside(
        folder / chosen_graph(names, config.verifier_file, str(config.verifier_model), export), folder
    )


def chosen_graph(names: Sequence[str], wanted: str | None, model: str, export: str = EXPORT) -> str:
    """The graph to use of a model's files: the one named, or model.onnx, or the only one there is.

    `wanted` is a path in the model's folder, or a file name that only one of them has.

    Raises:
        ConfigError: none or several fit; they are listed.
    """
    graphs = [name for name in names if name.endswith(".onnx")]
    named = [name for name in graphs if PurePosixPath(name).name == wanted]
    exact = [name for name in ((wanted,) if wanted else USUAL_GRAPHS) if name in graphs][:1]
    fitting = exact or (named if wanted else graphs)
    if len(fitting) == 1:
        return fitting[0]
    listed = f"it has {', '.join(graphs)}" if graphs else "it has no .onnx file"
    if wanted is not None:
        raise ConfigError(f"verifier_file: {wanted!r}: {len(fitting)} files of {model} fit; {listed}")
    if graphs:
        raise ConfigError(
            f"verifier_model: {model}: which graph is not clear, choose with --verifier-file; {listed}"
        )
    raise ConfigError(f"verifier_model: {model}: {listed}; make one: {TOOL}, then {export}")


def _beside(graph: Path, folder: Path) -> ModelFiles:
    """The files that go with a graph: beside it, or in the model's folder."""
    above = [graph.parent.parent] if graph.parent.name == GRAPH_FOLDER else []
    places = list(dict.fromkeys((graph.parent, *above, folder)))
    tokenizer = _first(places, "tokenizer.json")
    if tokenizer is None:
        slow = [name for name in SLOW_TOKENIZERS if _first(places, name) is not None]
        has = f"it has only {', '.join(slow)}" if slow else "it has no tokenizer at all"
        raise ConfigError(
            f"verifier_model: {places[-1]}: tokenizer.json is missing, {has}; write it with transformers: "
            "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"
        )
    settings = _first(places, "config.json")
    if settings is None:
        raise ConfigError(
            f"verifier_model: {places[-1]}: config.json is missing, which says what outputs mean; "
            "copy it from the model's page or folder"
        )
    tokenizer_settings = _first(places, "tokenizer_config.json")
    return ModelFiles(
        graph=graph,
        tokenizer=tokenizer,
        settings_path=settings,
        settings=_json(settings),
        tokenizer_settings=_json(tokenizer_settings) if tokenizer_settings else {},
    )


def _first(places: Sequence[Path], name: str) -> Path | None:
    return next((place / name for place in places if (place / name).is_file()), None)


def _json(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"verifier_model: {path}: can't be read: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"verifier_model: {path}: not a JSON object")
    return content


def identity(files: ModelFiles) -> Identity:
    """What identifies a model wherever its files lie: graph, weights kept outside it, tokenizer, settings.

    Raises:
        ConfigError: a file can't be read.
    """
    try:
        outside = sorted(path.name for path in files.graph.parent.iterdir() if path.is_file())
        weights = [files.graph.parent / name for name in weights_outside(files.graph, outside)]
        parts = (files.graph, *weights, files.tokenizer, files.settings_path)
        return _identity(tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in parts))
    except OSError as error:
        raise ConfigError(f"verifier_model: {error.filename}: can't be read: {error.strerror}") from error


def weights_outside(graph: Path, names: Sequence[str]) -> list[str]:
    """Names of the files beside an ONNX graph that hold its weights, where these are not in the graph itself.

    They are called model.onnx_data, model.onnx.data or after a constant of the graph.
    """
    return [name for name in names if not name.endswith(NEVER_WEIGHTS) and _holds(graph, name.encode())]


def _holds(path: Path, words: bytes) -> bool:
    with path.open("rb") as file:
        if not path.stat().st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(words) >= 0


@lru_cache(maxsize=8)
def _identity(parts: tuple[tuple[Path, int, int], ...]) -> Identity:
    digest = hashlib.sha256()
    for path, _, size in parts:
        digest.update(f"{size}:".encode())
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return Identity(digest.hexdigest()[:16], _holds(parts[0][0], DYNAMIC))
