"""One request body in, one reply out, in any thread.

Replies are bytes: results as JSON, and errors as `application/problem+json` (RFC 9457).
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from factreasoner import __version__
from factreasoner.analysis.rules import Rule
from factreasoner.analysis.tables import claim_rows, claim_table_of
from factreasoner.atoms.extraction import without_hidden_text
from factreasoner.errors import QUOTED, BudgetError, ConfigError, FactReasonerError, InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, misspelt, with_hint
from factreasoner.inputs.jsonl import THE_BODY, parse_line
from factreasoner.inputs.parsing import IN_BODY, Reader
from factreasoner.judges import OTHER_LANGUAGE
from factreasoner.judges.probe import SERVERS_FAULT
from factreasoner.llm import transport
from factreasoner.llm.client import check_keys
from factreasoner.metrics.factuality import FACTUALITY as METRICS
from factreasoner.metrics.table import certain_range
from factreasoner.models import Record, not_checked
from factreasoner.models.formatting import number_of
from factreasoner.models.results import counted
from factreasoner.pipeline.assembly import Calls, assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import ATOMIZER
from factreasoner.plugins.table import PLUGINS
from factreasoner.protocols import Atomizer
from factreasoner.tasks.task import FACTUALITY, RecordWorker, Task, task_named
from factreasoner.text.parsing import find_parser
from factreasoner.text.sentences import sentences

TITLES: Mapping[int, str] = {
    400: "The body is not JSON",
    401: "Authentication required",
    403: "Cross-origin request refused",
    404: "Unknown path",
    405: "Method not allowed",
    408: "The body did not arrive in time",
    413: "The body is too large",
    415: "The body must be sent as application/json",
    421: "Unknown host",
    422: "The record can't be assessed",
    502: "The record could not be judged",
    503: "Service unavailable",
    504: "The record took too long",
}
"""The title of each error; `errors` in its body give details."""
JSON, PROBLEM = "application/json", "application/problem+json"


class HttpReply(NamedTuple):
    """One reply. `retry_after` is in seconds; `close`: the connection is closed afterwards."""

    status: int
    body: bytes
    retry_after: int | None = None
    close: bool = False

    @property
    def media_type(self) -> str:
        """The media type of the body."""
        return JSON if self.status < 400 else PROBLEM


class Refused(Exception):  # noqa: N818 - it is an answer, no fault
    """A request is refused with this `reply`."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def result(content: Mapping[str, Any]) -> HttpReply:
    """A result as one line of JSON."""
    return HttpReply(200, _encoded(content))


def problem(
    status: int, message: str = "", *, retry_after: int | None = None, close: bool = False
) -> HttpReply:
    """An error with one message, or only its title."""
    errors = [InputProblem("", "", message)] if message else []
    return problems(status, errors)._replace(retry_after=retry_after, close=close)


def problems(status: int, errors: Sequence[InputProblem]) -> HttpReply:
    """An error with every problem, field by field."""
    listed = [{"field": error.field, "message": error.message} for error in errors]
    return HttpReply(
        status, _encoded({"type": "about:blank", "title": TITLES[status], "status": status, "errors": listed})
    )


def _encoded(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


CHECK = "check"
TASK_OF: Mapping[str, str] = {
    "assess": FACTUALITY,
    "verify": "verify",
    "rag": "rag",
    "recall": "recall",
    CHECK: FACTUALITY,
}
"""Last part of a route's path -> the task of its record."""
AFTER_FAULT = 15
"""Retry-After in seconds if the model's server is down: its probing interval."""
AFTER_BUDGET = 3600
"""Retry-After in seconds if `max_cost` is reached, which a person must raise."""
_OF_RECORDS = ("InputError", "NotInTextError", OTHER_LANGUAGE, "ClaimTooLong")
"""Failures caused by the record, not the model."""
A_SETTING = "set by the server, not by requests; remove it, or move it into 'metadata'"
_OF_SETTINGS = re.compile(rf"({QUOTED})| \([^()]*`[^()]*\)|,? or [^,;]*`[^;]*|; rerun.*")
"""Advice on settings, which stand in backquotes, and on running again; or a quotation, which stays."""
_SAMPLE = {"output": "Water boils.", "reference": "Water boils.", "contexts": ["Water boils at 100 degrees."]}

logger = logging.getLogger(__name__)


class ServiceSettings(NamedTuple):
    """What is served: settings, rules of `/v1/check`, and the maximum pairs per record."""

    config: Config
    rules: tuple[Rule, ...] = ()
    max_pairs: int = 150


class Answers:
    """Answers request bodies; thread-safe. `refused` are tasks that can't be served, and why.

    The tasks share a model client; a local judge is warmed up.

    Raises ConfigError: a key or a model name is wrong.
    """

    def __init__(self, terms: ServiceSettings) -> None:
        self._terms, config = terms, terms.config
        self._workers: dict[str, RecordWorker[Any]] = {}
        self.refused: dict[str, str] = {}
        self._atomizer: Atomizer | None = None
        llm = None
        find_parser()  # loads it, which takes a second, and no request's
        if config.first_model is not None:
            transport.load()  # which takes seconds, and no request's
            check_keys(config)
            llm = assembly_of(config).llm
        elif config.plugin("atomizer") in PLUGINS["atomizer"]:
            self._atomizer = assembly_of(config).made(ATOMIZER)
        sample = Reader().record(_SAMPLE, where="", default_id="warm")
        for task in map(task_named, dict.fromkeys(TASK_OF.values())):
            try:
                worker = self._workers[task.name] = task.worker(config, Calls(llm=llm))
            except (ConfigError, InputError) as error:
                self.refused[task.name] = str(error)
                continue
            if llm is None and config.part("retriever").takes_given and not task.problems(sample, config):
                _assessed(worker, task, sample)

    def answer(self, route: str, body: bytes) -> HttpReply:
        """The reply to a body on that route. Nothing is raised."""
        try:
            data = parse_line(body, where="", each=THE_BODY)
        except InputError as error:
            return problems(400, _in_a_body(error))
        task = task_named(TASK_OF[route])
        if task.name in self.refused:
            return problem(404, f"not served with these settings: {self.refused[task.name]}")
        try:
            return self._assess(route, task, self._record(task, data))
        except InputError as error:
            return problems(422, _in_a_body(error))
        except BudgetError as error:
            return problem(503, str(error), retry_after=AFTER_BUDGET)
        except FactReasonerError as error:
            return problem(502, str(error), retry_after=AFTER_FAULT)
        except Exception as error:  # noqa: BLE001 - of one record; its text may stand in the message
            logger.warning("a record could not be judged: %s", type(error).__name__)
            return problem(502, f"a bug in factreasoner: {type(error).__name__}")

    def _record(self, task: Task[Any], data: Mapping[str, Any]) -> Record:
        config = self._terms.config
        strange = {key: A_SETTING for key in data if key in Config.model_fields}
        for key, field in misspelt(data.keys(), {}):
            strange[key] = f"did you mean {FIELDS[field][0]!r}? Other keys belong in 'metadata'"
        if strange:
            raise InputError([InputProblem("", key, note) for key, note in strange.items()])
        record = Reader(advice=IN_BODY).record(data, where="", default_id="record")
        if lacking := task.problems(record, config):
            raise InputError([with_hint(problem, data) for problem in lacking])
        most = self._terms.max_pairs
        if pairs_of(record, config, most_claims) <= most:
            return record
        if (pairs := pairs_of(record, config, self._claims_in)) > most:
            message = (
                f"the record makes about {pairs:,} pairs of claim and context, and {most:,} may be sent "
                "(the service's --max-pairs): send fewer contexts"
            )
            raise InputError([InputProblem("", "contexts", message)])
        return record

    def _claims_in(self, text: str) -> int:
        """How many claims a text gives; for a model, its number of sentences."""
        if self._atomizer is None:
            return len(sentences(text))
        return len(self._atomizer.atomize(without_hidden_text(Record(id="", response=text))).atoms)

    def _assess(self, route: str, task: Task[Any], record: Record) -> HttpReply:
        line, rows = _assessed(self._workers[task.name], task, record)
        if line["status"] == "failed":
            failed = line["failures"]
            status = 422 if all(f["error_type"] in _OF_RECORDS for f in failed) else 502
            reply = problems(status, [InputProblem("", f["stage"], f["message"]) for f in failed])
            passes = any(f["error_type"] in SERVERS_FAULT for f in failed)
            return reply._replace(retry_after=AFTER_FAULT) if passes else reply
        if route == CHECK:
            line |= verdict_by(self._terms.rules, line, rows)
        return result(line | {claim_table_of(task): rows})


def _in_a_body(error: InputError) -> list[InputProblem]:
    """The problems of a record in a request body."""
    return [one._replace(message=_OF_SETTINGS.sub(r"\1", one.message)) for one in error.problems]


def _assessed(
    worker: RecordWorker[Any], task: Task[Any], record: Record
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The result line of a record, and the rows of its claims."""
    found = worker.assess(record)
    line = task.tally(worker.config, ()).add(found)
    for failure in line["failures"]:
        failure["message"] = _OF_SETTINGS.sub(r"\1", failure["message"])
    return line, list(claim_rows(task, found))


def verdict_by(
    rules: Sequence[Rule], line: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """`allowed` and `reason`, from a record's result line and atoms. Unknown scores are not allowed."""
    unchecked = Counter(part["reason"] for part in line["unchecked"] or ())
    beside = [not_checked(unchecked, line["num_sentences"] or 0)] * bool(unchecked)
    if line["status"] == "no_atoms":
        nothing = "the answer makes no claim that can be judged"
        return {"allowed": False, "reason": "; ".join([nothing, *beside])}
    note = []
    for rule in rules:
        metric = METRICS.metrics[rule.measure]
        value, bounds = line[metric.line_name], certain_range(metric, line)
        shown = f"{rule.measure} is {metric.text(value)}"
        if value is None:
            note.append(f"{rule.measure} has no value")
        elif bounds is None:
            note.append(f"{shown}, but sampling did not converge")
        elif not rule.keeps(value):
            note.append(f"{shown}, less than {rule.limit:g}")
        elif not rule.keeps(bounds[0]):
            failures = number_of(len(line["failures"]), "failure")
            note.append(
                f"{shown}, and {failures} could take it to {metric.text(bounds[0])}, less than {rule.limit:g}"
            )
    if not note:
        return {"allowed": True, "reason": "; ".join([*map(str, rules), *beside])}
    atoms = counted("atom", (row["label"] for row in rows))
    return {"allowed": False, "reason": "; ".join([f"{'; '.join(note)}: {atoms}", *beside])}


ABOUT: Mapping[str, str] = {
    "assess": "Is the answer true? P(true) of each of its atoms, against its contexts.",
    "verify": "Does each cited source support its claim? Also the corrected answer.",
    "rag": "Where does a RAG system lose or invent?",
    "recall": "Does the answer say what it should?",
    CHECK: "As assess, and whether the answer keeps the service's rules. An unknown score is not allowed.",
}
_OF_PROBES = ("401", "403", "421", "503")


def document(names: Iterable[str], most_bytes: int) -> bytes:
    """The OpenAPI document of a service with these routes, as JSON."""
    content = yaml.safe_load(Path(__file__).with_name("openapi.yaml").read_text(encoding="utf-8"))
    content["info"]["version"] = __version__
    errors = {str(status): _reply(title, PROBLEM, _ref("Problem")) for status, title in TITLES.items()}
    for probe in content["paths"].values():
        plain = {"200": _reply(probe["get"]["summary"], "text/plain", {})}
        probe["get"]["responses"] = plain | {status: errors[status] for status in _OF_PROBES}
    body = _reply(f"At most {most_bytes:,} bytes.", JSON, _ref("Record")) | {"required": True}
    for name in names:
        required = [claim_table_of(task_named(TASK_OF[name])), *("allowed", "reason") * (name == CHECK)]
        found = {"allOf": [_ref("Result"), {"type": "object", "required": required}]}
        responses = {"200": _reply("The result.", JSON, found), **errors}
        content["paths"][f"/v1/{name}"] = {
            "post": {"summary": ABOUT[name], "operationId": name, "requestBody": body, "responses": responses}
        }
    return json.dumps(content).encode()


def _reply(description: str, media_type: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def pairs_of(record: Record, config: Config, claims_in: Callable[[str], int]) -> int:
    """Estimated pairs of claim and passage of a record.

    Given atoms and facts count, else the claims in the texts; passages to be searched count as the maximum. A
    pair of two passages counts as four, since its claim is longer.
    """

    def size(items: Sequence[object] | None, text: str) -> int:
        if items is not None:
            return len(items)
        return claims_in(text) if text.strip() else 0

    answer = size(record.atoms, record.response)
    right = size(record.facts or record.reference_atoms, record.reference or "")
    premises = answer * config.retrieve_k if record.contexts is None else len(record.contexts)
    among = 4 * premises * premises if config.version == 3 else 0
    return (answer + right) * (premises + bool(right)) + among


def most_claims(text: str) -> int:
    """An upper bound on a text's claims: its words, or sentences without spaces."""
    return max(len(text.split()), len(sentences(text)))
