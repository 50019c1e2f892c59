"""Money: what is set aside, what is spent, and when nothing more is sent."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_server import Completion, broken_body, hang, obliging, sequence, server_error
from llm_scene import PROMPT, SCHEMA

from factreasoner.calls.limits import Budget
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import Meter, estimate_tokens
from factreasoner.errors import BudgetError, CallTimeoutError, ConfigError, ProviderError
from factreasoner.llm.transport import price

PRICED = "openai/gpt-4o-mini"
COUNTS = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}


def answer(request):
    return Completion(arguments=obliging(request), usage=COUNTS)


def test_prices():
    each = price(PRICED, 1000, 100)
    assert price(PRICED, 2000, 200) == pytest.approx(2 * each)
    assert price("openai/no-such-model", 1000, 100) is None
    assert price("no provider at all", 1000, 100) is None
    assert price("ollama/llama3", 1000, 100) == 0.0  # one's own machine
    assert price("gemini/gemini-exp-1114", 1000, 100) is None  # the list says 0, which nobody charges


@pytest.mark.parametrize("model", [PRICED, "fake"])
def test_reply_cost_is_known_or_null(scene, model):
    set_up, meter = scene(answer), Meter()
    with meter.stage("evaluator"):
        reply = set_up.client(model=model).call(PROMPT, SCHEMA)
    assert reply.usage.cost == (None if model == "fake" else pytest.approx(price(PRICED, 1000, 100)))
    assert meter.total.cost == reply.usage.cost


def test_missing_token_counts_are_estimated(scene):
    none = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    set_up = scene(lambda request: Completion(arguments=obliging(request), usage=none))
    usage = set_up.client().call(PROMPT, SCHEMA).usage
    assert usage.prompt_tokens > 20
    assert usage.completion_tokens > 5


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"model": PRICED, "max_cost": 1e-6}, BudgetError, r"max_cost 1e-06.*not sent; raise `max_cost`"),
        ({"model": PRICED, "max_cost": 1.0, "spent": 0.9999}, BudgetError, r"\$0\.9999 are spent"),
        ({"max_cost": 1.0}, ConfigError, r"price of openai/fake is not known.*without `max_cost`"),
    ],
    ids=["too much", "with an earlier run", "no price"],
)
def test_too_expensive_request_is_not_sent(scene, settings, error, told):
    set_up = scene(answer)
    with pytest.raises(error, match=told):
        set_up.client(**settings).call(PROMPT, SCHEMA)
    assert set_up.server.calls == 0


@pytest.mark.parametrize(("share", "sent"), [(1.25, False), (1.35, True)])
def test_prompt_may_exceed_estimate_by_30_percent(scene, share, sent):
    set_up = scene()
    prompt = PROMPT.model_copy(update={"user": "Several plain words of an English text. " * 5000})
    limit = price(PRICED, int(share * estimate_tokens(prompt.user)), 100)
    client = set_up.client(model=PRICED, max_cost=limit, max_tokens=100)
    if sent:
        assert client.call(prompt, SCHEMA).arguments
    else:
        with pytest.raises(BudgetError, match="not sent"):
            client.call(prompt, SCHEMA)
    assert set_up.server.calls == sent


def test_run_stops_before_the_cost_limit(scene):
    set_up = scene(answer)
    limit = 10 * price(PRICED, 1000, 100)
    client = set_up.client(model=PRICED, max_cost=limit, max_tokens=100)
    with pytest.raises(BudgetError):
        parallel_map(lambda _: client.call(PROMPT, SCHEMA), range(20), 1)
    assert 9 <= set_up.server.calls <= 10
    assert client.shared.budget.spent == pytest.approx(set_up.server.calls * price(PRICED, 1000, 100))
    assert client.shared.budget.spent <= limit


def test_refused_request_is_free_and_lost_is_estimated(scene):
    settings = {"model": PRICED, "max_cost": 1.0, "max_tokens": 100, "max_attempts": 1}
    client = scene(sequence(server_error(), answer)).client(**settings | {"max_attempts": 2})
    client.call(PROMPT, SCHEMA)
    assert client.shared.budget.spent == pytest.approx(price(PRICED, 1000, 100))
    for fate in (hang(), broken_body()):
        lost = scene(lambda request, fate=fate: fate).client(**settings, timeout=0.2, patience=0.0)
        with pytest.raises((CallTimeoutError, ProviderError)):
            lost.call(PROMPT, SCHEMA)
        assert price(PRICED, 0, 100) < lost.shared.budget.spent < price(PRICED, 1000, 100)


def test_a_cached_reply_needs_no_money(scene):
    set_up = scene(answer)
    set_up.client(model=PRICED, cache=True).call(PROMPT, SCHEMA)
    reply = set_up.client(model=PRICED, cache=True, max_cost=0.0).call(PROMPT, SCHEMA)
    assert reply.usage.cost == 0.0


def test_the_budget_itself():
    budget = Budget(1.0, spent=0.25)
    with budget.reserve(0.5) as reservation:
        reservation.cost = 0.1
    assert budget.spent == pytest.approx(0.35)
    with budget.reserve(0.6):  # nothing said: it cost what was feared
        pass
    assert budget.spent == pytest.approx(0.95)
    with pytest.raises(BudgetError), budget.reserve(0.1):
        pytest.fail("let through")

    def fail():
        with budget.reserve(0.05) as reservation:
            reservation.cost = 0.0
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert budget.spent == pytest.approx(0.95)


def test_request_waits_for_reserved_budget():
    budget, order = Budget(1.0), []
    entered, finish = threading.Event(), threading.Event()

    def spend(name):
        with budget.reserve(0.8) as reservation:
            entered.set()
            finish.wait(20)
            order.append(name)
            reservation.cost = 0.1

    with ThreadPoolExecutor(2) as pool:
        pool.submit(spend, "first")
        entered.wait(20)
        pool.submit(spend, "second")
        finish.set()
    assert order == ["first", "second"]
    assert budget.spent == pytest.approx(0.2)


def test_many_threads_never_overspend():
    budget, refused = Budget(1.02), []

    def spend():
        try:
            with budget.reserve(0.1) as reservation:
                reservation.cost = 0.05
        except BudgetError:
            refused.append(1)

    with ThreadPoolExecutor(30) as pool:
        for _ in range(30):
            pool.submit(spend)
    assert 30 - len(refused) == 19
    assert budget.spent == pytest.approx(0.95)
