"""The atomizer that asks a language model: from a response to atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from factreasoner import prompts
from factreasoner.atoms.alignment import Locator
from factreasoner.atoms.chunks import Chunk, chunks
from factreasoner.atoms.embedded import as_atoms
from factreasoner.atoms.plain_text import without_citations
from factreasoner.atoms.statements import Statement
from factreasoner.errors import StageError
from factreasoner.llm.ask import ItemQuestion, NoResult, Reasker
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Failure, Record
from factreasoner.protocols import LLM, Atomized
from factreasoner.settings import Config
from factreasoner.text.rewording import Matter
from factreasoner.text.sentences import Span

STAGE = "atomizer"
_ADVICE = "advice"
_KEPT = "thanks (but no instructions or advice to the reader: they are statements here, said as in the text)"
"""What is left out with questions and greetings, and what is where instructions are kept."""
_BEFORE = 4000
"""Characters of the text before a chunk that are shown where statements are made self-contained."""


def _schema(item: dict[str, Any]) -> FunctionSchema:
    """The function that reports statements, each of which is such an item."""
    return FunctionSchema(
        name="report_statements",
        description="Report the atomic statements of the text, in its order.",
        parameters={
            "type": "object",
            "properties": {"statements": {"type": "array", "items": item}},
            "required": ["statements"],
            "additionalProperties": False,
        },
    )


def _placed(place: str, description: str) -> dict[str, Any]:
    """A statement with an argument before it that tells where in the text it is from."""
    properties = {place: {"type": "string", "description": description}, "atom": _ATOM}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_ATOM = {"type": "string", "description": "The statement, one complete sentence."}
SCHEMA = _schema(_placed("source", "The part of the text that states it, copied verbatim."))
INLINE_SCHEMA = _schema(
    _placed(
        "begins", "The first words, at most five, of the part of the text that states it, copied verbatim."
    )
)
"""A statement that stands alone repeats its source, of which the first words tell the place."""
UNPLACED_SCHEMA = _schema(_ATOM)


class LLMAtomizer:
    """Has a language model list the atomic statements of a response, each with the part that states it.

    A response whose answer would not fit `max_tokens` is asked in chunks that end with sentences; a chunk
    whose reply is cut or unusable is asked again, as `Reasker` does it. With reviser "inline" the same call
    makes the statements self-contained, by a prompt of its own.
    """

    PROMPT = "atomizer"
    INLINE: str | None = "atomizer_inline"
    """The prompt that makes statements self-contained too; None where `PROMPT` does."""

    def __init__(self, llm: LLM, config: Config | None = None, *, instructions: bool = False) -> None:
        self._llm = llm
        self._config = config or Config()
        self._reasker = Reasker(llm, self._config)
        inline = self.INLINE if self._config.reviser == "inline" else None
        self._template = prompts.load(inline or self.PROMPT)
        self._inline = inline is not None
        self._schema = SCHEMA if not inline else UNPLACED_SCHEMA if instructions else INLINE_SCHEMA
        self._advice = _KEPT if instructions else _ADVICE

    def with_instructions(self) -> LLMAtomizer:
        """This one for who holds claims against sources: instructions are kept, and spans are not needed."""
        return type(self)(self._llm, self._config, instructions=True)

    def requests(self, record: Record) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        return [
            (self._prompt(record, chunk), self._schema)
            for chunk in chunks(record.response, self._config.max_tokens)
        ]

    def atomize(self, record: Record) -> Atomized:
        """Atoms in the order of the response, equal ones once, with their spans where they can be found.

        Raises:
            StageError: not one chunk could be atomized.
            ConfigError, BudgetError: from the model client.
        """
        parts_of_text = chunks(record.response, self._config.max_tokens)
        answers = parallel_map(
            lambda chunk: self._ask(record, chunk), parts_of_text, workers=self._config.concurrency
        )
        parts = [part for answer in answers for part in answer]
        failures = tuple(part.failure for part in parts if part.failure)
        if failures and all(part.failed for part in parts):
            raise StageError(failures)
        return Atomized(as_atoms([one for part in parts for one in part.statements]), failures)

    def _prompt(self, record: Record, chunk: Chunk) -> Prompt:
        text = record.response[chunk.start : chunk.end].strip()
        values = {
            "question": prompts.delimit(record.prompt, "question"),
            "topic": _given(record.topic or "", "topic"),
            "before": _given(record.response[: chunk.start].strip()[-_BEFORE:], "before"),
            "text": prompts.delimit(text, "text"),
            "advice": self._advice,
        }
        return self._template.fill(**{name: values[name] for name in self._template.placeholders})

    def _ask(self, record: Record, chunk: Chunk) -> list[_ChunkResult]:
        drafts: dict[Chunk, list[Statement]] = {}
        matter = Matter(record.response, record.prompt, record.topic or "") if self._inline else None

        def read(
            reply: Reply, schema: FunctionSchema, sentences: Sequence[Span]
        ) -> list[list[Statement] | NoResult]:
            """The statements go with the first sentence; a list with bad items is kept as a draft."""
            part = chunk.part(sentences)
            found = _read(reply.arguments, record.response, part, matter)
            if found.problem is None:
                return [found.statements, *([] for _ in sentences[1:])]
            if found.listed and len(found.statements) >= len(drafts.get(part, ())):
                drafts[part] = found.statements
            return [NoResult(found.problem) for _ in sentences]

        asked = ItemQuestion[Span, list[Statement]](
            stage=STAGE,
            result="list of statements",
            name=lambda sentence: chunk.part([sentence]).name(record),
            request=lambda sentences: (self._prompt(record, chunk.part(sentences)), self._schema),
            read=read,
        )
        results = self._reasker.ask(asked, chunk.sentences)
        return list(_parts(record, chunk, results, drafts))


def _parts(
    record: Record,
    chunk: Chunk,
    results: Sequence[list[Statement] | Failure],
    drafts: Mapping[Chunk, list[Statement]],
) -> Iterator[_ChunkResult]:
    """What came of a chunk by sentences; those in a row that failed are one part with one failure."""
    paired = zip(chunk.sentences, results, strict=True)
    for failed, run in groupby(paired, key=lambda pair: isinstance(pair[1], Failure)):
        sentences, found = zip(*run, strict=True)
        if not failed:
            yield _ChunkResult([statement for statements in found for statement in statements])
            continue
        part = chunk.part(sentences)
        draft = max((_within(part, *draft) for draft in drafts.items()), key=len, default=[])
        failure = found[0].model_copy(update={"item_id": part.name(record)})
        yield _ChunkResult(draft, failure, failed=not draft)


def _within(part: Chunk, drafted: Chunk, draft: Sequence[Statement]) -> list[Statement]:
    """The statements of a draft that are from `part`."""
    return [s for s in draft if part == drafted or (s.span and part.start <= s.span.start < part.end)]


class _ChunkResult(NamedTuple):
    """What came of one chunk. `failed` when no statement of it could be used."""

    statements: Sequence[Statement] = ()
    failure: Failure | None = None
    failed: bool = False


class _ParsedChunk(NamedTuple):
    statements: list[Statement]
    problem: str | None
    listed: bool = True


def _read(arguments: dict[str, Any], response: str, chunk: Chunk, matter: Matter | None) -> _ParsedChunk:
    """Validate a reply item by item; a bad item is a problem, and no reason to drop the good ones.

    Where statements are made self-contained, one that leaves the `matter` of its sentence is bad.
    """
    items = arguments.get("statements")
    if not isinstance(items, list):
        return _ParsedChunk([], "'statements' is no list", listed=False)
    locator = Locator(response, Span(chunk.start, chunk.end), chunk.sentences)
    found: list[Statement] = []
    problem = None
    after = chunk.start
    for position, item in enumerate(items):
        atom = item.get("atom") if isinstance(item, dict) else item
        if not isinstance(atom, str):
            problem = f"item {position} has no text"
            continue
        text = without_citations(" ".join(atom.split()))
        if not text.strip():
            continue
        span = _place(locator, item, atom, after)
        after = span.start if span else after
        if matter is not None and matter.is_left(_sentence_at(response, chunk, span), text):
            problem = f"item {position} does not speak of what the text does"
            continue
        found.append(Statement(text, span))
    return _ParsedChunk(found, problem)


def _sentence_at(response: str, chunk: Chunk, span: Span | None) -> str:
    """The sentences that a span touches; all of the chunk where it is not known."""
    touched = [s for s in chunk.sentences if span is None or (s.start < span.end and span.start < s.end)]
    return " ".join(response[s.start : s.end] for s in touched or chunk.sentences)


def _given(text: str, label: str) -> str:
    return prompts.delimit(text, label) if text else "(nothing)"


def _place(locator: Locator, item: object, atom: str, after: int) -> Span | None:
    """Where a statement is from: by its source or its source's first words, else by its own words."""
    told = item if isinstance(item, dict) else {}
    source, begins = told.get("source"), told.get("begins")
    if isinstance(source, str) and source.strip():
        return locator.find(source, after)
    if isinstance(begins, str) and begins.strip():
        return locator.from_beginning(begins, atom, after)
    return locator.find(atom, after)
