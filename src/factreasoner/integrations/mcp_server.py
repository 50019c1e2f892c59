"""Tools for agents over the Model Context Protocol: texts in, verdicts on each claim out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from factreasoner import __version__
from factreasoner.calls.threads import abandon_on_exit, with_stack_room
from factreasoner.errors import ConfigError, FactReasonerError, InputError
from factreasoner.inputs.columns import parameter_of
from factreasoner.inputs.parsing import parse_record
from factreasoner.judges import judged_by
from factreasoner.llm.client import check_keys
from factreasoner.models import Model, Status
from factreasoner.models.formatting import reworded
from factreasoner.models.rows import ClaimRow
from factreasoner.pipeline.assembly import Calls, assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.plugins.table import nearest
from factreasoner.tasks.task import FACTUALITY, task_named

MOST_ATOMS = 50
"""Maximum atoms in a reply; `num_atoms` counts all."""
SECONDS = 50.0
"""Time limit of a call. Clients give up after 60."""
INSTRUCTIONS = (
    "Checks texts against passages that the caller passes, claim by claim. It knows nothing by itself: "
    "pass the passages that an answer rests on, as texts."
)
F = TypeVar("F", bound="AnswerResult")


class ShownAtom(Model):
    """A claim of the answer. `quote` decides its label; `source` is the number of its passage.

    `quote_by` is "nearest" if the quote is only the nearest sentence of the source. For a retrieved passage,
    `source` is the title and `link` the URL. `label` is null if judging failed.
    """

    text: str
    label: str | None
    p_true: float | None
    quote: str | None
    quote_by: str | None
    source: str | None
    link: str | None
    note: str


class AnswerResult(Model):
    """The result for an answer; `atoms` start with the worst, at most 50 of `num_atoms`.

    `not_checked` says how many sentences no atom covers, and why.
    """

    status: Status
    judged_by: str
    num_atoms: int
    not_checked: str
    atoms: tuple[ShownAtom, ...]
    failures: tuple[str, ...]


class Assessed(AnswerResult):
    """`precision` is the share of judged atoms that are supported; `factuality_score` is the same."""

    factuality_score: float | None
    precision: float | None


class Verified(AnswerResult):
    """`citation_recall` is the share of citing claims that their sources support."""

    citation_recall: float | None
    corrected: str


class _Tool:
    """Processes records of one task, in any number of threads."""

    def __init__(self, name: str, config: Config, calls: Calls) -> None:
        self._task = task_named(name)
        self._worker = self._task.worker(config, calls)

    @with_stack_room
    def found(self, kind: type[F], response: str, passages: Sequence[str] | None, prompt: str = "") -> F:
        """The result for an answer. Raises InputError, and what workers raise."""
        config = self._worker.config
        numbered = None
        if passages is not None:
            numbered = [{"id": str(n), "text": text} for n, text in enumerate(passages, start=1)]
        record = parse_record("", response=response, contexts=numbered, prompt=prompt)
        if problems := self._task.problems(record, config):
            raise InputError([problem._replace(where="") for problem in problems])
        result = self._worker.assess(record)
        line = self._task.tally(config, ()).add(result)
        # worst first; unjudged claims come before supported ones
        rows = sorted(result.rows(), key=lambda row: (row.rank is None, row.rank or row.p_true or 0.0))
        shared = {"status": line["status"], "judged_by": judged_by(config), "num_atoms": len(rows)}
        shared["not_checked"] = result.not_checked
        own = {name: line[name] for name in kind.model_fields.keys() - AnswerResult.model_fields.keys()}
        return kind(
            **shared,
            **own,
            atoms=tuple(_shown_atom(row, numbered=numbered is not None) for row in rows[:MOST_ATOMS]),
            failures=tuple(f"{f['stage']} {f['item_id']}: {f['message']}" for f in line["failures"]),
        )


def _shown_atom(row: ClaimRow, *, numbered: bool) -> ShownAtom:
    same = ("text", "label", "p_true", "quote", "quote_by", "link", "note")
    source = row.context if numbered else row.title
    return ShownAtom(source=source, **{name: getattr(row, name) for name in same})


class _ToolServer(MCPServer[Any]):
    """A server that explains invalid tool arguments."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:  # noqa: ANN401 - as the SDK has it
        """Call a tool; null arguments are ignored. Raises ToolError, which the agent reads."""
        tools = {tool.name: list(tool.input_schema["properties"]) for tool in await self.list_tools()}
        takes = tools.get(name, list(arguments))
        given: dict[str, Any] = {}
        for key, value in arguments.items():
            own = key if key in takes else parameter_of(key, takes)
            if own is None:
                raise ToolError(f"{key}: {name} takes no such argument; {nearest(key, takes)}")
            if value is not None and given.setdefault(own, value) is not value:
                raise ToolError(f"{own}: given twice, as {key} and by another name; keep one")
        try:
            return await super().call_tool(name, given, context)
        except ToolError as error:
            wrong = error.__cause__
            if not isinstance(wrong, ValidationError):
                raise
            message = "; ".join(map(str, reworded(wrong, "", {})))
            raise ToolError(f"{message}; {name} takes {', '.join(takes)}") from None


def tools_of(config: Config, *, seconds: float = SECONDS) -> MCPServer[Any]:
    """A server with the tools `assess` and `verify` and the settings `config`; `seconds` limits a call.

    `verify` is omitted if the settings do not fit it.

    Raises ConfigError: the settings do not fit `assess`.
    """
    config = config.model_copy(update={"timeout": min(config.timeout, seconds)})
    if config.first_model is not None:
        check_keys(config)
    calls = Calls(llm=assembly_of(config).llm if config.first_model else None)
    server = _ToolServer("factreasoner", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR")
    searched = not config.part("retriever").takes_given
    hints = ToolAnnotations(
        read_only_hint=True, open_world_hint=searched or config.first_model is not None, idempotent_hint=True
    )
    assessing = _Tool(FACTUALITY, config, calls)

    async def assess_or_search(output: str, contexts: list[str] | None = None, input: str = "") -> Assessed:
        return await _in_time(partial(assessing.found, Assessed, output, contexts, input), seconds)

    async def assess(output: str, contexts: list[str], input: str = "") -> Assessed:
        return await assess_or_search(output, contexts, input)

    about = "Is an answer true? Checks each of its claims against passages of evidence that you pass."
    about += " `input` is the question."
    if searched:
        about += " Without `contexts`, evidence is searched for; [] means that there is none."
    tool = assess_or_search if searched else assess
    server.add_tool(tool, name="assess", description=about, annotations=hints, structured_output=True)
    try:
        verifying = _Tool("verify", config, calls)
    except ConfigError:
        return server

    async def verify(output: str, contexts: list[str], input: str = "") -> Verified:
        return await _in_time(partial(verifying.found, Verified, output, contexts, input), seconds)

    about = (
        "Does each cited source support its claim? [1] in the answer is the first of `contexts`, and so on."
    )
    server.add_tool(verify, description=about, annotations=hints, structured_output=True)
    return server


async def _in_time(found: Callable[[], F], seconds: float) -> F:
    """The result from a thread, within the limit. Raises ToolError, which the agent reads."""
    try:
        with anyio.fail_after(seconds), abandon_on_exit():
            return await anyio.to_thread.run_sync(found, abandon_on_cancel=True)
    except TimeoutError:
        raise ToolError(f"it took more than {seconds:g} s: pass fewer passages or less text") from None
    except FactReasonerError as error:
        raise ToolError(str(error)) from error
