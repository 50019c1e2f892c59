"""What a run takes: the same rows for every task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from factreasoner.metrics.table import COUNT, Metric, Need, OfRecords
from factreasoner.models import Usage

CALLS = Need("nothing", lambda sample: "there is no record")
PRICE = Need("the price of calls", lambda sample: "unknown, since the price of a call is")


def usage_metrics(usage_of: Callable[[Any], Usage]) -> tuple[Metric, ...]:
    """Calls, tokens and cost a record; `usage_of` gives what a scored record took."""

    def calls(record: Any) -> float:  # noqa: ANN401 - whatever the task scores
        return usage_of(record).calls + usage_of(record).cached_calls

    def tokens(record: Any) -> float:  # noqa: ANN401
        return usage_of(record).prompt_tokens + usage_of(record).completion_tokens

    def cost(record: Any) -> float | None:  # noqa: ANN401
        return usage_of(record).cost

    # fmt: off
    return (
        Metric("calls", "calls", "model calls a record, cached ones included", CALLS,
               OfRecords(calls, all_or_none=True), better="lower", bounds=COUNT, decimals=1,
               places=("compare", "figure"), usage=True),
        Metric("tokens", "tokens", "prompt and completion tokens a record", CALLS,
               OfRecords(tokens, all_or_none=True), better="lower", bounds=COUNT, decimals=0,
               places=("compare",), usage=True),
        Metric("cost", "cost", "US dollars a record", PRICE, OfRecords(cost, all_or_none=True),
               better="lower", bounds=COUNT, decimals=4, places=("compare", "figure"), usage=True),
    )
    # fmt: on
