"""Revisers: atoms made understandable alone, by a language model, by rules, or left as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from factreasoner import prompts
from factreasoner.config import Config
from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Atom, Failure, Record
from factreasoner.protocols import LLM, Atomized
from factreasoner.stages.pronouns import resolve

STAGE = "reviser"
_OUTPUT_SHARE = 0.8
_TOKENS_PER_ARGUMENT = 24
"""Answer tokens an atom takes beside its text: its key, and the names put in."""
_GROWTH, _ALLOWANCE = 4, 200


class KeepAtoms:
    """Leaves every atom as it is; takes the configuration as every reviser does."""

    def __init__(self, config: Config | None = None) -> None:
        pass

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms."""
        return Atomized(tuple(atoms))


class EmbeddedReviser:
    """Puts the topic or the last named subject in the place of a subject pronoun, without a model.

    No setting changes what it does; it takes the configuration as every reviser does.
    """

    def __init__(self, config: Config | None = None) -> None:
        pass

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids and order; English only; an unclear pronoun stays."""
        texts = resolve(atoms, record)
        return Atomized(tuple(_revised(atom, text) for atom, text in zip(atoms, texts, strict=True)))


class LLMReviser:
    """Has a language model rewrite all atoms of a record in one call, one required argument an atom.

    Arguments are named by the atom's position in the record, so that a text can't move to another atom. An
    argument that is missing, null, empty, of the wrong type, far too long or without a number of the original
    is asked again, `max_attempts` times in all; then it is a Failure and the atom keeps its text. A reply cut
    by the token limit is halved at once.
    """

    def __init__(self, llm: LLM, config: Config | None = None) -> None:
        self._llm = llm
        self._config = config or Config()
        self._template = prompts.load("reviser")

    def requests(self, atoms: Sequence[Atom], record: Record) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        prompt = self._prompt(record)
        return [(prompt, _schema(atoms, positions)) for positions in self._batches(atoms)]

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, same ids and order; each revised one has its former text in `original`.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        prompt = self._prompt(record)
        answers = parallel_map(
            lambda positions: self._ask(prompt, atoms, positions),
            self._batches(atoms),
            workers=self._config.concurrency,
        )
        found = {position: result for answer in answers for position, result in answer.items()}
        failures = tuple(result for _, result in sorted(found.items()) if isinstance(result, Failure))
        return Atomized(
            tuple(
                atom if isinstance(text := found[position], Failure) else _revised(atom, text)
                for position, atom in enumerate(atoms)
            ),
            failures,
        )

    def _prompt(self, record: Record) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            topic=prompts.delimit(record.topic or "", "topic"),
            text=prompts.delimit(record.response, "text"),
        )

    def _batches(self, atoms: Sequence[Atom]) -> list[list[int]]:
        """Positions in runs whose estimated answer fits the token limit."""
        limit = _OUTPUT_SHARE * self._config.max_tokens
        batches: list[list[int]] = []
        size = limit
        for position, atom in enumerate(atoms):
            tokens = estimate_tokens(atom.text) + _TOKENS_PER_ARGUMENT
            if size + tokens > limit:
                batches.append([])
                size = 0
            batches[-1].append(position)
            size += tokens
        return batches

    def _ask(
        self, prompt: Prompt, atoms: Sequence[Atom], positions: Sequence[int]
    ) -> dict[int, str | Failure]:
        """A text or a failure for every position."""
        found: dict[int, str | Failure] = {}
        pending = list(positions)
        problems: dict[int, str] = {}
        for attempt in range(self._config.max_attempts):
            schema = _schema(atoms, pending)
            try:
                # Another sample, lest the cache give the unusable reply again.
                reply = self._llm.call(prompt, schema, sample=attempt)
            except UnusableReplyError as error:
                problems = dict.fromkeys(pending, str(error))
                continue
            except LLMError as error:
                return found | {p: Failure.of(STAGE, atoms[p].id, error) for p in pending}
            if reply.truncated and len(pending) > 1:
                middle = len(pending) // 2
                for half in (pending[:middle], pending[middle:]):
                    found |= self._ask(prompt, atoms, half)
                return found
            if reply.truncated:
                problems = {pending[0]: f"the reply was cut by max_tokens={self._config.max_tokens}"}
                continue
            problems = {}
            for position in pending:
                problem = _problem(schema, _argument(position), reply.arguments, atoms[position].text)
                if problem:
                    problems[position] = problem
                else:
                    found[position] = " ".join(reply.arguments[_argument(position)].split())
            pending = list(problems)
            if not pending:
                return found
        return found | {position: self._failure(atoms[position], problems[position]) for position in pending}

    def _failure(self, atom: Atom, problem: str) -> Failure:
        return Failure(
            stage=STAGE,
            item_id=atom.id,
            error_type="UnusableReplyError",
            message=f"no usable revision: {problem}",
            attempts=self._config.max_attempts,
        )


def _argument(position: int) -> str:
    return f"atom_{position}"


def _schema(atoms: Sequence[Atom], positions: Sequence[int]) -> FunctionSchema:
    properties = {
        _argument(position): {"type": "string", "description": atoms[position].text} for position in positions
    }
    return FunctionSchema(
        name="rewrite_statements",
        description="Give each statement in a form that can be understood alone.",
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    )


def _problem(schema: FunctionSchema, argument: str, arguments: dict[str, Any], original: str) -> str | None:
    """Why a revision can't stand in for the original, or None."""
    problem = schema.problem(argument, arguments)
    if problem:
        return problem
    text = arguments[argument]
    if not text.strip():
        return "empty"
    if len(text) > _GROWTH * len(original) + _ALLOWANCE:
        return f"{len(text)} characters for {len(original)}"
    lost = _numbers(original) - _numbers(text)
    if lost:
        return f"it lacks {', '.join(sorted(lost))}"
    if _NEGATION.search(original) and not _NEGATION.search(text):
        return "it lacks the negation"
    return None


_NUMBER = re.compile(r"(?:(?<![\w.,–-])[-−])?\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not|never|no|none|cannot|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)


def _numbers(text: str) -> set[str]:
    """The numbers of a text, with their sign, without separators of thousands."""
    found = _NUMBER.findall(unicodedata.normalize("NFKC", text))
    return {number.replace("−", "-").replace(",", "") for number in found}


def _revised(atom: Atom, text: str) -> Atom:
    if text == atom.text:
        return atom
    return atom.model_copy(update={"text": text, "original": atom.original or atom.text})
