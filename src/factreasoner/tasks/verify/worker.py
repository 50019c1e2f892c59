"""Verifies an answer, mends it, and verifies what was mended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.assembly import Assembly, alone
from factreasoner.config import Config
from factreasoner.errors import ConfigError, StageError
from factreasoner.llm.panel import Panel
from factreasoner.llm.usage import Meter
from factreasoner.models import Claim, Failure, Record, Verdict
from factreasoner.plugins import ATOMIZER, REVISER
from factreasoner.protocols import LLM
from factreasoner.tasks.claim_task import ClaimWorker, Work
from factreasoner.tasks.verify.citations import CitedText, Sentence
from factreasoner.tasks.verify.claims import ClaimFinder, Claims, citations_of
from factreasoner.tasks.verify.correcting import Corrector, FailedSentence, ModelCorrector, Remover
from factreasoner.tasks.verify.editing import Edit, Edited, edited
from factreasoner.tasks.verify.holding import Held, Holder, JudgeHolder, ModelHolder
from factreasoner.tasks.verify.labelling import labelled
from factreasoner.tasks.verify.panel import PanelHolder
from factreasoner.tasks.verify.result import (
    FAILED,
    Change,
    Fate,
    VerifiedClaim,
    VerifiedText,
    VerifyResult,
)

Place = tuple[int, int]
"""(start, end) of a sentence."""


class _Draft(NamedTuple):
    """A text with its verified claims. `origin`: a sentence's span -> that of the answer's it stands for."""

    text: CitedText
    claims: tuple[VerifiedClaim, ...]
    origin: dict[Place, Place]

    @property
    def verified(self) -> VerifiedText:
        return VerifiedText(
            text=self.text.text,
            claims=self.claims,
            citations=citations_of(self.text, self.claims),
            notes=self.text.notes,
        )


class _Log:
    """What was judged and what went wrong over all rounds, and why sentences of the answer were changed."""

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []
        self.failures: list[Failure] = []
        self.reasons: dict[Place, list[str]] = {}


class VerifyWorker(ClaimWorker[VerifyResult]):
    """Holds claims against the sources they cite, then corrects the answer, `rounds` times at most."""

    result = VerifyResult

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        self._finder = ClaimFinder(assembly.made(ATOMIZER), assembly.made(REVISER))
        llm = self._llm if self.config.plugin("judge") == "llm" else None
        if llm is not None and self.config.calibration is not None:
            raise ConfigError("calibration: verify does not apply one to a model's verdicts; leave it out")
        self._holder: Holder = _holder(llm, self.config) if llm else JudgeHolder(self._judge)
        self._corrector: Corrector = ModelCorrector(self._llm, self.config) if self._llm else Remover()

    def _work(self, record: Record, meter: Meter) -> Work:
        log = _Log()
        text = CitedText(record.response, record.contexts or ())
        found = self._finder.claims(text, record, meter)
        log.failures += found.failures
        claims = self._judged(found.claims, text, record, meter, log)
        first = draft = _Draft(text, claims, {_place(s): _place(s) for s in text.sentences})
        for number in range(1, self.config.rounds + 1):
            revised = self._corrected(draft, number, record, meter, log)
            if revised is None:
                break
            draft = revised
        changes = _changes(record.response, draft, log)
        before = first.verified
        judged = [claim for claim in claims if claim.label is not None]
        fields = {
            "verified": before.model_copy(update={"claims": _with_fates(claims, changes)}),
            "revised": draft.verified.model_copy(update={"claims": _with_fates(draft.claims, ())}),
            "changes": changes,
            "contexts": record.contexts or (),
            "verdicts": tuple(log.verdicts),
        }
        return Work(fields, tuple(log.failures), len(judged), len(claims))

    def _judged(
        self, claims: Sequence[VerifiedClaim], text: CitedText, record: Record, meter: Meter, log: _Log
    ) -> tuple[VerifiedClaim, ...]:
        """The claims with labels, where judging them did not fail."""
        every = tuple(context.id for context in record.contexts or ())
        against: dict[str, tuple[str, ...]] = {}
        for claim in claims:
            if claim.sentence is not None and not claim.unknown and not claim.cited:
                against[claim.id] = every if self.config.uncited == "check" else ()
            elif claim.sentence is not None:
                against[claim.id] = claim.cited
        asked = [Claim(claim.id, claim.text) for claim in claims if against.get(claim.id)]
        held = Held({}, (), frozenset())
        if asked:
            with meter.stage("evaluator"):
                held = self._holder.hold(asked, against, record)
        log.failures += held.failures
        log.verdicts += [h.verdict for holdings in held.holdings.values() for h in holdings]
        return tuple(_decided(claim, held, text) for claim in claims)

    def _corrected(
        self, draft: _Draft, number: int, record: Record, meter: Meter, log: _Log
    ) -> _Draft | None:
        """The draft after one round; None where nothing was changed."""
        failed = self._failed(draft)
        if not failed:
            return None
        with meter.stage("corrector"):
            correction = self._corrector.correct(failed, draft.text, record)
        log.failures += correction.failures
        edits = {
            _place(one.sentence): (one, _keeping_markers(one.sentence, after, draft.text))
            for n, one in enumerate(failed)
            if (after := correction.texts.get(n)) is not None
        }
        if not edits:
            return None
        done = edited(draft.text.text, [Edit(*span, after) for span, (_, after) in edits.items()])
        for place, (one, _) in edits.items():
            log.reasons.setdefault(draft.origin[place], []).extend(one.why)
        return self._verified_again(draft, done, number, record, meter, log)

    def _failed(self, draft: _Draft) -> list[FailedSentence]:
        found = []
        for sentence in draft.text.sentences:
            own = [claim for claim in draft.claims if claim.sentence == _place(sentence)]
            wrong = tuple(claim for claim in own if claim.label in self._corrector.labels)
            if wrong and not sentence.is_code:
                found.append(FailedSentence(sentence, wrong))
        return found

    def _verified_again(
        self, draft: _Draft, done: Edited, number: int, record: Record, meter: Meter, log: _Log
    ) -> _Draft:
        """The edited text: claims of sentences that stayed keep their verdicts, those of new ones are judged.

        A claim that stayed and lost a citation, because its paragraph's marker is gone, is judged anew too.
        """
        text = CitedText(done.text, record.contexts or ())
        stayed: list[VerifiedClaim] = []
        again: list[VerifiedClaim] = []
        for claim in draft.claims:
            now = done.moved(claim.sentence) if claim.sentence else None
            if claim.sentence is None:
                stayed.append(claim)
            elif now is not None and claim.span is not None:
                moved = _at(claim, done.moved(claim.span), text)
                (stayed if moved.cited == claim.cited and moved.unknown == claim.unknown else again).append(
                    moved
                )
        if new := _new_sentences(done, text):
            try:
                found = self._finder.claims_of(new, text, record, meter)
            except StageError as error:
                found = Claims((), tuple(error.failures))
            log.failures += found.failures
            again += [c.model_copy(update={"id": f"r{number}_{c.id}"}) for c in found.claims]
        asked = record.model_copy(update={"response": done.text})
        claims = (*stayed, *self._judged(again, text, asked, meter, log))
        claims = tuple(sorted(claims, key=lambda claim: claim.span or (0, 0)))
        return _Draft(text, claims, _origin(draft, done, text))


def _holder(llm: LLM, config: Config) -> Holder:
    """What asks the model, or each of several."""
    if not isinstance(llm, Panel):
        return ModelHolder(llm, config)
    return PanelHolder({name: ModelHolder(one, alone(config, name)) for name, one in llm.members.items()})


def _decided(claim: VerifiedClaim, held: Held, text: CitedText) -> VerifiedClaim:
    if claim.sentence is None:
        return claim
    if claim.id in held.holdings or claim.id in held.failed:
        holdings = held.holdings.get(claim.id, ())
        return labelled(claim, holdings, text, complete=claim.id not in held.failed)
    if claim.unknown:
        names = ", ".join(claim.unknown)
        return claim.model_copy(
            update={"label": "unknown_source", "explanation": f"No source is called {names}."}
        )
    return claim.model_copy(update={"label": "uncited", "explanation": "It cites nothing."})


def _keeping_markers(sentence: Sentence, after: str, text: CitedText) -> str:
    """The new text with the markers that others of its paragraph rest on, where it has none itself."""
    heirs = [s for s in text.sentences if s.block == sentence.block and s.by == "paragraph"]
    if not heirs or sentence.by != "sentence" or not sentence.cited or _cites(after, text):
        return after
    markers = "".join(text.text[m.start : m.end] for m in sentence.markers if m.sources and not m.unknown)
    return f"{after} {markers}".strip()


def _cites(after: str, text: CitedText) -> bool:
    return any(sentence.cited for sentence in text.like(after).sentences)


def _at(claim: VerifiedClaim, span: tuple[int, int] | None, text: CitedText) -> VerifiedClaim:
    """A claim of a sentence that stayed, at its place in the new text."""
    sentence = text.sentence_at(span) if span is not None else None
    if span is None or sentence is None:
        return claim.model_copy(update={"span": None, "sentence": None})
    place = {"span": span, "sentence": (sentence.start, sentence.end)}
    cites = {"cited": sentence.cited, "unknown": sentence.unknown, "by": sentence.by}
    return claim.model_copy(update={**place, **cites})


def _new_sentences(done: Edited, text: CitedText) -> list[Sentence]:
    """The sentences whose words edits put in."""
    places = [place for _, place in done.placed()]
    return [s for s in text.sentences if any(a <= s.words.start and s.words.end <= b for a, b in places)]


def _origin(draft: _Draft, done: Edited, text: CitedText) -> dict[Place, Place]:
    """Of each sentence of an edited text, the answer's sentence that most of it stands for."""
    parts = [(now, root) for old, root in draft.origin.items() if (now := done.moved(old)) is not None]
    for edit, place in done.placed():
        parts += [(place, root) for old, root in draft.origin.items() if old == (edit.start, edit.end)]

    def shared(part: tuple[Place, Place], sentence: Sentence) -> int:
        return min(part[0][1], sentence.end) - max(part[0][0], sentence.start)

    return {_place(s): max(parts, key=lambda part: shared(part, s))[1] for s in text.sentences}


def _place(sentence: Sentence) -> Place:
    return sentence.start, sentence.end


def _changes(answer: str, draft: _Draft, log: _Log) -> tuple[Change, ...]:
    """What sentences of the answer became in the last draft."""
    found = []
    for start, end in sorted(log.reasons):
        now = [place for place, root in draft.origin.items() if root == (start, end)]
        after = draft.text.text[now[0][0] : now[-1][1]] if now else ""
        why = tuple(dict.fromkeys(log.reasons[start, end]))
        found.append(Change(before=answer[start:end], after=after, why=why, span=(start, end)))
    return tuple(found)


def _with_fates(claims: Sequence[VerifiedClaim], changes: Sequence[Change]) -> tuple[VerifiedClaim, ...]:
    """The claims with what became of them."""
    changed = {change.span: change for change in changes}
    found = []
    for claim in claims:
        change = changed.get(claim.sentence) if claim.sentence else None
        fate: Fate = "kept"
        if change is not None:
            fate = "rewritten" if change.after else "removed"
        elif claim.label in FAILED or claim.label in (None, "uncited"):
            fate = "flagged"
        found.append(claim.model_copy(update={"fate": fate}))
    return tuple(found)
