"""Put requests into batches, send these to a service, and fetch the results."""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from factreasoner.calls.deadlines import run_within
from factreasoner.calls.retry import Passing, Retry, repeat_until_accepted, sleep_while_wanted
from factreasoner.errors import ConfigError, LLMError, PendingError, RunError
from factreasoner.files import replace_file
from factreasoner.llm.batches.batch import URL, Batch
from factreasoner.llm.batches.folder import BatchFolder, UsageOf
from factreasoner.llm.faults import ProviderFault, fault_of
from factreasoner.llm.responses import MAX_SHOWN, Completion, field_of
from factreasoner.llm.send import TOO_MANY_STATUS, Attempts
from factreasoner.llm.settings import CallForm, LLMSettings
from factreasoner.llm.transport import TOO_LONG, Transport, load

if TYPE_CHECKING:
    import openai

SERVED = ("openai", "hosted_vllm")
"""Providers with OpenAI's batches, whose requests litellm writes in OpenAI's format."""


class _ResultError(Exception):
    """An error in a batch result."""

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status_code = status


class BatchSender:
    """Answers requests from batch results, and puts the others into the next batch.

    A transient error in a result is retried, up to `max_attempts` in all. An error that the user must fix is
    a failure, retried by the next command.
    """

    stopped = False

    def __init__(self, config: LLMSettings, transport: Transport, batches: BatchFolder) -> None:
        self._config, self._transport, self._batches = config, transport, batches

    def tried(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """The answer to a request, or the fault; PendingError if it will come with a later batch."""

        def ask() -> Completion | ProviderFault:
            try:
                return self._result(request, attempts)
            except (PendingError, ConfigError, RunError):
                raise
            except Exception as error:  # noqa: BLE001 - from a result, or litellm's about a parameter
                secret = self._transport.key
                fault = fault_of(error, form=form, request=request, fixed=fixed, secret=secret)
            attempts.budget.left -= fault.kind == "sample"
            return fault

        def wait(number: int, answer: Completion | ProviderFault) -> float | None:
            passes = isinstance(answer, ProviderFault) and answer.kind == "retry"
            return 0.0 if passes and number < self._config.max_attempts else None

        return repeat_until_accepted(ask, wait)

    def _result(self, request: Mapping[str, Any], attempts: Attempts) -> Completion:
        custom_id = f"{attempts.key}-{attempts.count}"
        result = self._batches.result(custom_id)
        if result is None:
            most = self._transport.most_cost(request, self._config.max_tokens)
            self._batches.ask(str(self._config.first_model), custom_id, self._body(request), most_cost=most)
            raise PendingError(f"{custom_id}: goes into the next batch")
        attempts.count += 1
        if result.completion is None:
            raise _ResultError(result.problem, result.status)
        answer = self._transport.completion(result.completion, request)
        if len(answer.reply_text) > MAX_SHOWN:  # as when it is sent at once
            answer = answer._replace(content=TOO_LONG, tool_calls=())
        attempts.pay(answer)
        return answer

    def _body(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """A request body in OpenAI's format. Raises what litellm raises about a parameter."""
        transport, worded = self._transport, copy.deepcopy(dict(request))
        messages = worded.pop("messages")
        if transport.provider in SERVED:
            worded = load().utils.get_optional_params(
                model=transport.bare,
                custom_llm_provider=transport.provider,
                allowed_openai_params=transport.unlisted_params(request),
                **worded,
            )
            worded.pop("stream", None)
            worded |= worded.pop("extra_body", None) or {}
        return {"model": transport.bare, "messages": messages, **worded}

    def stop(self, reason: str) -> ConfigError:
        """The error for a reason that the user must fix."""
        return ConfigError(f"model {self._config.first_model}: {reason}")

    def failure(self, fault: ProviderFault, attempts: Attempts) -> LLMError:
        """The exception for a final fault."""
        return fault.error(attempts.count, "" if fault.remedy in ("key", "connection") else fault.remedy)


def counting(config: LLMSettings) -> UsageOf:
    """Computes the usage of completions, at batch prices."""

    @functools.cache
    def provider(model: str) -> Transport:
        return Transport(model, config.api_base, config.api_key_env, batch=True)

    return lambda model, completion, body: provider(model).completion(completion, body).usage


T = TypeVar("T")
FIRST_WAIT, LONGEST_WAIT = 0.2, 30.0
"""Seconds between two polls of a batch; each wait is 1.5 times the one before."""
SECONDS = 600.0
"""Time limit of a call: enough to transfer a large file."""
SURE_WAIT = 10.0
"""Seconds after which a service lists a batch whose creation was unclear."""
LISTED = 100
ENDED = ("completed", "failed", "expired", "cancelled")


class BatchService:
    """The batch service. Its ids are on disk before any wait."""

    def __init__(self, config: LLMSettings) -> None:
        self._config = config

    def answer(self, batches: Sequence[Batch], text: Callable[[str], None]) -> list[Batch]:
        """Have every batch answered; returns those that were cancelled.

        Raises:
            ConfigError: the service rejects the key or model.
            RunError: it is unreachable or failed; rerun to resume.
        """
        for batch in batches:
            if "batch_id" not in batch.state:
                made = self._make_batch(batch)
                batch.note(batch_id=made.id)
                text(f"batch {batch.number}: {batch.state['requests']:,} requests uploaded as {made.id}")
        return [batch for batch in batches if self._fetched(batch, text) == "cancelled"]

    def _make_batch(self, batch: Batch) -> openai.types.Batch:
        """The service's batch for the requests; looks first for one that may already exist."""
        look = "file_id" in batch.state  # an earlier process may have been killed before it noted the id
        if not look:
            file = self._call(batch, "uploading", partial(_uploaded, batch))
            batch.note(file_id=file.id, file_made=field_of(file, "created_at"))
        file_id = batch.state["file_id"]

        def make(client: openai.OpenAI) -> openai.types.Batch:
            nonlocal look
            found = _existing_batch(batch, client) if look else None
            look = True
            return found or client.batches.create(
                input_file_id=file_id, endpoint=URL, completion_window="24h"
            )

        return self._call(batch, "making", make, unclear_wait=SURE_WAIT)

    def _fetched(self, batch: Batch, text: Callable[[str], None]) -> str:
        """Wait for a batch and write its results; returns its final status."""
        batch_id, last = batch.state["batch_id"], ""
        for number in itertools.count():
            found = self._call(batch, "waiting", lambda client: client.batches.retrieve(batch_id))
            ended = sum(field_of(found, "request_counts", kind) or 0 for kind in ("completed", "failed"))
            done = f"{found.status}, {ended:,} of {batch.state['requests']:,} done"
            if done != last:
                text(f"batch {batch.number} ({found.id}): {done}")
            last = done
            if found.status in ENDED:
                break
            sleep_while_wanted(min(FIRST_WAIT * 1.5**number, LONGEST_WAIT))
        if found.status == "failed":
            batch.note(file_id=None, file_made=None, batch_id=None)
            message_why = [field_of(error, "message") for error in field_of(found, "errors", "data") or ()]
            why = "; ".join(filter(None, message_why[:3])) or "it does not say why"
            raise RunError(f"batch {batch.number} ({batch_id}) failed: {why}; rerun to send it again")
        batch.note(status=found.status)
        replace_file(batch.results_path, self._lines(batch, found))
        return str(found.status)

    def _lines(self, batch: Batch, found: Any) -> Iterator[str]:  # noqa: ANN401
        for file_id in filter(None, (found.output_file_id, found.error_file_id)):
            with self._call(batch, "fetching", partial(_downloaded, batch, file_id)) as part:
                yield from (line.decode("utf-8", "replace").rstrip() for line in part)

    def _call(
        self, batch: Batch, what: str, call: Callable[[openai.OpenAI], T], *, unclear_wait: float = 0.0
    ) -> T:
        """The result of a call to the batch service; `what` names it in errors.

        Transient errors are retried for up to `patience` seconds. If an error leaves open whether the call
        took effect, the next attempt waits at least `unclear_wait` seconds.
        """
        provider = Transport(batch.state["model"], self._config.api_base, self._config.api_key_env)
        client = _client(provider)
        text = f"batch {batch.number}: {what}"

        def ask() -> T | Passing:
            try:
                return run_within(SECONDS, lambda: call(client))
            except Exception as error:  # noqa: BLE001 - from any library below; it is classified
                fault = fault_of(error, form="word", request={}, secret=provider.key)
            if fault.kind == "config":
                raise ConfigError(f"{text}: {fault.message}; check the key and `api_base`")
            failed = RunError(f"{text} failed: {fault.message}; rerun to resume")
            if fault.kind != "retry":
                raise failed
            least = 0.0 if fault.status == TOO_MANY_STATUS else unclear_wait
            return Passing(failed, max(fault.retry_after or 0.0, least) or None)

        return Retry(seconds=self._config.patience)(ask)


def _uploaded(batch: Batch, client: openai.OpenAI) -> openai.types.FileObject:
    with batch.requests_path.open("rb") as file:
        return client.files.create(file=file, purpose="batch")


def _existing_batch(batch: Batch, client: openai.OpenAI) -> openai.types.Batch | None:
    """The batch made from the file; None without one.

    The service lists the newest first, so a batch older than the file ends the search.
    """
    state = batch.state
    since = state.get("file_made") or 0
    for one in client.batches.list(limit=LISTED):
        if one.input_file_id == state["file_id"]:
            return one
        if (one.created_at or since) < since:
            break
    return None


def _downloaded(batch: Batch, file_id: str, client: openai.OpenAI) -> BinaryIO:
    """The content, in a new file per attempt: an abandoned attempt may still be writing to its own."""
    with contextlib.ExitStack() as stack:
        part = stack.enter_context(tempfile.TemporaryFile(dir=batch.folder))
        with client.files.with_streaming_response.content(file_id) as response:
            for chunk in response.iter_bytes():
                part.write(chunk)
        part.seek(0)
        stack.pop_all()
    return part


def _client(provider: Transport) -> openai.OpenAI:
    """openai's client with the process's session: litellm would open one per call and never close it."""
    import openai

    if provider.provider not in SERVED:
        raise ConfigError(
            f"batch: 'openai' is for OpenAI and servers with its Files and Batches APIs, not for "
            f"{provider.model}; `batch='files'` writes the requests for you to have answered"
        )
    place, session = provider.place, load().client_session
    url, key = place["api_base"], place["api_key"]
    try:
        return openai.OpenAI(base_url=url, api_key=key, http_client=session, max_retries=0, timeout=SECONDS)
    except openai.OpenAIError as error:  # there is no key
        raise ConfigError(
            "batch: there is no key: set $OPENAI_API_KEY, or name its variable with `api_key_env`"
        ) from error
