"""Batches uploaded to a service with OpenAI's Files and Batches, waited for, and fetched."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

from factreasoner.config import Config
from factreasoner.errors import ConfigError, RunError
from factreasoner.llm.batches.folder import Batch, write_whole
from factreasoner.llm.batches.lines import URL
from factreasoner.llm.deadline import turns, within
from factreasoner.llm.faults import fault_of
from factreasoner.llm.litellm_provider import LiteLLMProvider, load
from factreasoner.llm.logprobs import field_of

SERVED = ("openai", "hosted_vllm")
"""Providers whose batches are OpenAI's."""
FIRST_WAIT, LONGEST_WAIT = 0.2, 30.0
"""Seconds between two looks at a batch; each is half as long again as the one before."""
SECONDS_OF_FILES = 600.0
"""How long a file may take to go up or come down."""
ENDED = ("completed", "failed", "expired", "cancelled")


class BatchService:
    """The service that answers batches. What it knows of each is on disk before anything is waited for."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._waited: dict[Batch, str] = {}

    def answer(self, batches: Sequence[Batch], told: Callable[[str], None]) -> bool:
        """Have every batch answered; False where one was cancelled, by whomever.

        Raises:
            ConfigError: the service takes the key or the model not.
            RunError: it can't be reached, or has failed; the same command goes on from there.
        """
        for batch in batches:
            self._submit(batch, told)
        statuses = [self._fetched(batch, told) for batch in batches]
        return "cancelled" not in statuses

    def _submit(self, batch: Batch, told: Callable[[str], None]) -> None:
        state = batch.state
        if "batch_id" in state:
            return
        if "file_id" in state:
            # An earlier process may have been killed between having the batch made and noting its id.
            known = self._call(batch, "list_batches", limit=100)
            found = [one for one in known.data if one.input_file_id == state["file_id"]]
            made = found[0] if found else None
        else:
            with batch.requests_path.open("rb") as file:
                content = (batch.requests_path.name, file.read(), "application/jsonl")
            uploaded = self._call(batch, "create_file", file=content, purpose="batch", long=True)
            batch.note(file_id=uploaded.id)
            made = None
        if made is None:
            made = self._call(
                batch,
                "create_batch",
                completion_window="24h",
                endpoint=URL,
                input_file_id=batch.state["file_id"],
            )
        batch.note(batch_id=made.id)
        told(f"batch {batch.number}: {state['requests']:,} requests uploaded as {made.id}")

    def _fetched(self, batch: Batch, told: Callable[[str], None]) -> str:
        """Wait for a batch and write its results; returns the status it ended with."""
        batch_id = batch.state["batch_id"]
        for number in itertools.count():
            found = self._call(batch, "retrieve_batch", batch_id=batch_id)
            self._tell(batch, found, told)
            if found.status in ENDED:
                break
            for turn in turns(min(FIRST_WAIT * 1.5**number, LONGEST_WAIT)):
                time.sleep(turn)
        if found.status == "failed":
            state = {key: value for key, value in batch.state.items() if key not in ("file_id", "batch_id")}
            batch.state_path.unlink()
            batch.note(**state)
            raise RunError(
                f"batch {batch.number} ({batch_id}) has failed: {_why(found)}; the same command sends it "
                "again"
            )
        files = [i for i in (found.output_file_id, found.error_file_id) if i]
        parts = [self._call(batch, "file_content", file_id=file_id, long=True).content for file_id in files]
        batch.note(status=found.status)
        write_whole(batch.results_path, b"".join(part.rstrip(b"\n") + b"\n" for part in parts))
        return str(found.status)

    def _tell(self, batch: Batch, found: Any, told: Callable[[str], None]) -> None:  # noqa: ANN401
        counts = field_of(found, "request_counts")
        done = (field_of(counts, "completed") or 0) + (field_of(counts, "failed") or 0)
        line = (
            f"batch {batch.number} ({found.id}): {found.status}, {done:,} of {batch.state['requests']:,} done"
        )
        if self._waited.get(batch) != line:
            told(line)
        self._waited[batch] = line

    def _call(self, batch: Batch, function: str, *, long: bool = False, **arguments: Any) -> Any:  # noqa: ANN401
        """What one of litellm's functions on files and batches returns."""
        provider = LiteLLMProvider(batch.state["model"], self._config.api_base, self._config.api_key_env)
        if provider.provider not in SERVED:
            raise ConfigError(
                f"batch: 'openai' is for OpenAI and servers with its Files and Batches, and {provider.model} "
                "is elsewhere; --batch files writes the requests for you to have answered"
            )
        seconds = SECONDS_OF_FILES if long else self._config.timeout
        # Who gets no answer when a batch is made can't tell whether there is one now: that is tried once.
        patience = 0.0 if function == "create_batch" else self._config.patience
        return self._patiently(
            f"batch {batch.number}: {function}",
            lambda: within(
                seconds,
                lambda: getattr(load(), function)(
                    custom_llm_provider=provider.provider,
                    timeout=seconds,
                    max_retries=0,
                    **provider.place,
                    **arguments,
                ),
            ),
            patience=patience,
            secret=provider.key,
        )

    def _patiently(self, what: str, call: Callable[[], Any], *, patience: float, secret: str | None) -> Any:  # noqa: ANN401
        """What `call` returns, tried again for up to `patience` seconds where its error may pass."""
        give_up = time.monotonic() + patience
        for number in itertools.count():
            try:
                return call()
            except Exception as error:  # noqa: BLE001 - of any library below; it is classified
                fault = fault_of(error, form="fenced", request={}, secret=secret)
            if fault.kind == "config":
                raise ConfigError(f"{what}: {fault.message}; check the key and --api-base")
            wait = fault.retry_after or min(FIRST_WAIT * 2**number, LONGEST_WAIT)
            if fault.kind != "retry" or time.monotonic() + wait > give_up:
                raise RunError(f"{what} has failed: {fault.message}; the same command goes on from here")
            for turn in turns(wait):
                time.sleep(turn)
        raise AssertionError("counting never ends")


def _why(found: Any) -> str:  # noqa: ANN401 - litellm's batch
    errors = field_of(field_of(found, "errors"), "data") or ()
    told = [str(field_of(error, "message")) for error in errors if field_of(error, "message")]
    return "; ".join(told[:3]) or "it does not say why"
