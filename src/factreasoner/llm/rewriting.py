"""Having a model give a new text for each of several, one required argument each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.llm.messages import FunctionSchema, Prompt, about
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Claim, Failure
from factreasoner.protocols import LLM

ITEM = "statement"
"""What the model is told that each text is."""
_OUTPUT_SHARE = 0.8
_TOKENS_PER_ARGUMENT = 24
"""Answer tokens a text takes beside its own length: its key, and the words put in."""


class Rewriting(NamedTuple):
    """What is asked for. `result` names one new text; arguments are `argument` and the text's position.

    `problem` says why a text can't stand in for the original, given in this order as (original, text).
    """

    stage: str
    function: str
    task: str
    argument: str
    result: str
    problem: Callable[[str, str], str | None]


class Rewriter:
    """Asks for the new texts of a whole record in one call, or in as many as its answers need to fit.

    Arguments are named by position, so that a text can't move to another item. One that is missing, null,
    empty, of the wrong type or has a problem is asked again, `max_attempts` times in all; then it is a
    Failure. A reply cut by the token limit is halved at once.
    """

    def __init__(self, rewriting: Rewriting, llm: LLM, config: Config) -> None:
        self._rewriting = rewriting
        self._llm = llm
        self._config = config

    def requests(self, prompt: Prompt, items: Sequence[Claim]) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        return [(prompt, self._schema(items, positions)) for positions in self._batches(items)]

    def rewrite(self, prompt: Prompt, items: Sequence[Claim]) -> list[str | Failure]:
        """A text on one line, or a failure, for every item.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        answers = parallel_map(
            lambda positions: self._ask(prompt, items, positions),
            self._batches(items),
            workers=self._config.concurrency,
        )
        found = {position: result for answer in answers for position, result in answer.items()}
        return [found[position] for position in range(len(items))]

    def _batches(self, items: Sequence[Claim]) -> list[list[int]]:
        """Positions in runs whose estimated answer fits the token limit."""
        limit = _OUTPUT_SHARE * self._config.max_tokens
        batches: list[list[int]] = []
        size = limit
        for position, item in enumerate(items):
            tokens = estimate_tokens(item.text) + _TOKENS_PER_ARGUMENT
            if size + tokens > limit:
                batches.append([])
                size = 0
            batches[-1].append(position)
            size += tokens
        return batches

    def _ask(
        self, prompt: Prompt, items: Sequence[Claim], positions: Sequence[int]
    ) -> dict[int, str | Failure]:
        """A text or a failure for every position."""
        found: dict[int, str | Failure] = {}
        pending = list(positions)
        problems: dict[int, str] = {}
        for attempt in range(self._config.max_attempts):
            schema = self._schema(items, pending)
            try:
                # Another sample, lest the cache give the unusable reply again.
                reply = self._llm.call(prompt, schema, sample=attempt)
            except UnusableReplyError as error:
                problems = dict.fromkeys(pending, str(error))
                continue
            except LLMError as error:
                return found | {p: Failure.of(self._rewriting.stage, items[p].id, error) for p in pending}
            if reply.truncated and len(pending) > 1:
                middle = len(pending) // 2
                for half in (pending[:middle], pending[middle:]):
                    found |= self._ask(prompt, items, half)
                return found
            if reply.truncated:
                problems = {pending[0]: f"the reply was cut by max_tokens={self._config.max_tokens}"}
                continue
            problems = {}
            for position in pending:
                name = self._name(position)
                problem = schema.problem(name, reply.arguments)
                text = "" if problem else " ".join(reply.arguments[name].split())
                problem = problem or self._problem(items[position].text, text)
                if problem:
                    problems[position] = problem
                else:
                    found[position] = text
            pending = list(problems)
            if not pending:
                return found
        return found | {position: self._failure(items[position], problems[position]) for position in pending}

    def _problem(self, original: str, text: str) -> str | None:
        return self._rewriting.problem(original, text) if text else "empty"

    def _failure(self, item: Claim, problem: str) -> Failure:
        return Failure(
            stage=self._rewriting.stage,
            item_id=item.id,
            error_type="UnusableReplyError",
            message=f"no usable {self._rewriting.result}: {problem}",
            attempts=self._config.max_attempts,
        )

    def _name(self, position: int) -> str:
        return f"{self._rewriting.argument}_{position}"

    def _schema(self, items: Sequence[Claim], positions: Sequence[int]) -> FunctionSchema:
        properties = {
            self._name(position): {"type": "string", "description": about(ITEM, items[position].text)}
            for position in positions
        }
        return FunctionSchema(
            name=self._rewriting.function,
            description=self._rewriting.task,
            parameters={
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
            items={self._name(position): items[position].text for position in positions},
            item=ITEM,
        )
