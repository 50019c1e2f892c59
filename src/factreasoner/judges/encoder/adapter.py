"""What a family of verifiers takes and gives: one record each, bundled or a user's own TOML file."""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from factreasoner.errors import ConfigError
from factreasoner.models import Label, Model
from factreasoner.plugins.table import nearest
from factreasoner.settings.expectations import refused

BUNDLED = Path(__file__).parent / "adapters"
SPECIAL_TOKEN = re.compile(
    r"</?s>|<(?:pad|unk|mask|cls|sep)>|<extra_id_\d+>|<\|[^|\s]*\|>|\[(?:CLS|SEP|PAD|UNK|MASK)\]"
)
"""Texts that tokenizers read as special tokens, wherever they stand."""
_NOT_IN_A_FILE = ("weights", "export")
"""Fields that tell a reader where weights are, and change no result."""


class Texts(NamedTuple):
    """What the tokenizer is given: one text, or two."""

    first: str
    second: str | None = None


class Chunking(Model):
    """How a passage is cut: whole sentences, as many as hold at most `size` units.

    `unit`: "passage" is not cut; "tokens" are the model's; "words" stand between spaces; "marks" are words
    and punctuation marks; "shares" makes chunks of equally many sentences, one for each `size` words or part
    of them. Sentences are joined by `joiner`; with `keep_lines` line breaks stay what they were.
    """

    unit: Literal["passage", "tokens", "words", "marks", "shares"] = "passage"
    size: int = Field(default=0, ge=0)
    joiner: str = " "
    keep_lines: bool = False

    @model_validator(mode="after")
    def _has_size(self) -> Self:
        if self.unit != "passage" and self.size == 0:
            raise ValueError(f"size: how many {self.unit} a chunk holds is missing")
        return self


class Adapter(Model):
    """How one family of verifiers is asked and read.

    `input`: "template" makes one text of `template`, "pair" two, of which `template` makes the first. `head`:
    outputs are one row a text ("sequence"), a row a token, of which the claim's count ("token") or the first
    ("first_token"), or the logits of one decoder step, of which the ids in `labels` count ("decoder_step");
    "word": a language model is asked by `system` and `template`, and answers with one of `words`.
    `labels`: what an output, by its index or id, means; None: as the model's config.json says. `aggregate`:
    the largest P over chunks of the whole claim ("max"), or of each of its sentences, and their mean
    ("sentence_mean"). A claim is entailed, or contradicted, where P is above `threshold`. `weights` and
    `export` tell a reader where the model is, and how its ONNX file is made.
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
    aggregate: Literal["max", "sentence_mean"] = "max"
    threshold: float = Field(default=0.5, ge=0.5, lt=1.0)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        wanted = ["claim", "passage"] if self.input == "template" else ["passage"]
        if _fields(self.template) != wanted:
            named = " and ".join(f"{{{name}}}" for name in reversed(wanted))
            raise ValueError(f"template: it must hold {named}, once each, and no other braces")
        if self.head == "token" and self.input != "pair":
            raise ValueError("head: 'token' needs input = \"pair\", which tells the claim's tokens")
        if self.head == "word" or self.words or self.system:
            if self.head != "word" or self.input != "template" or self.labels is not None:
                raise ValueError('words: with system, template and head = "word", and with nothing else')
            if sorted(self.words.values()) != ["entailment", "neutral"]:
                raise ValueError("words: there must be two, of which one means entailment and one neutral")
            return self
        if self.labels is None:
            if self.head != "sequence":
                raise ValueError(f"labels: missing, and head {self.head!r} needs them")
            return self
        if list(self.labels.values()).count("entailment") != 1 or len(self.labels) < 2:
            raise ValueError("labels: one must be entailment, and there must be another")
        if self.head != "decoder_step" and sorted(self.labels) != list(range(len(self.labels))):
            raise ValueError("labels: they must number the outputs from 0 on")
        return self

    @property
    def digest(self) -> str:
        """A short digest of all that changes results."""
        content = self.model_dump_json(exclude=set(_NOT_IN_A_FILE))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def texts(self, passage: str, claim: str) -> Texts:
        """What the tokenizer is given. Neither text can hold a special token, see `harmless`."""
        passage, claim = harmless(passage), harmless(claim)
        if self.input == "pair":
            return Texts(self.template.format(passage=passage), claim)
        return Texts(self.template.format(passage=passage, claim=claim))


def harmless(text: str) -> str:
    """The text with the first character of what tokenizers read as special tokens replaced."""
    return SPECIAL_TOKEN.sub(lambda found: {"<": "‹", "[": "("}[found[0][0]] + found[0][1:], text)


def adapter_names() -> list[str]:
    """The names of the bundled adapters."""
    return sorted(path.stem for path in BUNDLED.glob("*.toml"))


def adapter_of(verifier: str) -> Adapter:
    """The bundled adapter of that name, or what a TOML file holds.

    Raises:
        ConfigError: there is none, with the nearest name and all of them; or the file is wrong, with the key.
    """
    if verifier in adapter_names():
        return _read(BUNDLED / f"{verifier}.toml")
    path = Path(verifier).expanduser()
    if path.suffix == ".toml" or path.is_file():
        return _read(path)
    names, hint = adapter_names(), nearest(verifier, adapter_names())
    close = f"{hint} " if hint.startswith("did") else ""
    raise ConfigError(
        f"verifier: unknown verifier {verifier!r}; {close}known: {', '.join(names)}; "
        "or a TOML file with the same fields (docs/judges.md)"
    )


def _read(path: Path) -> Adapter:
    try:
        return _parsed(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ConfigError(f"verifier: {path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"verifier: {path}: not UTF-8") from error


@lru_cache(maxsize=16)
def _parsed(content: str, source: str) -> Adapter:
    try:
        return Adapter.model_validate(tomllib.loads(content))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"verifier: {source}: not valid TOML: {error}") from error
    except ValidationError as error:
        found = error.errors()[0]
        keys = [str(part) for part in found["loc"]]
        remedy = ""
        if found["type"] == "extra_forbidden":
            known = Chunking if keys[:-1] else Adapter
            remedy = f"; {nearest(keys[-1], list(known.model_fields))}"
        parts = filter(None, (f"verifier: {source}", ".".join(keys), refused(found)))
        raise ConfigError(": ".join(parts) + remedy) from error


def _fields(template: str) -> list[str]:
    """The names of a template's fields, in the alphabet's order; none where its braces are no fields."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return []
    if any(spec or conversion for _, _, spec, conversion in parts):
        return []
    return sorted(name for _, name, _, _ in parts if name is not None)
