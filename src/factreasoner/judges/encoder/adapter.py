"""The input and output format of a verifier family: bundled records or a user's TOML file."""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from factreasoner.errors import ConfigError
from factreasoner.models import Label, Model
from factreasoner.models.formatting import refused
from factreasoner.plugins.table import meant, nearest

BUNDLED = Path(__file__).parent / "adapters"
SPECIAL_TOKEN = re.compile(
    r"</?s>|<(?:pad|unk|mask|cls|sep)>|<extra_id_\d+>|<\|[^|\s]*\|>|\[(?:CLS|SEP|PAD|UNK|MASK)\]"
)
"""Texts that tokenizers read as special tokens."""
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}|[{}]")


class Texts(NamedTuple):
    """The tokenizer's input: one text, or two."""

    first: str
    second: str | None = None


class Chunking(Model):
    """How a passage is cut: into chunks of whole sentences with at most `size` units.

    `unit`: "passage" keeps it whole; "tokens" are the model's; "words" are separated by spaces; "marks" are
    words and punctuation marks; "shares" makes equal chunks of sentences, one per `size` words; "windows" are
    those of the bundled judge. `joiner` joins sentences; with `keep_lines` line breaks stay.
    """

    unit: Literal["passage", "tokens", "words", "marks", "shares", "windows"] = "passage"
    size: int = Field(default=0, ge=0)
    joiner: str = " "
    keep_lines: bool = False

    @model_validator(mode="after")
    def _has_size(self) -> Self:
        if self.unit not in ("passage", "windows") and self.size == 0:
            raise ValueError(f"size: missing; how many {self.unit} does a chunk hold?")
        return self


class Adapter(Model):
    """One family of verifiers.

    `input`: "template" makes one text of `template`; "pair" makes two, the first by `template`. `head` is the
    output: "sequence": one row per text; "token": a row per token, those of the claim count; "first_token":
    the first counts; "decoder_step": logits of one decoder step, at the ids in `labels`; "word": a language
    model, prompted with `system` and `template`, answers one of `words`. `labels`: the meaning of outputs by
    index or id; None: as in the model's config.json. `aggregate`: the largest P over chunks, of the whole
    claim ("max") or averaged over its sentences ("sentence_mean"); "layer": the layer.json beside the model,
    applied to the windows. A claim is entailed or contradicted if its P is above `threshold`. `weights` and
    `export` describe the model's origin and ONNX export.
    """

    weights: str | None = None
    export: str = "`optimum-cli export onnx --task text-classification --model ID FOLDER`"
    input: Literal["template", "pair"]
    template: str = "{passage}"
    system: str = ""
    head: Literal["sequence", "token", "first_token", "decoder_step", "word"]
    labels: dict[int, Label] | None = None
    words: dict[str, Label] = Field(default_factory=dict)
    max_tokens: int = Field(ge=32)
    chunking: Chunking = Chunking()
    aggregate: Literal["max", "sentence_mean", "layer"] = "max"
    threshold: float = Field(default=0.5, ge=0.5, lt=1.0)

    @model_validator(mode="after")
    def _reads_windows(self) -> Self:
        if (self.aggregate == "layer") != (self.chunking.unit == "windows"):
            raise ValueError('aggregate: "layer" and chunking = { unit = "windows" } go together')
        return self

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        named = ["{passage}", "{claim}"] if self.input == "template" else ["{passage}"]
        braces = set(_BRACES.findall(self.template)) - {"{{", "}}"}
        if braces != set(named) or any(self.template.count(name) != 1 for name in named):
            raise ValueError(
                f"template: needs {' and '.join(named)}, once each; any other brace is doubled: {{{{ }}}}"
            )
        if self.head == "token" and self.input != "pair":
            raise ValueError("head: 'token' needs input = \"pair\", which separates the claim's tokens")
        if self.head == "word" or self.words or self.system:
            if self.head != "word" or self.input != "template" or self.labels is not None:
                raise ValueError('words: with system, template and head = "word", and with nothing else')
            if sorted(self.words.values()) != ["entailment", "neutral"]:
                raise ValueError("words: needs two, one that means entailment and one neutral")
        elif self.labels is None:
            if self.head != "sequence":
                raise ValueError(f"labels: missing, and head {self.head!r} needs them")
        elif list(self.labels.values()).count("entailment") != 1 or len(self.labels) < 2:
            raise ValueError("labels: one must be entailment, and there must be another")
        elif self.head != "decoder_step" and sorted(self.labels) != list(range(len(self.labels))):
            raise ValueError("labels: they must number the outputs from 0 on")
        return self

    @property
    def digest(self) -> str:
        """A short digest of everything that affects results."""
        content = self.model_dump_json(exclude={"weights", "export"})
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def texts(self, passage: str, claim: str) -> Texts:
        """The tokenizer's input. Special tokens in either text are defused, see `harmless`."""
        passage, claim = harmless(passage), harmless(claim)
        if self.input == "pair":
            return Texts(self.template.format(passage=passage), claim)
        return Texts(self.template.format(passage=passage, claim=claim))


def harmless(text: str) -> str:
    """The text with the first character of any special token replaced."""
    return SPECIAL_TOKEN.sub(lambda found: {"<": "‹", "[": "("}[found[0][0]] + found[0][1:], text)


def adapter_names() -> list[str]:
    """The names of the bundled adapters."""
    return sorted(path.stem for path in BUNDLED.glob("*.toml"))


def adapter_of(verifier: str | None) -> Adapter:
    """The bundled adapter of that name, or the one in a TOML file.

    Raises ConfigError: no name; an unknown one, with the nearest and all; or a wrong file, with its key.
    """
    if verifier is None:
        raise ConfigError("judge: 'verifier' needs a name; add `verifier=NAME` (docs/verifiers.md)")
    names = adapter_names()
    path = BUNDLED / f"{verifier}.toml" if verifier in names else Path(verifier).expanduser()
    if path.suffix != ".toml" and not path.is_file():
        hint = f"{meant(verifier, names)} known: {', '.join(names)}".lstrip()
        remedy = f"{hint}; or a TOML file with the same fields (docs/verifiers.md)"
        raise ConfigError(f"verifier: unknown verifier {verifier!r}; {remedy}")
    try:
        return _parsed(path.read_text(encoding="utf-8"), path)
    except OSError as error:
        raise ConfigError(f"verifier: {path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"verifier: {path}: not UTF-8") from error


@lru_cache(maxsize=16)
def _parsed(content: str, path: Path) -> Adapter:
    try:
        return Adapter.model_validate(tomllib.loads(content))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"verifier: {path}: not valid TOML: {error}") from error
    except ValidationError as error:
        found = error.errors()[0]
        keys = [str(part) for part in found["loc"]]
        remedy = ""
        if found["type"] == "extra_forbidden":
            known = Chunking if keys[:-1] else Adapter
            remedy = f"; {nearest(keys[-1], list(known.model_fields))}"
        parts = filter(None, (f"verifier: {path}", ".".join(keys), refused(found)))
        raise ConfigError(": ".join(parts) + remedy) from error
