"""Make the claims of answer and reference, and judge them on the contexts and each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from factreasoner.assessors.judging import Task, in_calls, judge_all, judging_threads, pieces, premises
from factreasoner.atoms.extraction import account_for, make_atoms
from factreasoner.atoms.rules import reference_record
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import Meter
from factreasoner.errors import ConfigError
from factreasoner.models import Atom, Claim, Context, Failure, Premise, Record, StageError, Verdict
from factreasoner.models.rows import ANSWER, CONTEXTS, REFERENCE, grouped, known_verdict
from factreasoner.models.verdicts import decision
from factreasoner.pipeline.assembly import Assembly
from factreasoner.plugins.kinds import ATOMIZER, REVISER
from factreasoner.protocols import Judged, asks_model
from factreasoner.tasks.rag.table import RagResult
from factreasoner.tasks.task import ClaimWorker, Work, numbered
from factreasoner.text.reasoning import without_reasoning

WINDOW_TOKENS = 16_000
"""Maximum passage tokens per call; longer texts are judged in pieces."""


class MadeClaims(NamedTuple):
    """Claims of one text, None without a text or if making them failed; and failures."""

    claims: tuple[Atom, ...] | None
    failures: tuple[Failure, ...] = ()


def premises_together(contexts: Sequence[Context], record_id: str, tokens: int) -> list[Premise]:
    """The contexts in order, in the fewest premises of at most `tokens` tokens each.

    One premise is named `contexts`, several are `contexts:1`, `contexts:2` and so on.
    """
    groups = in_calls(contexts, tokens)
    names = [CONTEXTS] if len(groups) == 1 else [f"{CONTEXTS}:{n}" for n in range(1, len(groups) + 1)]
    return [
        Premise(name, "\n\n".join(part.text for part in group), record_id=record_id, parts=tuple(group))
        for name, group in zip(names, groups, strict=True)
    ]


def merged(verdicts: Sequence[Verdict], pieces_asked: int) -> Verdict | None:
    """One verdict on a claim from those on the pieces of a text; None if missing ones leave it open.

    A supporting piece decides, else a contradicting one. If all are neutral, so is the verdict, with the
    smallest of their probabilities.
    """
    for label in ("entailment", "contradiction"):
        found = decision(verdict for verdict in verdicts if verdict.label == label).verdict
        if found and (label == "entailment" or len(verdicts) == pieces_asked):
            return found
    if not verdicts or len(verdicts) < pieces_asked:
        return None
    return min(verdicts, key=lambda verdict: verdict.probability)


class RagWorker(ClaimWorker[RagResult]):
    """Judges all claims on the contexts, the answer's on the reference, and the reverse.

    Both lists of claims share a call on a context. Claims of the answer that no single context supports are
    judged again on all contexts together; with `premise` "joint", only so.

    Raises ConfigError: `premise` is "joint", and the judge reads one context at a time.
    """

    result = RagResult

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        self._atomizer, self._reviser = assembly.made(ATOMIZER), assembly.made(REVISER)
        replays = self.config.part("judge").replays
        self._asks = asks_model(self._judge)
        self._joint = self.config.premise == "joint"
        self._looks_twice = not self._joint and (self._asks or replays)
        if self._joint and not self._asks and not replays:
            raise ConfigError(
                f"premise: 'joint' needs a model; judge {self.config.plugin('judge')!r} reads one context at "
                "a time. Remove it"
            )

    def _work(self, record: Record, meter: Meter) -> Work:
        makers = (self._of_answer, self._of_reference)
        at_once = min(2, self.config.concurrency)
        words, wanted = parallel_map(lambda make: make(record, meter), makers, workers=at_once)
        answer_claims, reference_claims = _as_claims(words.claims), _as_claims(wanted.claims)
        contexts = record.contexts or ()
        together = premises_together(contexts, record.id, WINDOW_TOKENS)
        with meter.stage("evaluator"):
            judged = self._judged([*self._tasks(record, together, answer_claims, reference_claims)])
            again = None
            if self._looks_twice and len(contexts) > 1:
                again = self._second_look(together, answer_claims, judged)
        if again is not None:
            judged = Judged(judged.verdicts + again.verdicts, judged.failures + again.failures)
        failures = (*words.failures, *wanted.failures, *judged.failures)
        fields = {
            "claims": words.claims,
            "reference_claims": wanted.claims,
            "contexts": record.contexts,
            "gold_contexts": record.gold_contexts,
            "reference": record.reference,
            "joint": self._joint,
            "together": {
                premise.id: tuple(dict.fromkeys(part.id for part in premise.parts))
                for premise in (together if again is not None or self._joint else ())
            },
            "verdicts": judged.verdicts,
        }
        asked = len(answer_claims) + len(reference_claims)
        judged_claims = len({verdict.target_id for verdict in judged.verdicts})
        nothing_to_ask = not judged.verdicts and not failures  # no context retrieved, and no reference
        return Work(fields, failures, asked if nothing_to_ask else judged_claims, asked, answer_claims)

    def _of_answer(self, record: Record, meter: Meter) -> MadeClaims:
        """The record's atoms, or claims made from its response."""
        if record.atoms is not None:
            return MadeClaims(record.atoms)
        return self._make_claims(record, "a", record, meter)

    def _of_reference(self, record: Record, meter: Meter) -> MadeClaims:
        """The record's reference atoms, or claims made from its reference."""
        if record.reference_atoms is not None:
            return MadeClaims(record.reference_atoms)
        if not (record.reference or "").strip():
            return MadeClaims(None)
        return self._make_claims(reference_record(record), "r", record, meter)

    def _make_claims(self, of: Record, letter: str, record: Record, meter: Meter) -> MadeClaims:
        try:
            made = make_atoms(of, self._atomizer, self._reviser, meter)
        except StageError as error:
            return MadeClaims(None, tuple(error.failures))
        return MadeClaims(numbered(made.atoms, letter, record), made.failures)

    def _accounted(self, result: RagResult, record: Record) -> RagResult:
        """See `ClaimWorker`."""
        if record.atoms is not None:
            return super()._accounted(result, record)
        claims, message = account_for(record, result.claims or ())
        return result.model_copy(update=message | ({"claims": claims} if result.claims is not None else {}))

    def _second_look(
        self, together: Sequence[Premise], claims: Sequence[Claim], found: Judged
    ) -> Judged | None:
        """Verdicts of all contexts together on the claims without support so far.

        None if a recorded run had no second look.
        """
        supported = {v.target_id for v in found.verdicts if v.context_id != REFERENCE and v.supports}
        left = [claim for claim in claims if claim.id not in supported]
        judged = self._judged([(premise, left) for premise in together if left])
        return judged if self._asks or judged.verdicts else None

    def _tasks(
        self, record: Record, together: Sequence[Premise], words: Sequence[Claim], wanted: Sequence[Claim]
    ) -> Iterator[Task]:
        """Contexts with both lists of claims; reference and answer with those of the other.

        A local judge gets one list at a time: its verdict may depend on the other claims.
        """
        premise_of = premises(record.contexts or (), record.id)
        for claims in filter(None, [[*words, *wanted]] if self._asks else [words, wanted]):
            if self._joint:
                yield from ((premise, list(claims)) for premise in together)
                continue
            for context in record.contexts or ():
                yield from self._in_pieces(premise_of(context.id), claims)
        text = Premise(ANSWER, without_reasoning(record.response), title=record.prompt, record_id=record.id)
        reference = (record.reference or "").strip()
        if words and reference:
            of_reference = text._replace(id=REFERENCE, text=reference)
            yield from self._in_pieces(of_reference, words)
        if wanted:
            yield from self._in_pieces(text, wanted)

    def _in_pieces(self, premise: Premise, claims: Sequence[Claim]) -> Iterator[Task]:
        """The premise, or pieces of it if one call can't show it all."""
        context = Context(id=premise.id, text=premise.text)
        cut = pieces(context, WINDOW_TOKENS) if self._asks else [context]
        for piece in cut:
            yield premise._replace(text=piece.text), list(claims)

    def _judged(self, tasks: Sequence[Task]) -> Judged:
        """One verdict for each pair, except after failures."""
        asked = [task for task in tasks if task[0].text.strip()]
        judged = judge_all(self._judge, asked, workers=judging_threads(self._judge, self.config))
        times = Counter((premise.id, claim.id) for premise, claims in asked for claim in claims)
        found = grouped(judged.verdicts, attrgetter("pair"))
        decided = (merged(of_pieces, times[pair]) for pair, of_pieces in found.items())
        note = "the text is empty"
        empty = ((premise.id, claims) for premise, claims in tasks if not premise.text.strip())
        known = (known_verdict(i, claim.id, "neutral", note) for i, claims in empty for claim in claims)
        return Judged((*filter(None, decided), *known), judged.failures)


def _as_claims(claims: Sequence[Atom] | None) -> list[Claim]:
    return [Claim(claim.id, claim.text) for claim in claims or ()]
