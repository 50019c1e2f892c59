"""Verifies an answer, mends it, and verifies what was mended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.llm.client import Panel
from factreasoner.llm.usage import Meter
from factreasoner.models import Claim, Failure, Record, StageError, Verdict
from factreasoner.pipeline.assembly import Assembly, alone
from factreasoner.plugins.kinds import ATOMIZER, REVISER
from factreasoner.protocols import LLM
from factreasoner.settings import Config
from factreasoner.tasks.task import ClaimWorker, Work
from factreasoner.tasks.verify.citations import CitedText, Sentence
from factreasoner.tasks.verify.claims import ClaimFinder, Claims, at_place
from factreasoner.tasks.verify.correcting import Corrector, FailedSentence, ModelCorrector, Remover
from factreasoner.tasks.verify.drafts import (
    Draft,
    Place,
    Redrafted,
    changes_of,
    place_of,
    redrafted,
    with_fates,
)
from factreasoner.tasks.verify.holding import Held, Holder, JudgeHolder, ModelHolder, PanelHolder
from factreasoner.tasks.verify.labelling import labelled
from factreasoner.tasks.verify.markers import is_author_year
from factreasoner.tasks.verify.result import VerifiedClaim, VerifyResult


class _Parts(NamedTuple):
    finder: ClaimFinder
    holder: Holder
    corrector: Corrector
    config: Config


class VerifyWorker(ClaimWorker[VerifyResult]):
    """Holds claims against the sources they cite, then corrects the answer, `rounds` times at most."""

    result = VerifyResult

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        llm = self._llm if self.config.plugin("judge") == "llm" else None
        if llm is not None and self.config.calibration is not None:
            raise ConfigError("calibration: verify does not apply one to a model's verdicts; leave it out")
        self._parts = _Parts(
            ClaimFinder(assembly.made(ATOMIZER), assembly.made(REVISER)),
            _holder(llm, self.config) if llm else JudgeHolder(self._judge),
            ModelCorrector(self._llm, self.config) if self._llm else Remover(),
            self.config,
        )

    def _work(self, record: Record, meter: Meter) -> Work:
        return _Verification(self._parts, record, meter).work()


def _holder(llm: LLM, config: Config) -> Holder:
    """What asks the model, or each of several."""
    if not isinstance(llm, Panel):
        return ModelHolder(llm, config)
    return PanelHolder({name: ModelHolder(one, alone(config, name)) for name, one in llm.members.items()})


class _Verification:
    """The work on one record: what was judged, what went wrong, and why sentences were changed."""

    def __init__(self, parts: _Parts, record: Record, meter: Meter) -> None:
        self._finder, self._holder, self._corrector, self._config = parts
        self._record = record
        self._contexts = record.contexts or ()
        self._meter = meter
        self._verdicts: list[Verdict] = []
        self._failures: list[Failure] = []
        self._reasons: dict[Place, list[str]] = {}

    def work(self) -> Work:
        """The answer verified, corrected and verified again."""
        text = CitedText(self._record.response, self._contexts)
        claims = self._judged(self._listed(self._finder.claims(text, self._record, self._meter)), text)
        first = draft = Draft(text, claims, {place_of(s): place_of(s) for s in text.sentences})
        for number in range(1, self._config.rounds + 1):
            revised = self._corrected(draft, number)
            if revised is None:
                break
            draft = revised
        changes = changes_of(text.text, draft, self._reasons)
        fields = {
            "verified": first.verified.model_copy(update={"claims": with_fates(claims, changes)}),
            "revised": draft.verified.model_copy(update={"claims": with_fates(draft.claims, ())}),
            "changes": changes,
            "contexts": self._contexts,
            "verdicts": tuple(self._verdicts),
        }
        judged = sum(claim.label is not None for claim in claims)
        return Work(fields, tuple(self._failures), judged, len(claims), [Claim(c.id, c.text) for c in claims])

    def _listed(self, found: Claims) -> tuple[VerifiedClaim, ...]:
        self._failures += found.failures
        return found.claims

    def _judged(self, claims: Iterable[VerifiedClaim], text: CitedText) -> tuple[VerifiedClaim, ...]:
        """The claims with labels, where judging them did not fail."""
        claims = tuple(claims)
        every = tuple(context.id for context in self._contexts) if self._config.uncited == "check" else ()
        against = {c.id: c.cited if c.cited or c.unknown else every for c in claims if c.sentence is not None}
        asked = [Claim(claim.id, claim.text) for claim in claims if against.get(claim.id)]
        held = Held()
        if asked:
            with self._meter.stage("evaluator"):
                record = self._record.model_copy(update={"response": text.text})
                held = self._holder.hold(asked, against, record)
        self._failures += held.failures
        self._verdicts += [holding.verdict for holding in held.holdings]
        decided = tuple(_decided(claim, held, text) for claim in claims)
        self._failures += [_not_compared(c) for c in decided if c.label is None and c.explanation]
        return decided

    def _corrected(self, draft: Draft, number: int) -> Draft | None:
        """The draft after one round; None where nothing was changed."""
        failed = self._failed(draft)
        if not failed:
            return None
        with self._meter.stage("corrector"):
            corrected = self._corrector.correct(failed, draft.text, self._record)
        self._failures += [after for after in corrected if isinstance(after, Failure)]
        edits = {
            place_of(one.sentence): _keeping_markers(one.sentence, after, draft.text)
            for one, after in zip(failed, corrected, strict=True)
            if isinstance(after, str)
        }
        made = redrafted(draft.text, edits, self._record.id)
        self._failures += made.failures
        if not made.done.edits:
            return None
        for one in failed:
            if made.done.moved(place_of(one.sentence)) is None:
                for root in draft.origins(one.sentence):
                    self._reasons.setdefault(root, []).extend(one.why)
        return self._verified_again(draft, made, number)

    def _failed(self, draft: Draft) -> list[FailedSentence]:
        """The sentences to be corrected; none where there is no source that one could be written from."""
        wrong: dict[Place | None, list[VerifiedClaim]] = {}
        for claim in draft.claims if self._contexts else ():
            if claim.label in self._corrector.labels:
                wrong.setdefault(claim.sentence, []).append(claim)
        return [
            FailedSentence(sentence, tuple(wrong[place_of(sentence)]))
            for sentence in draft.text.sentences
            if place_of(sentence) in wrong and not sentence.is_code
        ]

    def _verified_again(self, draft: Draft, made: Redrafted, number: int) -> Draft:
        """The edited text: claims of sentences that stayed keep their verdicts, those of new ones are judged.

        A claim that stayed and lost a citation, because its paragraph's marker is gone, is judged anew too.
        """
        text, done = made.text, made.done
        stayed: list[VerifiedClaim] = []
        again: list[VerifiedClaim] = []
        for claim in draft.claims:
            if claim.sentence is None or claim.span is None:
                stayed.append(claim)
            elif done.moved(claim.sentence) is not None:
                moved = at_place(claim, done.moved(claim.span), text)
                same = (moved.cited, moved.unknown) == (claim.cited, claim.unknown)
                (stayed if same else again).append(moved)
        if new := _new_sentences(made):
            try:
                found = self._finder.claims_of(new, text, self._record, self._meter)
            except StageError as error:
                found = Claims((), tuple(error.failures))
            again += [c.model_copy(update={"id": f"r{number}_{c.id}"}) for c in self._listed(found)]
        claims = sorted((*stayed, *self._judged(again, text)), key=lambda claim: claim.span or (0, 0))
        return Draft(text, tuple(claims), draft.places_after(done))


def _decided(claim: VerifiedClaim, held: Held, text: CitedText) -> VerifiedClaim:
    if claim.sentence is None:
        return claim
    holdings = [holding for holding in held.holdings if holding.verdict.target_id == claim.id]
    if holdings or claim.id in held.failed:
        return labelled(claim, holdings, text, complete=claim.id not in held.failed)
    if claim.unknown:
        said = f"No source is called {', '.join(claim.unknown)}."
        if all(map(is_author_year, claim.unknown)):
            said = " ".join(_fit_of(name, text.fitting(name)) for name in claim.unknown)
        return claim.model_copy(update={"label": "unknown_source", "explanation": said})
    return claim.model_copy(update={"label": "uncited", "explanation": "It cites nothing."})


def _not_compared(claim: VerifiedClaim) -> Failure:
    """Why a claim has no label although its sources were judged."""
    message = f"{claim.explanation} A model can judge it: --model NAME"
    return Failure(stage="evaluator", item_id=claim.id, error_type="NotComparedError", message=message)


def _fit_of(label: str, fitting: Sequence[str]) -> str:
    """Why a label of author and year names no source."""
    if fitting:
        return f"Author and year of {label} fit several sources: {', '.join(fitting)}."
    return f"Author and year of {label} stand in no source's id, title or link."


def _keeping_markers(sentence: Sentence, after: str, text: CitedText) -> str:
    """The new text with the markers that others of its paragraph rest on, where it has none itself."""
    heirs = [s for s in text.sentences if s.block == sentence.block and s.by == "paragraph"]
    cites = any(new.cited for new in text.like(after).sentences)
    if not heirs or cites or sentence.by != "sentence" or not sentence.cited:
        return after
    markers = "".join(text.text[m.start : m.end] for m in sentence.markers if m.sources and not m.unknown)
    return f"{after} {markers}".strip()


def _new_sentences(made: Redrafted) -> list[Sentence]:
    """The sentences whose words edits put in."""
    places = [place for _, place in made.done.placed()]
    sentences = made.text.sentences
    return [s for s in sentences if any(a <= s.words.start and s.words.end <= b for a, b in places)]
