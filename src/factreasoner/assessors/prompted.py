"""FactScore, VeriScore, FactVerify and the plain prompt: one class, one row of `ASSESSORS` each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from factreasoner import prompts
from factreasoner.assessors.assessors import ASSESSORS, LABEL_OF, SUPPORT_OF, Assessor
from factreasoner.assessors.judging import judged_outcome, judging_threads, tasks
from factreasoner.assessors.settings import AssessorSettings
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import estimate_tokens
from factreasoner.errors import ConfigError
from factreasoner.graph.pairs import ContextPairs, merge_equal, pairs, relevant
from factreasoner.judges.asking import Asker, ClaimQuestion, JudgedClaims
from factreasoner.models import Atom, AtomAnswer, Claim, Context, Outcome, Record, Support, Verdict
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.models.rows import by_claim
from factreasoner.models.verdicts import decision
from factreasoner.protocols import LLM, Judge

STAGE = "assessor"
TOPIC_UNKNOWN = "(none named)"
PASSAGE_TOKENS = 16_000
"""Maximum tokens of passages in a batched call, unless a single atom has more."""


class PromptedEvaluator:
    """Labels every atom in view of the contexts that were retrieved for it.

    An atom is shown its own contexts and those that belong to no atom; without any it stays unverified at
    0.5. If the judge is a model, the assessor's prompt is used with `atoms_per_call` atoms per call; 1 is as
    published. With any other judge, the most probable verdict that is not neutral decides; equally probable
    opposite verdicts cancel out (in veriscore, opposite verdicts always do). Without such a verdict, the most
    probable neutral one counts.

    P(atom is true) follows from the answer and its probability p, raised to at least 0.5: p if supporting, 1
    - p if contradicting, else 0.5. Opposite verdicts that cancel out leave the atom conflicting.

    Raises ConfigError: unknown assessor, one that needs a model and has none, or an unusable setting.
    """

    def __init__(self, judge: Judge, llm: LLM | None = None, config: AssessorSettings | None = None) -> None:
        self._config = config or AssessorSettings()
        self._judge = judge
        if self._config.assessor not in ASSESSORS:
            raise ConfigError(f"assessor: {self._config.assessor!r} is not one of {', '.join(ASSESSORS)}")
        self._row = ASSESSORS[self._config.assessor]
        self._template = prompts.load(self._row.prompt)
        self._inquiry = self._row.inquiry(verbal=self._config.confidence == "verbal")
        self._asker: Asker | None = None
        if llm is not None and self._config.part("judge").prompts:
            self._asker = Asker(llm, self._config, tokens_per_claim=self._inquiry.tokens_per_claim)
        if self._row.in_words and self._asker is None:
            raise ConfigError(
                f"assessor: {self._config.assessor} reads a model's words and can't use another judge's "
                "verdicts: add `model=NAME`, without `judge`"
            )
        if self._row.in_words and self._config.confidence == "logprobs":
            raise ConfigError(
                f"confidence: {self._config.assessor} answers as text, without log-probabilities; use auto"
            )

    def evaluate(self, atoms: Sequence[Atom], contexts: Sequence[Context], record: Record) -> Outcome:
        """Label every atom.

        An unanswered atom is left out of `p_true` and listed in `unjudged`.

        Raises ConfigError, BudgetError: from the model client.
        """
        contexts, work = self._planned(atoms, contexts)
        if self._asker is None:
            asked = tasks(work, atoms, contexts, record.id)
            threads = judging_threads(self._judge, self._config)
            outcome = judged_outcome(self._judge, asked, atoms, work, workers=threads)
        else:
            outcome = self._by_model(self._asker, self._chunks(self._asker, atoms, contexts, work), record)
        return concluded(outcome, atoms, self._row)

    def _planned(
        self, atoms: Sequence[Atom], contexts: Sequence[Context]
    ) -> tuple[Sequence[Context], Sequence[ContextPairs]]:
        """The contexts, merged as for the graph, and the atoms that each is shown for."""
        everyone = tuple(atom.id for atom in atoms)
        contexts = [
            c if c.atom_ids else c.model_copy(update={"atom_ids": everyone}) for c in relevant(contexts)
        ]
        if self._config.version > 1:
            contexts = list(merge_equal(contexts))
        return contexts, pairs(1, atoms, contexts)

    def _by_model(self, asker: Asker, chunks: Sequence[_AtomGroup], record: Record) -> Outcome:
        def ask(chunk: _AtomGroup) -> JudgedClaims:
            question = ClaimQuestion(
                stage=STAGE,
                request=lambda claims: self._request(chunk, claims, record),
                label_of=self._row.label_of,
                item=lambda atom_id: atom_id,
            )
            return asker.ask(question, chunk.claims)

        parts = parallel_map(ask, chunks, workers=self._config.concurrency)
        failures = {atom_id: failure for part in parts for atom_id, failure in part.failures.items()}
        answers = (
            AtomAnswer(
                atom_id=atom_id,
                support=self._row.support_of(finding.label),
                probability=finding.probability,
                confidence=finding.confidence,
                reasoning=finding.reasoning,
            )
            for part in parts
            for atom_id, finding in part.found.items()
        )
        return Outcome(
            p_true={},
            support={},
            unjudged=tuple(failures),
            answers=tuple(answers),
            failures=tuple(failures.values()),
        )

    def _chunks(
        self, asker: Asker, atoms: Sequence[Atom], contexts: Sequence[Context], work: Sequence[ContextPairs]
    ) -> list[_AtomGroup]:
        """The atoms and passages of each call; atoms without contexts are in none."""
        shown: dict[str, set[str]] = {}
        for item in work:
            for atom_id in item.atom_ids:
                shown.setdefault(atom_id, set()).add(item.context_id)
        tokens = {context.id: estimate_tokens(context.text) for context in contexts}
        size = asker.claims_per_call
        chunks: list[tuple[list[Claim], set[str]]] = []
        for atom in atoms:
            if atom.id not in shown:
                continue
            claims, ids = chunks[-1] if chunks else ([], set())
            if 0 < len(claims) < size and sum(tokens[i] for i in ids | shown[atom.id]) <= PASSAGE_TOKENS:
                claims.append(Claim(atom.id, atom.text))
                ids |= shown[atom.id]
            else:
                chunks.append(([Claim(atom.id, atom.text)], set(shown[atom.id])))
        return [_AtomGroup(claims, [c for c in contexts if c.id in ids]) for claims, ids in chunks]

    def _request(
        self, chunk: _AtomGroup, claims: Sequence[Claim], record: Record
    ) -> tuple[Prompt, FunctionSchema]:
        topic = prompts.delimit(record.topic, "topic") if record.topic else TOPIC_UNKNOWN
        prompt = self._prompt(topic, chunk.contexts)
        one = len(claims) == 1 and self._inquiry.one_word
        return prompt.model_copy(update={"examples": self._examples[one]}), self._inquiry.build(claims)

    def _prompt(self, topic: str, contexts: Sequence[Context]) -> Prompt:
        passages = [self._row.show(number, context) for number, context in enumerate(contexts, start=1)]
        values: Mapping[str, str] = {"topic": topic, "passages": "\n\n".join(passages)}
        return self._template.fill(**{name: values[name] for name in self._template.placeholders})

    @cached_property
    def _examples(self) -> dict[bool, tuple[Example, ...]]:
        """The examples for calls about one atom, and about several."""

        def user(texts: Sequence[str], _: Sequence[str]) -> str:
            return self._prompt(
                TOPIC_UNKNOWN, [Context(id=f"c{n}", text=t) for n, t in enumerate(texts)]
            ).user

        return {
            one: self._inquiry.examples(one=one, user=user, words=self._row.answer_words)
            for one in (True, False)
        }


def concluded(outcome: Outcome, atoms: Sequence[Atom], row: Assessor) -> Outcome:
    """The outcome with posteriors and labels from its answers and verdicts."""
    labelled = {answer.atom_id: _answered(answer, row) for answer in outcome.answers}
    labelled |= {atom_id: _decided(verdicts, row) for atom_id, verdicts in by_claim(outcome.verdicts).items()}
    rest = [atom.id for atom in atoms if atom.id not in outcome.unjudged]
    found = {atom_id: labelled.get(atom_id, ("unverified", 0.5)) for atom_id in rest}
    return outcome.model_copy(
        update={
            "p_true": {atom_id: p_true for atom_id, (_, p_true) in found.items()},
            "support": {atom_id: support for atom_id, (support, _) in found.items()},
        }
    )


def _answered(answer: AtomAnswer, row: Assessor) -> tuple[Support, float]:
    label = LABEL_OF[answer.support]
    support = row.support_of(label) if answer.probability > 0.5 else "unverified"
    return support, row.p_true(label, answer.probability)


def _decided(verdicts: Sequence[Verdict], row: Assessor) -> tuple[Support, float]:
    """The label and P(true) of one atom from its verdicts."""
    found = decision(verdicts, unanimous=row.unanimous)
    if found.split:
        return "conflicting", 0.5
    best = found.verdict or max(verdicts, key=lambda verdict: verdict.probability)
    support = SUPPORT_OF[best.label] if found.verdict else "unverified"
    return support, row.p_true(best.label, best.probability)


class _AtomGroup(NamedTuple):
    """Atoms of one call, and the passages shown with them."""

    claims: list[Claim]
    contexts: list[Context]
