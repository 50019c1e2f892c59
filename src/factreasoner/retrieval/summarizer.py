"""Summarise contexts with regard to their atoms; irrelevant ones are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from factreasoner import prompts
from factreasoner.calls.threads import parallel_map
from factreasoner.graph.pairs import equal_groups, relevant
from factreasoner.llm.ask import ItemAsker, ItemQuestion, NoResult
from factreasoner.models import Atom, Context, Failure
from factreasoner.models.messages import Prompt
from factreasoner.protocols import LLM, Retrieved
from factreasoner.retrieval.settings import RetrievalSettings

STAGE = "summarizer"
_ALLOWANCE = 200
"""Maximum characters by which a summary may exceed its passage: names for pronouns."""

SCHEMA = prompts.function("summarizer")


class _SummaryTask(NamedTuple):
    """Contexts with equal text, and the atoms to summarise them for."""

    contexts: list[Context]
    atoms: list[Atom]


class LLMSummarizer:
    """Has a model read each context once, with all atoms it may be judged for.

    These are the atoms it was retrieved for in version 1, and all atoms in versions 2 and 3. Contexts with
    equal text are read once. An unusable answer is retried as in `ItemAsker`; then it is a Failure, and the
    context is used unchanged.
    """

    def __init__(self, llm: LLM, config: RetrievalSettings | None = None) -> None:
        self._config = config or RetrievalSettings()
        self._item_asker = ItemAsker(llm, self._config)
        self._template = prompts.load("summarizer")
        self._asked = ItemQuestion[_SummaryTask, dict[str, Any]](
            stage=STAGE,
            result="summary",
            name=lambda task: task.contexts[0].id,
            request=lambda tasks: (self._prompt(tasks[0]), SCHEMA),
            read=lambda reply, schema, tasks: [_read(reply.arguments, tasks[0].contexts[0].text)],
        )

    def summarize(self, contexts: Sequence[Context], atoms: Sequence[Atom]) -> Retrieved:
        """The same contexts, each with a summary and its confidence, or the reason why it is dropped.

        Those with a summary, dropped before, or without atoms are unchanged.

        Raises ConfigError, BudgetError: from the model client.
        """
        tasks = self._tasks(contexts, atoms)
        answers = parallel_map(
            lambda task: self._item_asker.ask(self._asked, [task]), tasks, workers=self._config.concurrency
        )
        changes: dict[str, dict[str, Any]] = {}
        failures: list[Failure] = []
        for task, (answer,) in zip(tasks, answers, strict=True):
            if isinstance(answer, Failure):
                failures.append(answer)
            else:
                changes |= {context.id: answer for context in task.contexts}
        return Retrieved(
            tuple(context.model_copy(update=changes.get(context.id, {})) for context in contexts),
            tuple(failures),
        )

    def _tasks(self, contexts: Sequence[Context], atoms: Sequence[Atom]) -> list[_SummaryTask]:
        tasks = []
        for group in equal_groups([context for context in relevant(contexts) if not context.summary]):
            own = {atom_id for context in group for atom_id in context.atom_ids}
            wanted = [atom for atom in atoms if self._config.version > 1 or atom.id in own]
            if wanted:
                tasks.append(_SummaryTask(group, wanted))
        return tasks

    def _prompt(self, task: _SummaryTask) -> Prompt:
        context = task.contexts[0]
        passage = f"{context.title}\n{context.text}" if context.title else context.text
        lines = [f"{n}. {prompts.one_line(atom.text)}" for n, atom in enumerate(task.atoms, start=1)]
        return self._template.fill(
            statements=prompts.delimit("\n".join(lines), "statements"),
            passage=prompts.delimit(passage, "passage"),
        )


def _read(arguments: dict[str, Any], text: str) -> dict[str, Any] | NoResult:
    """The changed fields of contexts with this text. The summary of an irrelevant passage is ignored."""
    if problem := SCHEMA.problem("relevance", arguments):
        return NoResult(f"relevance: {problem}")
    if SCHEMA.value("relevance", arguments) == "irrelevant":
        given = arguments.get("reason")
        reason = " ".join(given.split()) if isinstance(given, str) else ""
        return {"dropped": f"irrelevant: {reason}" if reason else "irrelevant"}
    for name in ("summary", "confidence"):
        if problem := SCHEMA.problem(name, arguments):
            return NoResult(f"{name}: {problem}")
    summary = arguments["summary"].strip()
    if not summary:
        return NoResult("summary: empty")
    if len(summary) > len(text) + _ALLOWANCE:
        return NoResult(f"summary: {len(summary)} characters for a passage of {len(text)}")
    return {"summary": " ".join(summary.split()), "p_summary": arguments["confidence"] / 100}
