"""The atomizer that asks a language model: from a response to atoms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from factreasoner import prompts
from factreasoner.atoms.alignment import Locator
from factreasoner.atoms.chunks import Chunk, chunks
from factreasoner.atoms.embedded import as_atoms
from factreasoner.atoms.parts import cut
from factreasoner.atoms.plain_text import without_citations
from factreasoner.atoms.statements import Statement, statements
from factreasoner.atoms.strangers import Material, negates, quantifiers
from factreasoner.atoms.subjects import keeps_antecedent, with_subject_of
from factreasoner.atoms.vague import is_vague
from factreasoner.llm.ask import ItemAsker, ItemQuestion, NoResult
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Failure, Record, StageError
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM, Atomized
from factreasoner.settings import Config
from factreasoner.text.language import Matter, is_english
from factreasoner.text.parsing import Parser, check_model, find_parser
from factreasoner.text.sentences import Span
from factreasoner.text.tree import Parse

STAGE = "atomizer"
_BEFORE = 4000
"""Characters of the text before a chunk that are shown."""
_SAID = re.compile(r"\W*(?P<number>\d{1,9})[\]:.)]+\s+(?P<rest>.+)", re.DOTALL)
_ARROW = "=>"
_LETTERS = re.compile(r"[^\W\d_]+")
_SAYING = ("VERB", "ADJ", "ADV")
_LEAST_SAID, _LEAST_KNOWN = 0.75, 0.5
"""Share of a sentence's words that its facts have; and, where none is parsed, of a fact's that it has."""

SCHEMA = FunctionSchema(
    name="report_statements",
    description="Give each part of the text with the fact it states, in order.",
    parameters={
        "type": "object",
        "properties": {
            "statements": {
                "type": "array",
                "items": {"type": "string", "description": "[number] the part => the fact it states"},
            }
        },
        "required": ["statements"],
        "additionalProperties": False,
    },
)


class LLMAtomizer:
    """Has a language model say each part of a response as a fact that stands alone, in one call.

    Sentences are cut before clauses; a reply repeats each part and says its fact behind an arrow, so that a
    fact is known to be of its sentence. A sentence is asked about once more where a fact of it has a number
    or a name that response, question and topic do not have. Its facts stand where they are more than the
    statements of its parse, or name what those only point to, and neither add nor lose matter. Else the
    statements stand, each with the subject that a fact gave it. Without a pipeline, and in other languages,
    the sentence itself is the statement.

    A response whose answer would not fit `max_tokens` is asked in chunks that end with sentences; a chunk
    whose reply is cut or unusable is asked again, as `ItemAsker` does it.
    """

    PROMPT = "atomizer"
    COVERS = True
    """Whether every sentence that states something needs a fact."""

    def __init__(self, llm: LLM, config: Config | None = None, *, instructions: bool = False) -> None:
        self._llm = llm
        self._config = config or Config()
        self._item_asker = ItemAsker(llm, self._config)
        self._template = prompts.load(self.PROMPT)
        self._instructions = instructions
        check_model(self._config.spacy_model)

    def with_instructions(self) -> LLMAtomizer:
        """This one for who holds claims against sources: instructions are statements there."""
        return type(self)(self._llm, self._config, instructions=True)

    def requests(self, record: Record) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        return [
            (self._prompt(record, chunk.sentences), _schema(record, chunk.sentences))
            for chunk in chunks(record.response, self._config.max_tokens)
        ]

    def atomize(self, record: Record) -> Atomized:
        """Atoms in the order of the response, equal ones once, with their spans.

        Raises:
            StageError: not one sentence could be atomized.
            ConfigError, BudgetError: from the model client.
        """
        parts_of_text = chunks(record.response, self._config.max_tokens)
        parser = find_parser(self._config.spacy_model) if is_english(record.response) else None
        stated = statements(record.response, parser, instructions=self._instructions) if self.COVERS else []
        reader = _Reader(record, stated, parser)
        answers = parallel_map(
            lambda chunk: self._ask(record, chunk, reader), parts_of_text, workers=self._config.concurrency
        )
        results = [part for answer in answers for part in answer]
        failures = tuple(part for part in results if isinstance(part, Failure))
        if failures and len(failures) == len(results):
            raise StageError(failures)
        found = [statement for part in results if not isinstance(part, Failure) for statement in part]
        return Atomized(as_atoms(found), failures)

    def _prompt(self, record: Record, sentences: Sequence[Span]) -> Prompt:
        lines = (f"[{n}] {text}" for n, (_, text) in enumerate(_parts(record.response, sentences), start=1))
        values = {
            "question": prompts.delimit(record.prompt, "question"),
            "topic": prompts.delimit(record.topic or "", "topic"),
            "before": prompts.delimit(record.response[: sentences[0].start].strip()[-_BEFORE:], "before"),
            "parts": prompts.delimit(prompts.repeatable("\n".join(lines)), "parts"),
        }
        return self._template.fill(**{name: values[name] for name in self._template.placeholders})

    def _ask(self, record: Record, chunk: Chunk, reader: _Reader) -> list[list[Statement] | Failure]:
        """The statements of the chunk's sentences; those in a row that failed are one failure."""
        asked = ItemQuestion[Span, list[Statement]](
            stage=STAGE,
            result="list of statements",
            name=lambda sentence: chunk.part([sentence]).name(record),
            request=lambda sentences: (self._prompt(record, sentences), _schema(record, sentences)),
            read=lambda reply, schema, sentences: reader.read(reply, sentences),
        )
        results: list[list[Statement] | Failure] = []
        answers = self._item_asker.ask(asked, chunk.sentences)
        pairs = zip(chunk.sentences, answers, strict=True)
        for failed, run in groupby(pairs, key=lambda pair: isinstance(pair[1], Failure)):
            sentences, found = zip(*run, strict=True)
            if failed:
                results.append(found[0].model_copy(update={"item_id": chunk.part(sentences).name(record)}))
            else:
                results.extend(found)
        return results


class _Reader:
    """Reads replies about sentences of a record; `stated` is what stands where a reply is refused."""

    def __init__(self, record: Record, stated: Sequence[Statement], parser: Parser | None) -> None:
        self._response = record.response
        self._stated = stated
        self._parser = parser
        texts = (record.response, record.prompt, record.topic or "")
        self._material, self._matter = Material(*texts), Matter(*texts)
        self._refused: set[Span] = set()

    def read(self, reply: Reply, sentences: Sequence[Span]) -> list[list[Statement] | NoResult]:
        """The statements of each sentence, or why it is to be asked about again."""
        said = reply.arguments.get("statements")
        if not isinstance(said, list):
            return [NoResult("'statements' is no list")] * len(sentences)
        found: dict[Span, list[Statement]] = {sentence: [] for sentence in sentences}
        problems: dict[Span, str] = {}
        for sentence, fact in self._facts(said, sentences):
            if added := ", ".join(self._material.strangers(fact.text)):
                problems.setdefault(sentence, f"{added} stands neither in the text nor in the question")
            else:
                found[sentence].append(fact)
        return [self._concluded(sentence, found[sentence], problems.get(sentence)) for sentence in sentences]

    def _facts(self, said: Sequence[object], sentences: Sequence[Span]) -> Iterator[tuple[Span, Statement]]:
        """Each fact, with the sentence that its part, else its number, else its own words tell."""
        parts = _parts(self._response, sentences)
        locator = Locator(self._response, Span(sentences[0].start, sentences[-1].end), sentences)
        after, sentence = sentences[0].start, sentences[0]
        for item in said:
            if not isinstance(item, str):
                continue
            numbered = _SAID.fullmatch(item.strip())
            known = numbered is not None and 1 <= int(numbered["number"]) <= len(parts)
            echo, _, fact = (numbered["rest"] if numbered and known else item).rpartition(_ARROW)
            text = prompts.requoted(without_citations(" ".join(fact.split())), self._response)
            if not text.strip():
                continue
            span = locator.find(echo, after) if echo.strip() else None
            if span is None and numbered and known:
                sentence, part = parts[int(numbered["number"]) - 1]
                span = locator.find(part, max(after, sentence.start))
            span = span or locator.find(text, after)
            if span:
                sentence = next((s for s in sentences if s.start <= span.start < s.end), sentence)
                after = span.start
            yield sentence, Statement(text, span)

    def _concluded(
        self, sentence: Span, found: list[Statement], problem: str | None
    ) -> list[Statement] | NoResult:
        """What the reply makes of a sentence; its own statements where that is something else."""
        if problem is not None and sentence not in self._refused:
            self._refused.add(sentence)
            return NoResult(problem)
        stated = [s for s in self._stated if s.span and sentence.start <= s.span.start < sentence.end]
        pieces = _distinct([piece for fact in found for piece in self._split(fact)])
        if not stated:
            text = self._response[sentence.start : sentence.end]
            return [piece for piece in pieces if not self._matter.is_left(text, piece.text)]
        named = [self._named(statement, found) for statement in stated]
        leaning = self._parser is None or (_any_vague(named) and not _any_vague(pieces))
        better = len(pieces) > len(stated) or (len(pieces) == len(stated) and leaning)
        return pieces if better and not problem and not self._differs(sentence, pieces) else named

    def _named(self, statement: Statement, facts: Sequence[Statement]) -> Statement:
        """A statement with the subject of the fact that says the same, where its own only points."""
        if self._parser is None:
            return statement
        read, *told = self._parser.parse([statement.text, *(fact.text for fact in facts)])
        for parse in told:
            text = with_subject_of(read, parse) if read and parse else None
            if text:
                return Statement(text, statement.span, statement.original or statement.text)
        return statement

    def _differs(self, sentence: Span, facts: Sequence[Statement]) -> bool:
        """Whether facts have matter that their sentence lacks, or lack some that it has."""
        text = self._response[sentence.start : sentence.end]
        said = Material(*(fact.text for fact in facts))
        if said.strangers(text) or said.share(text) < _LEAST_SAID:
            return True
        if any(negates(fact.text) != negates(text) for fact in facts):
            return True
        if quantifiers(" ".join(fact.text for fact in facts)) != quantifiers(text):
            return True
        (whole,) = self._parser.parse([text]) if self._parser else (None,)
        return any(
            self._matter.is_left(text, fact.text)
            or self._strays(text, fact.text)
            or self._turns(whole, sentence, fact)
            for fact in facts
        )

    def _strays(self, text: str, fact: str) -> bool:
        """Whether a fact does, or is, what `text` does not say; names and nouns may come from elsewhere."""
        if self._material.share(fact) < 1:
            return True
        (parse,) = self._parser.parse([fact]) if self._parser else (None,)
        if parse is None:
            return Material(text).share(fact) < _LEAST_KNOWN
        there = set(_LETTERS.findall(text.casefold()))
        if any(word.tag == "MD" and word.lower not in there for word in parse.words):
            return True
        told = [word.text for word in parse.words if word.pos in _SAYING and word.text == word.lower]
        return Material(text).share(" ".join(told)) < 1

    def _turns(self, whole: Parse | None, sentence: Span, fact: Statement) -> bool:
        """Whether a fact says of one thing what a relative clause says of another."""
        if whole is None or self._parser is None or fact.span is None:
            return False
        (parse,) = self._parser.parse([fact.text])
        return parse is not None and not keeps_antecedent(whole, fact.span.start - sentence.start, parse)

    def _split(self, fact: Statement) -> list[Statement]:
        """What the parse of a fact splits it into, unless a part of it would not stand alone."""
        pieces = statements(fact.text, self._parser) if self._parser else []
        if len(pieces) < 2 or (any(is_vague(p.text) for p in pieces) and not is_vague(fact.text)):
            return [fact]
        return [Statement(piece.text, fact.span) for piece in pieces]


def _distinct(facts: Sequence[Statement]) -> list[Statement]:
    """Facts that say something which no other one says as well."""
    kept: list[Statement] = []
    for fact in sorted(facts, key=lambda fact: len(fact.text), reverse=True):
        if not any(fact.text.rstrip(".").casefold() in other.text.casefold() for other in kept):
            kept.append(fact)
    return [fact for fact in facts if fact in kept]


def _schema(record: Record, sentences: Sequence[Span]) -> FunctionSchema:
    """The function, with about how long its answer is: each part again, and its fact."""
    text = record.response[sentences[0].start : sentences[-1].end]
    return SCHEMA.model_copy(update={"expected_tokens": 3 * estimate_tokens(text) + 20 * len(sentences)})


def _any_vague(found: Sequence[Statement]) -> bool:
    return any(is_vague(statement.text) for statement in found)


def _parts(response: str, sentences: Sequence[Span]) -> list[tuple[Span, str]]:
    """The parts of sentences, each on one line, with the sentence it is of."""
    return [
        (sentence, part)
        for sentence in sentences
        for part in cut(" ".join(response[sentence.start : sentence.end].split()))
    ]
