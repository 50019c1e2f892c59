"""Probe how many facts a model can judge per call, with facts of known verdicts.

A weak model answers by position: its verdicts repeat, and change when the facts are reversed. So it is asked
about two passages with 16 facts each, in both orders.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple, TypeVar

from factreasoner.calls.usage import stage
from factreasoner.errors import CallTimeoutError, LLMError, ProviderError, UnusableReplyError
from factreasoner.judges import functions
from factreasoner.judges.encoder.settings import EncoderSettings
from factreasoner.judges.llm import LLMJudge
from factreasoner.judges.settings import JudgeSettings
from factreasoner.llm.ask import MOST_FACTS, current_budget
from factreasoner.llm.client import LiteLLMClient, Prober
from factreasoner.llm.faults import safe_excerpt
from factreasoner.llm.send import waiting_for
from factreasoner.models import Claim, Label, Premise, Probe
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.models.results import MOST_PROBE_CALLS, PROBE_SIZES
from factreasoner.models.verdicts import NOT_CLEAR
from factreasoner.protocols import LLM

MOST_CHANGED = 3
"""Maximum verdicts of 32 that may change with the order of facts."""
LEAST_RIGHT = 27
"""Minimum right verdicts of 32 for a model to get many facts at once."""
FEWER_RIGHT = 2
"""How many fewer verdicts may be right in a larger call than in single calls."""
MOST_ALIKE = 4
"""Maximum consecutive useless replies of one kind."""
STAGE = "probe"
C = TypeVar("C", bound=JudgeSettings)


class _Case(NamedTuple):
    """A passage with facts, and the answer to each by id: True, False or Not clear."""

    premise: Premise
    facts: tuple[Claim, ...]
    answers: dict[str, str]


@cache
def cases() -> tuple[_Case, ...]:
    """The passages of `probe.json`, each with 16 facts."""
    data = json.loads(resources.files(__package__).joinpath("probe.json").read_text(encoding="utf-8"))
    found = []
    for number, item in enumerate(data):
        facts = tuple(Claim(f"f{number}_{i}", text) for i, (text, _) in enumerate(item["facts"]))
        answers = {fact.id: answer for fact, (_, answer) in zip(facts, item["facts"], strict=True)}
        found.append(_Case(Premise(f"probe{number}", item["passage"]), facts, answers))
    return tuple(found)


def prompt_key(config: JudgeSettings) -> str:
    """What a probe is valid for, besides model and server: the mode and the judge's prompts."""
    return f"{config.mode} {LLMJudge.fingerprint()}"


def prober_of(config: JudgeSettings) -> Prober | None:
    """Finds the number of facts per call for a model client; None if the settings give it."""
    wanted = config.atoms_per_call is None and config.part("judge").prompts
    if not wanted or config.mode == "prompt-tf" or config.form == "word":
        return None
    purse = ProbeBudget()
    return Prober(prompt_key(config), lambda llm: probe(llm, config, purse))


SERVERS_FAULT: dict[str, type[LLMError]] = {kind.__name__: kind for kind in (ProviderError, CallTimeoutError)}
"""Names of errors that are not the model's fault."""


@dataclass
class ProbeBudget:
    """The paid calls that a probe may still make, retries included."""

    left: int = MOST_PROBE_CALLS


def probe(llm: LLM, config: JudgeSettings, purse: ProbeBudget | None = None) -> Probe:
    """The number of facts per call for a model: 4 calls for a capable one, at most `purse` for others.

    Raises:
        LLMError: four consecutive replies were useless in the same way, no fact got a verdict, the calls were
            used up, or the server did not answer.
        ConfigError, BudgetError: from the model client.
    """
    with stage(STAGE):
        return _ProbeRun(llm, config, purse or ProbeBudget()).probe()


class _ProbeRun:
    """Asks a model about the cases, and keeps the form of its last reply.

    Missing answers are not retried: they count as wrong.
    """

    def __init__(self, llm: LLM, config: JudgeSettings, purse: ProbeBudget) -> None:
        self._llm = llm
        confidence = "constant" if config.confidence == "votes" else config.confidence
        self._config = config.model_copy(update={"max_attempts": 1, "confidence": confidence})
        self._purse, self._had = purse, purse.left
        self._form = ""
        self._calls = 0
        self._problem = "the model gave no verdict"
        self._useless = ("", 0)
        """In which way the last replies were useless, and how many of them."""
        self._stopped: UnusableReplyError | None = None
        label_of = functions.inquiry(config.mode).label_of
        self._known: dict[str, Label | None] = {
            fact: "neutral" if answer == NOT_CLEAR else label_of(answer)
            for case in cases()
            for fact, answer in case.answers.items()
        }

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """The model's reply, if calls are left.

        Raises LLMError: no calls are left, or no verdict; and what the model client raises.
        """
        if self._stopped or not self._purse.left:
            raise self._stopped or UnusableReplyError("no more calls of the probe are paid for")
        budget = current_budget()
        budget.left = most = min(budget.left, self._purse.left, MOST_ALIKE - self._useless[1])
        self._calls += 1
        purpose = f"the probe of the model, call {self._calls}: how many facts it judges at once"
        paid, error = 1, None
        try:
            with waiting_for(purpose):
                reply = self._llm.call(prompt, schema, sample=sample, logprobs=logprobs)
            paid = 0 if reply.usage.cached_calls else 1
            error = _useless(reply, schema)
        except UnusableReplyError as useless:
            error = useless
        except LLMError:
            paid = 0
            raise
        finally:
            paid = max(paid, most - budget.left)
            self._purse.left -= paid
        self._note(error, paid)
        if error is not None:
            raise error
        self._form = reply.form
        return reply

    def _note(self, error: UnusableReplyError | None, paid: int) -> None:
        """Record a reply, and stop after too many that were useless in the same way."""
        if error is None:
            self._useless = ("", 0)
            return
        kind, times = self._useless
        self._useless = (error.reason, paid + (times if kind == error.reason else 0))
        if self._useless[1] >= MOST_ALIKE:
            spent = self._had - self._purse.left
            note = (
                f"the probe stopped after {spent} paid calls, the last {self._useless[1]} of them not usable"
            )
            self._stopped = UnusableReplyError(f"{note} ({error.reason}): {error}", reason=error.reason)

    def probe(self) -> Probe:
        """The largest call size that is nearly as accurate as single facts."""
        many, few = PROBE_SIZES
        whole = self._both_orders(many)
        if whole is not None and whole.right >= LEAST_RIGHT:
            return whole.model_copy(update={"facts_per_call": MOST_FACTS})
        alone: dict[str, Label] = {}
        for case in cases():
            alone |= self._labels(1, case.premise, case.facts)
        if not alone:
            raise UnusableReplyError(self._problem)
        if not self._purse.left and len(alone) < len(self._known):
            note = f"{MOST_PROBE_CALLS} paid calls gave verdicts on {len(alone)} of {len(self._known)} facts"
            raise UnusableReplyError(f"{note}: {self._problem}")
        one = self._probe_result(1, alone, changed=0)
        if whole is not None and whole.right >= one.right - FEWER_RIGHT:
            return whole
        four = self._both_orders(few)
        return four if four is not None and four.right >= one.right - FEWER_RIGHT else one

    def _both_orders(self, size: int) -> Probe | None:
        """Results with that many facts per call; None if too many verdicts change in reverse."""
        labels: dict[str, Label] = {}
        changed = 0
        for case in cases():
            for start in range(0, len(case.facts), size):
                facts = case.facts[start : start + size]
                forward = self._labels(size, case.premise, facts)
                backward = self._labels(size, case.premise, facts[::-1])
                labels |= forward
                changed += sum(f.id not in forward or forward[f.id] != backward.get(f.id) for f in facts)
                if changed > MOST_CHANGED:
                    return None
        return self._probe_result(size, labels, changed=changed)

    def _labels(self, size: int, premise: Premise, facts: Sequence[Claim]) -> dict[str, Label]:
        judge = LLMJudge(self, self._config.model_copy(update={"atoms_per_call": size}))
        judged = judge.judge(premise, facts)
        if self._stopped is not None:
            raise self._stopped
        if judged.failures:
            failure = judged.failures[0]
            self._problem = failure.message
            if failure.error_type in SERVERS_FAULT:
                raise SERVERS_FAULT[failure.error_type](failure.message, attempts=failure.attempts)
        return {verdict.target_id: verdict.label for verdict in judged.verdicts}

    def _probe_result(self, size: int, labels: Mapping[str, Label], *, changed: int) -> Probe:
        values = functions.inquiry(self._config.mode).values or ()
        return Probe(
            facts_per_call=size,
            form=self._form,
            right=self._right(labels),
            changed=changed,
            asked=len(self._known),
            chance=round(len(self._known) / len(values)),
            bundled=self._right(_bundled(known=set(self._known.values()))),
        )

    def _right(self, labels: Mapping[str, Label]) -> int:
        return sum(labels.get(fact) == label for fact, label in self._known.items())


def _useless(reply: Reply, schema: FunctionSchema) -> UnusableReplyError | None:
    """What is wrong with a reply without a verdict; None if it has one."""
    if reply.truncated:
        return UnusableReplyError("the token limit cut off the reply: see `max_tokens`", reason="cut")
    if any(schema.problem(name, reply.arguments) is None for name in schema.choices):
        return None
    return UnusableReplyError(f"the reply has no verdict, but: {safe_excerpt(reply.text)}")


def _bundled(known: Collection[Label | None]) -> dict[str, Label]:
    """The bundled judge's labels of the cases; neutral for other labels."""
    from factreasoner.judges.encoder.judge import VerifierJudge

    judge = VerifierJudge(EncoderSettings())
    verdicts = [v for case in cases() for v in judge.judge(case.premise, case.facts).verdicts]
    return {v.target_id: v.label if v.label in known else "neutral" for v in verdicts}


def cached_probe(config: JudgeSettings) -> Probe | None:
    """The cached result of an earlier probe; None without one."""
    if prober_of(config) is None or config.first_model is None or config.batch != "none":
        return None
    client = LiteLLMClient(config)
    client.close()
    return client.kept.known.probes.get(prompt_key(config))


def with_probed_size(config: C) -> C:
    """The settings with the probed number of atoms per call, if known."""
    found = cached_probe(config)
    return config if found is None else config.model_copy(update={"atoms_per_call": found.facts_per_call})
