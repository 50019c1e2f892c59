"""Verifies an answer, mends it, and verifies what was mended."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.errors import ConfigError
from factreasoner.llm.client import Panel
from factreasoner.llm.usage import Meter
from factreasoner.models import Claim, Failure, Record, StageError, Verdict
from factreasoner.pipeline.assembly import Assembly, alone
from factreasoner.plugins.kinds import ATOMIZER, REVISER
from factreasoner.protocols import LLM
from factreasoner.settings import Config
from factreasoner.tasks.claim_task import ClaimWorker, Work
from factreasoner.tasks.verify.citations import CitedText, Sentence
from factreasoner.tasks.verify.claims import ClaimFinder, Claims
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
from factreasoner.tasks.verify.editing import Edited
from factreasoner.tasks.verify.holding import Held, Holder, JudgeHolder, ModelHolder, PanelHolder
from factreasoner.tasks.verify.labelling import labelled
from factreasoner.tasks.verify.markers import is_author_year
from factreasoner.tasks.verify.result import (
    VerifiedClaim,
    VerifyResult,
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
        first = draft = Draft(text, claims, {place_of(s): place_of(s) for s in text.sentences})
        for number in range(1, self.config.rounds + 1):
            revised = self._corrected(draft, number, record, meter, log)
            if revised is None:
                break
            draft = revised
        changes = changes_of(record.response, draft, log.reasons)
        before = first.verified
        judged = [claim for claim in claims if claim.label is not None]
        fields = {
            "verified": before.model_copy(update={"claims": with_fates(claims, changes)}),
            "revised": draft.verified.model_copy(update={"claims": with_fates(draft.claims, ())}),
            "changes": changes,
            "contexts": record.contexts or (),
            "verdicts": tuple(log.verdicts),
        }
        own = [Claim(claim.id, claim.text) for claim in claims]
        return Work(fields, tuple(log.failures), len(judged), len(claims), own)

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
        held = Held()
        if asked:
            with meter.stage("evaluator"):
                held = self._holder.hold(asked, against, record)
        log.failures += held.failures
        log.verdicts += [holding.verdict for holding in held.holdings]
        return tuple(_decided(claim, held, text) for claim in claims)

    def _corrected(self, draft: Draft, number: int, record: Record, meter: Meter, log: _Log) -> Draft | None:
        """The draft after one round; None where nothing was changed."""
        failed = self._failed(draft, record)
        if not failed:
            return None
        with meter.stage("corrector"):
            correction = self._corrector.correct(failed, draft.text, record)
        log.failures += correction.failures
        edits = {
            place_of(one.sentence): _keeping_markers(one.sentence, after, draft.text)
            for n, one in enumerate(failed)
            if (after := correction.texts.get(n)) is not None
        }
        made = redrafted(draft.text, edits, record.contexts or (), record.id)
        if made is None:
            return None
        log.failures += made.failures
        if not made.done.edits:
            return None
        for one in failed:
            if made.done.moved(place_of(one.sentence)) is None:
                for root in draft.origins(one.sentence):
                    log.reasons.setdefault(root, []).extend(one.why)
        return self._verified_again(draft, made, number, record, meter, log)

    def _failed(self, draft: Draft, record: Record) -> list[FailedSentence]:
        """The sentences to be corrected; none where there is no source that one could be written from."""
        found: list[FailedSentence] = []
        if not record.contexts:
            return found
        for sentence in draft.text.sentences:
            own = [claim for claim in draft.claims if claim.sentence == place_of(sentence)]
            wrong = tuple(claim for claim in own if claim.label in self._corrector.labels)
            if wrong and not sentence.is_code:
                found.append(FailedSentence(sentence, wrong))
        return found

    def _verified_again(
        self, draft: Draft, made: Redrafted, number: int, record: Record, meter: Meter, log: _Log
    ) -> Draft:
        """The edited text: claims of sentences that stayed keep their verdicts, those of new ones are judged.

        A claim that stayed and lost a citation, because its paragraph's marker is gone, is judged anew too.
        """
        text, done = made.text, made.done
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
        return Draft(text, claims, draft.places_after(done))


def _holder(llm: LLM, config: Config) -> Holder:
    """What asks the model, or each of several."""
    if not isinstance(llm, Panel):
        return ModelHolder(llm, config)
    return PanelHolder({name: ModelHolder(one, alone(config, name)) for name, one in llm.members.items()})


def _decided(claim: VerifiedClaim, held: Held, text: CitedText) -> VerifiedClaim:
    if claim.sentence is None:
        return claim
    holdings = [holding for holding in held.holdings if holding.verdict.target_id == claim.id]
    if holdings or claim.id in held.failed:
        return labelled(claim, holdings, text, complete=claim.id not in held.failed)
    if claim.unknown:
        names = ", ".join(claim.unknown)
        said = f"No source is called {names}."
        if all(map(is_author_year, claim.unknown)):
            said = " ".join(_fit_of(name, text.fitting(name)) for name in claim.unknown)
        return claim.model_copy(update={"label": "unknown_source", "explanation": said})
    return claim.model_copy(update={"label": "uncited", "explanation": "It cites nothing."})


def _fit_of(label: str, fitting: Sequence[str]) -> str:
    """Why a label of author and year names no source."""
    if fitting:
        return f"Author and year of {label} fit several sources: {', '.join(fitting)}."
    return f"Author and year of {label} stand in no source's id, title or link."


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
