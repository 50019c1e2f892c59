"""The files of a classifier, in a folder or on the Hugging Face hub: graph, tokenizer, configuration."""

from __future__ import annotations

import hashlib
import json
import mmap
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.settings import BUNDLED, EncoderSettings
from factreasoner.plugins.table import extras_named

GRAPH_FOLDER = "onnx"
USUAL_GRAPHS = ("model.onnx", f"{GRAPH_FOLDER}/model.onnx")
TOOL = "`pip install 'optimum-onnx[onnxruntime]'`"
SLOW_TOKENIZERS = ("spm.model", "sentencepiece.bpe.model", "spiece.model", "vocab.txt", "vocab.json")
NEVER_WEIGHTS = (".onnx", ".json", ".txt", ".md", ".model", ".safetensors", ".bin")
"""File endings that never hold weights of a graph."""
DYNAMIC = b"DynamicQuantize"
"""Name parts of operators that scale a whole batch by its largest value."""
MODEL_ID = re.compile(r"([\w.-]+(?:/[\w.-]+)?)(?:/([\w./-]+\.onnx))?(?:@([\w./-]+))?")
"""ID, ID/FILE.onnx or ID@REVISION: name, file and revision."""
SMALL_FILES = ("*config.json", "*tokenizer.json", "*special_tokens_map.json")
"""Names of a hub model's small files, anywhere in its repository."""
COUNTED_FROM_PADDING = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm", "mpnet", "longformer"}
)
"""Model types that number positions from the padding token's id plus one."""
RULES = 2
"""Version of the rules for the bundled network: its input, windows and decisions."""
BUNDLED_MODEL = Path(__file__).parent / "bundled" / "model"
"""The bundled network. Its config.json has the checksums of the other files."""
_BLOCK = 1 << 24


class Identity(NamedTuple):
    """A digest of everything that affects a classifier's results, and whether batches affect them.

    In a dynamically quantized graph, the texts of a batch share one scale.
    """

    digest: str
    batch_dependent: bool


class ModelFiles(NamedTuple):
    """Paths of a classifier's files, and the content of its JSON files."""

    graph: Path
    tokenizer: Path
    settings_path: Path
    settings: Mapping[str, Any]
    tokenizer_settings: Mapping[str, Any]
    layer: Path | None = None

    @property
    def positions(self) -> int | None:
        """The size of the model's position table; None if unknown."""
        limit = self.settings.get("max_position_embeddings")
        if not isinstance(limit, int) or limit <= 0 or self.settings.get("position_biased_input") is False:
            return None
        if self.settings.get("model_type") in COUNTED_FROM_PADDING:
            limit -= int(self.settings.get("pad_token_id") or 0) + 1
        return limit

    @property
    def identity(self) -> Identity:
        """The identity of graph, external weights, tokenizer and settings.

        Raises ConfigError: a file can't be read.
        """
        try:
            beside = sorted(path.name for path in self.graph.parent.iterdir() if path.is_file())
            weights = [self.graph.parent / name for name in external_weights(self.graph, beside)]
            layer = (self.layer,) if self.layer else ()
            paths = (self.graph, *weights, self.tokenizer, self.settings_path, *layer)
            return _identity(tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths))
        except OSError as error:
            raise ConfigError(f"verifier_model: {error.filename}: can't be read: {error.strerror}") from error


def model_files(config: EncoderSettings, export: str, *, download: bool = False) -> ModelFiles:
    """The files of the model in `config`; with `download`, missing ones are fetched.

    `export` is the command that makes an ONNX file of such a model.

    Raises ConfigError: no model is named, or it or a file of it is missing; with the fix.
    """
    if config.is_bundled:
        return bundled_files()
    if config.verifier_model is None:
        raise ConfigError(
            f"verifier: {config.verifier!r} needs its model: add `verifier_model` (a folder or an id), or "
            "`verifier_url=URL` of a served one (docs/verifiers.md)"
        )
    path = Path(config.verifier_model).expanduser()
    if path.is_file():
        return _beside(path, path.parent)
    if path.is_dir():
        return _in_folder(path, config.verifier_model, export)
    named = MODEL_ID.fullmatch(config.verifier_model)
    if named is None or config.verifier_model.startswith("."):
        raise ConfigError(f"verifier_model: no such file or folder: {config.verifier_model}")
    return _on_hub(_OnHub(*named.groups()), export, download=download)


@lru_cache(maxsize=1)
def bundled_files() -> ModelFiles:
    """The files of the bundled network.

    Raises ConfigError: one is missing, or its checksum differs from config.json.
    """
    settings = BUNDLED_MODEL / "config.json"
    known = _json(settings) if settings.is_file() else {}
    wanted = known["sha256"] if {"sha256", "version", "measured"} <= known.keys() else {"config.json": ""}
    for name, digest in wanted.items():
        path = BUNDLED_MODEL / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            problem = "damaged" if path.is_file() else "missing"
            raise ConfigError(f"judge: {path} of the bundled judge is {problem}: install factreasoner again")
    return _beside(BUNDLED_MODEL / "model.onnx", BUNDLED_MODEL)


def bundled_fingerprint() -> str:
    """Name, version and digest of the bundled judge, for a run's manifest."""
    files = bundled_files()
    return f"{BUNDLED} {files.settings['version']} {files.identity.digest}-{RULES}"


def quality_sentence() -> str:
    """The quality of the bundled judge, in one sentence: see docs/judges.md."""
    return str(bundled_files().settings["measured"])


class _OnHub(NamedTuple):
    """A hub model."""

    name: str
    file: str | None
    revision: str | None


def _on_hub(model: _OnHub, export: str, *, download: bool) -> ModelFiles:
    """The files of a model, from the hub's local cache or, with `download`, the hub."""
    name, file, revision = model
    with extras_named():
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    # what is raised where the hub is not reached or has no such model; its HTTP client differs by version
    not_fetched: tuple[type[Exception], ...] = (HFValidationError, *HfHubHTTPError.__bases__)
    snapshot = partial(snapshot_download, name, revision=revision)
    shown = f"{name}{f'/{file}' * bool(file)}{f'@{revision}' * bool(revision)}"
    try:
        # more than this file may be missing, where only some were fetched
        cached = snapshot(allow_patterns=["config.json"], local_files_only=True)
        return _in_folder(Path(cached), name, export, file)
    except (HFValidationError, LocalEntryNotFoundError) as error:
        if not download:
            raise ConfigError(
                f"verifier_model: {shown!r} is neither a folder here nor in the hub's local cache, and "
                "nothing is downloaded unless asked for; fetch it with `factreasoner doctor --verifier NAME "
                f"--verifier-model {shown} --download`"
            ) from error
    except ConfigError:
        if not download:
            raise
    try:
        names = HfApi().list_repo_files(name, revision=revision)
        graph = PurePosixPath(chosen_graph(names, file, name, export))
        folder = Path(snapshot(allow_patterns=[*SMALL_FILES, str(graph)]))
        beside = [path.name for path in map(PurePosixPath, names) if path.parent == graph.parent]
        if weights := external_weights(folder / graph, beside):
            snapshot(allow_patterns=[str(graph.parent / weight) for weight in weights])
    except not_fetched as error:
        raise ConfigError(f"verifier_model: {shown!r} can't be downloaded: {error}") from error
    return _in_folder(folder, name, export, file)


def _in_folder(folder: Path, model: str, export: str, file: str | None = None) -> ModelFiles:
    names = sorted(found.relative_to(folder).as_posix() for found in folder.rglob("*.onnx"))
    graph = chosen_graph(names, file, model, export)
    return _beside(folder / graph, folder)


def chosen_graph(names: Sequence[str], wanted: str | None, model: str, export: str) -> str:
    """The graph to use: the one that is `wanted`, or model.onnx, or the only one.

    `wanted` is a path in the model's folder, or a unique file name.

    Raises ConfigError: none or several fit; they are listed.
    """
    graphs = [name for name in names if name.endswith(".onnx")]
    named = [name for name in graphs if PurePosixPath(name).name == wanted]
    exact = [name for name in ((wanted,) if wanted else USUAL_GRAPHS) if name in graphs][:1]
    fitting = exact or (named if wanted else graphs)
    if len(fitting) == 1:
        return fitting[0]
    listed = f"it has {', '.join(graphs)}" if graphs else "it has no .onnx file"
    if wanted is not None:
        raise ConfigError(f"verifier_model: {wanted!r}: {len(fitting)} files of {model} fit; {listed}")
    if graphs:
        raise ConfigError(
            f"verifier_model: {model}: has several graphs; name one of them: {model}/FILE.onnx; {listed}"
        )
    raise ConfigError(f"verifier_model: {model}: {listed}; make one: {TOOL}, then {export}")


def _beside(graph: Path, folder: Path) -> ModelFiles:
    """The other files of a graph: beside it, or in the model's folder."""
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
            f"verifier_model: {places[-1]}: config.json is missing, which defines the outputs; "
            "copy it from the model's page or folder, or write one that names them in their order: "
            '{"id2label": {"0": "entailment", "1": "neutral"}}'
        )
    extra = _first(places, "tokenizer_config.json")
    tokens = _json(extra) if extra else {}
    return ModelFiles(graph, tokenizer, settings, _json(settings), tokens, _first(places, "layer.json"))


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


def external_weights(graph: Path, names: Sequence[str]) -> list[str]:
    """The files among `names` that hold external weights of an ONNX graph.

    They are called model.onnx_data, model.onnx.data or after a constant of the graph.
    """
    return [name for name in names if not name.endswith(NEVER_WEIGHTS) and _holds(graph, name.encode())]


def _holds(path: Path, words: bytes) -> bool:
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(words) >= 0


@lru_cache(maxsize=8)
def _identity(parts: tuple[tuple[Path, int, int], ...]) -> Identity:
    digest = hashlib.sha256()
    for path, _, size in parts:
        digest.update(f"{size}:".encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return Identity(digest.hexdigest()[:16], _holds(parts[0][0], DYNAMIC))
