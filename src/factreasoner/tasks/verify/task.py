"""`verify`: does each cited source support its claims? With a corrected answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Unpack

from factreasoner.atoms.extraction import ATOM_PROMPTS, account_for, without_hidden_text
from factreasoner.calls.usage import Meter
from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.inputs.parsing import AtomLike, ContextLike, parse_record
from factreasoner.models import Atom, Claim, Failure, Record, StageError, Verdict, new_id
from factreasoner.pipeline.assembly import Assembly, assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import ConfigLike, awaitable, python_call
from factreasoner.plugins.kinds import ATOMIZER, REVISER
from factreasoner.protocols import LLM
from factreasoner.settings.sources import warn_once
from factreasoner.tasks.task import ClaimTally, ClaimWorker, Task, Work
from factreasoner.tasks.verify.citations import CitedText, CitingSentence, Place
from factreasoner.tasks.verify.claims import ClaimFinder, FoundClaims, at_place, labelled, relabelled
from factreasoner.tasks.verify.correcting import Corrector, FailedSentence, RevisedText, changes_of
from factreasoner.tasks.verify.editing import Edit, Edited, edited
from factreasoner.tasks.verify.judging import ClaimJudge, ClaimVerdicts
from factreasoner.tasks.verify.markers import is_link
from factreasoner.tasks.verify.result import VERIFY, VerifiedClaim, VerifyResult

_SHOWN_IDS = 3


class VerifyWorker(ClaimWorker[VerifyResult]):
    """Judges claims on the sources they cite, then corrects the answer, in at most `rounds` rounds."""

    result = VerifyResult

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        llm = self._llm if self.config.part("judge").prompts else None
        if llm is not None and self.config.calibration is not None:
            raise ConfigError("calibration: `verify` does not calibrate a model's verdicts; remove it")
        if llm is not None and self.config.prefilter != "none":
            warn_once("`verify` sends a model every pair of claim and source: `prefilter` is not used.")
        self.finder = ClaimFinder(assembly.made(ATOMIZER), assembly.made(REVISER))
        self.judge = ClaimJudge(self._judge, llm, self.config)
        self.corrector = Corrector(self._llm, self.config)

    def _work(self, record: Record, meter: Meter) -> Work:
        return _Verification(self, without_hidden_text(record), meter).work()

    def _accounted(self, result: VerifyResult, record: Record) -> VerifyResult:
        """See `ClaimWorker`."""
        if record.atoms is not None:
            return super()._accounted(result, record)
        found, note = account_for(record, [Atom(id=c.id, text=c.text, span=c.span) for c in result.claims])
        if (text := result.verified) is not None:
            claims = (c.model_copy(update={"span": a.span}) for c, a in zip(text.claims, found, strict=True))
            verified = text.model_copy(update={"claims": tuple(claims)})
            note |= {"verified": verified, "revised": verified if result.revised == text else result.revised}
        return result.model_copy(update=note)


class _Verification:
    """The work on one record: verdicts, failures, and reasons for changes."""

    def __init__(self, worker: VerifyWorker, record: Record, meter: Meter) -> None:
        self._worker = worker
        self._record = record
        self._contexts = record.contexts or ()
        self._meter = meter
        self._verdicts: list[Verdict] = []
        self._failures: list[Failure] = []
        self._reasons: dict[Place, list[str]] = {}

    def work(self) -> Work:
        """The answer verified, corrected and verified again."""
        text = CitedText(self._record.response, self._contexts)
        claims = self._judged(self._unpack(self._worker.finder.claims(text, self._record, self._meter)), text)
        first = last = RevisedText(text, claims, {s.place: s.place for s in text.sentences})
        for number in range(1, self._worker.config.rounds + 1):
            corrected = self._corrected(last, number)
            if corrected is None:
                break
            last = corrected
        changes = changes_of(text.text, last, self._reasons)
        fields = {
            "verified": first.verified(changes),
            "revised": last.verified(()),
            "changes": changes,
            "contexts": self._contexts,
            "verdicts": tuple(self._verdicts),
        }
        judged = sum(claim.label is not None for claim in claims)
        return Work(fields, tuple(self._failures), judged, len(claims), [Claim(c.id, c.text) for c in claims])

    def _unpack(self, found: FoundClaims) -> tuple[VerifiedClaim, ...]:
        self._failures += found.failures
        return found.claims

    def _judged(self, claims: Iterable[VerifiedClaim], text: CitedText) -> tuple[VerifiedClaim, ...]:
        """The claims with labels, except after failures."""
        claims = tuple(claims)
        every = (
            tuple(context.id for context in self._contexts) if self._worker.config.uncited == "check" else ()
        )
        against = {c.id: c.cited if c.cited or c.unknown else every for c in claims if c.sentence is not None}
        asked = [Claim(claim.id, claim.text) for claim in claims if against.get(claim.id)]
        judged = ClaimVerdicts()
        if asked:
            with self._meter.stage("evaluator"):
                record = self._record.model_copy(update={"response": text.text})
                judged = self._worker.judge.judged(asked, against, record)
        self._failures += judged.failures
        self._verdicts += [source.verdict for source in judged.verdicts]
        return tuple(_decided(claim, judged, text) for claim in claims)

    def _corrected(self, last: RevisedText, number: int) -> RevisedText | None:
        """The next revision; None if nothing was changed."""
        failed = self._failed(last)
        if not failed:
            return None
        with self._meter.stage("corrector"):
            corrected = self._worker.corrector.correct(failed, last.text, self._record)
        self._failures += [after for after in corrected if isinstance(after, Failure)]
        edits = {
            one.sentence.place: _keeping_markers(one.sentence, after, last.text)
            for one, after in zip(failed, corrected, strict=True)
            if isinstance(after, str)
        }
        done = edited(last.text.text, [Edit(*place, after) for place, after in edits.items()])
        if not done.edits:
            return None
        for one in failed:
            if done.moved(one.sentence.place) is None:
                for root in last.origins(one.sentence):
                    self._reasons.setdefault(root, []).extend(one.why)
        places = {root: done.replacement_span(now) for root, now in last.places.items()}
        text = CitedText(done.text, self._contexts)
        return RevisedText(text, self._verified_again(last, text, done, number), places)

    def _failed(self, last: RevisedText) -> list[FailedSentence]:
        """The sentences to correct; none without sources."""
        wrong: dict[Place | None, list[VerifiedClaim]] = {}
        for claim in last.claims if self._contexts else ():
            if claim.label in self._worker.corrector.labels:
                wrong.setdefault(claim.sentence, []).append(claim)
        return [
            FailedSentence(sentence, tuple(wrong[sentence.place]))
            for sentence in last.text.sentences
            if sentence.place in wrong and not sentence.is_code
        ]

    def _verified_again(
        self, last: RevisedText, text: CitedText, done: Edited, number: int
    ) -> tuple[VerifiedClaim, ...]:
        """The claims of the new text: those of unchanged sentences keep their verdicts, others are judged.

        A claim whose citations changed with its paragraph's marker is judged again, under another id.
        """
        stayed: list[VerifiedClaim] = []
        again: list[VerifiedClaim] = []
        taken = {context.id for context in self._contexts} | {claim.id for claim in last.claims}
        taken |= {verdict.target_id for verdict in self._verdicts}

        def free_id() -> str:
            return new_id(f"r{number}_a", len(again), taken | {claim.id for claim in again})

        for claim in last.claims:
            if claim.sentence is None or claim.span is None:
                stayed.append(claim)
            elif done.moved(claim.sentence) is not None:
                span = done.moved(claim.span)
                moved = at_place(claim, span, text)
                if (moved.cited, moved.unknown) == (claim.cited, claim.unknown):
                    stayed.append(moved)
                else:
                    renewed = VerifiedClaim(id=free_id(), text=claim.text)
                    again.append(at_place(renewed, span, text))
        if sentences := _new_sentences(text, done):
            try:
                found = self._worker.finder.claims_of(sentences, text, self._record, self._meter)
            except StageError as error:
                found = FoundClaims((), tuple(error.failures))
            for claim in self._unpack(found):
                again.append(claim.model_copy(update={"id": free_id()}))
        claims = (*stayed, *self._judged(again, text))
        return tuple(sorted(claims, key=lambda claim: claim.span or (0, 0)))


def _decided(claim: VerifiedClaim, judged: ClaimVerdicts, text: CitedText) -> VerifiedClaim:
    if claim.sentence is None:
        return claim
    own = [source for source in judged.verdicts if source.verdict.target_id == claim.id]
    unread = {source: why for claim_id, source, why in judged.unread if claim_id == claim.id}
    if own or unread or claim.id in judged.failed:
        return labelled(claim, own, text, complete=claim.id not in judged.failed, unread=unread)
    if claim.unknown:
        wording = " ".join(_unknown_source_notes(claim.unknown, text))
        return claim.model_copy(update={"label": "unknown_source", "explanation": wording})
    return claim.model_copy(update={"label": "uncited", "explanation": "It cites nothing."})


def _unknown_source_notes(labels: Sequence[str], text: CitedText) -> Iterator[str]:
    """Why labels name no source."""
    if names := [label for label in labels if not is_link(label)]:
        ids = [context.id for context in text.contexts]
        shown = f" (ids: {', '.join([*ids[:_SHOWN_IDS], *['…'] * (len(ids) > _SHOWN_IDS)])})"
        yield f"There is no source {' or '.join(names)}{'' if all(map(str.isdigit, names)) else shown}."
    for label in filter(is_link, labels):
        yield f"There is no source with the link {label}."


def _keeping_markers(sentence: CitingSentence, after: str, text: CitedText) -> str:
    """The new sentence, with the old markers if other sentences need them and it cites nothing."""
    heirs = [s for s in text.sentences if s.block == sentence.block and s.by == "paragraph"]
    cites = any(new.cited for new in text.like(after).sentences)
    if not heirs or cites or sentence.by != "sentence" or not sentence.cited:
        return after
    markers = "".join(text.text[m.start : m.end] for m in sentence.markers if m.sources and not m.unknown)
    return f"{after} {markers}".strip()


def _new_sentences(text: CitedText, done: Edited) -> list[CitingSentence]:
    """The sentences with inserted text."""
    places = [place for _, place in done.placed()]
    return [s for s in text.sentences if any(a <= s.words.start and s.words.end <= b for a, b in places)]


def _problems(record: Record, config: Config) -> list[InputProblem]:
    where = f"record {record.id}"
    if record.contexts is None:
        message = "missing; add the sources that the answer cites, in the order of [1], [2]"
        return [InputProblem(where, "contexts", f"{message} ([] for none)")]
    note = "is a URL; give the text of the page. `verify --text FILE --source URL` can download it"
    texts = ((n, context.text.strip()) for n, context in enumerate(record.contexts))
    bare = ((n, text) for n, text in texts if is_link(text) and len(text.split()) == 1)
    return [InputProblem(where, f"contexts[{n}].text", f"{text!r} {note}") for n, text in bare]


def _scored(result: VerifyResult) -> tuple[VerifyResult, dict[str, Any]]:
    claims = result.revised.claims if result.revised else ()
    return result, {
        "corrected": result.corrected,
        "changes": [change.model_dump(mode="json") for change in result.changes],
        "claims": [claim.model_dump(mode="json") for claim in result.claims],
        "corrected_claims": [claim.model_dump(mode="json") for claim in claims],
        "unknown_citations": list(result.unknown_citations),
        "notes": list(result.notes),
    }


TASK = Task(
    name="verify",
    result=VerifyResult,
    table=VERIFY,
    problems=_problems,
    prompts=lambda config: [*ATOM_PROMPTS, "verify", "correct"],
    worker=lambda config, calls: VerifyWorker(assembly_of(config, calls)),
    tally=lambda config, sizes: ClaimTally(VERIFY, _scored),
    with_verdicts=relabelled,
)


@python_call
def verify(  # noqa: PLR0913 - what a record of this task may bring
    output: str,
    *,
    contexts: Iterable[ContextLike] | None = None,
    input: str = "",
    topic: str | None = None,
    atoms: Iterable[AtomLike] | None = None,
    id: str | None = None,
    llm: LLM | None = None,
    config: ConfigLike = None,
    **settings: Unpack[Keywords],
) -> VerifyResult:
    """Judge each claim of an answer on the sources it cites, and correct the answer. Synchronous.

    `contexts` are the sources: strings, mappings ({text, id?, title?, link?}), `Context` objects or other
    libraries' documents. [1] in the answer is the first of them, unless a source has the id "1". `atoms` are
    the answer's claims, made by default. Aliases, `settings` (such as `uncited="check"`, `rounds=0`),
    `config` and `llm` are as in `assess`. `averify` is for an event loop.

        result = verify("It opened in 1930 [1].", contexts=["The museum opened on 4 May 1932."])
        result.claims, result.changes, result.corrected

    Raises what `assess` does, and InputError if there are no sources.
    """
    given = {"id": id, "response": output, "prompt": input, "topic": topic, "contexts": contexts}
    record = parse_record("verify()", **given, atoms=atoms)
    if not record.contexts:
        raise InputError([InputProblem("verify()", "contexts", "none given: pass contexts=[...]")])
    return TASK.assessed("verify()", record, llm, config, settings)


averify = awaitable(verify)
