"""Have a model rewrite texts, with one required argument per text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import estimate_tokens
from factreasoner.llm.ask import ItemAsker, ItemQuestion, NoResult
from factreasoner.llm.settings import LLMSettings
from factreasoner.models import Claim, Failure
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM
from factreasoner.text.passages import runs_of

ITEM = "statement"
_OUTPUT_SHARE = 0.8
_TOKENS_PER_ARGUMENT = 24
"""Extra answer tokens per text: its key, and added words."""


class Rewriting(NamedTuple):
    """A rewriting task. `result` is the word for a new text; arguments are `argument` and its position.

    `problem(original, text)` says why a text can't replace the original.
    """

    stage: str
    function: str
    task: str
    argument: str
    result: str
    problem: Callable[[str, str], str | None]


class Rewriter:
    """Rewrites all texts of a record in one call, or several if the answer would be too long.

    Arguments are named by position. A missing, invalid or problematic text is retried, as in `ItemAsker`;
    then it is a Failure.
    """

    def __init__(self, rewriting: Rewriting, llm: LLM, config: LLMSettings) -> None:
        self._rewriting = rewriting
        self._item_asker = ItemAsker(llm, config)
        self._config = config

    def rewrite(self, prompt: Prompt, items: Sequence[Claim]) -> list[str | Failure]:
        """A text on one line, or a failure, for every item. Raises the client's ConfigError, BudgetError."""
        asked = ItemQuestion[int, str](
            stage=self._rewriting.stage,
            result=self._rewriting.result,
            name=lambda position: items[position].id,
            request=lambda positions: (prompt, self._schema(items, positions)),
            read=lambda reply, schema, positions: [
                self._read(reply, schema, position, items[position]) for position in positions
            ],
        )
        answers = parallel_map(
            lambda positions: self._item_asker.ask(asked, positions),
            self._batches(items),
            workers=self._config.concurrency,
        )
        return [result for answer in answers for result in answer]

    def _batches(self, items: Sequence[Claim]) -> list[list[int]]:
        """Positions in groups whose estimated answer fits the token limit."""
        sizes = [estimate_tokens(item.text) + _TOKENS_PER_ARGUMENT for item in items]
        runs = runs_of(sizes, int(_OUTPUT_SHARE * self._config.max_tokens))
        return [list(range(first, end)) for first, end in runs]

    def _read(self, reply: Reply, schema: FunctionSchema, position: int, item: Claim) -> str | NoResult:
        """One item's text on one line, or why it can't replace the original."""
        name = self._name(position)
        problem = schema.problem(name, reply.arguments)
        text = "" if problem else " ".join(reply.arguments[name].split())
        problem = problem or (self._rewriting.problem(item.text, text) if text else "empty")
        return NoResult(problem) if problem else text

    def _name(self, position: int) -> str:
        return f"{self._rewriting.argument}_{position}"

    def _schema(self, items: Sequence[Claim], positions: Sequence[int]) -> FunctionSchema:
        texts = {self._name(position): items[position].text for position in positions}
        properties = {name: {"type": "string", "description": f"The new text of {name}."} for name in texts}
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        return FunctionSchema(
            name=self._rewriting.function,
            description=self._rewriting.task,
            parameters=parameters | {"additionalProperties": False},
            items=texts,
            item=ITEM,
        )
