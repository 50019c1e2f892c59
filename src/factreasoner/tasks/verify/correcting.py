"""Correct sentences with failed claims: a model rewrites them from the sources, else some are removed.

And the text after it, with what became of its sentences and claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from factreasoner import prompts
from factreasoner.assessors.judging import pieces
from factreasoner.assessors.prompted import PASSAGE_TOKENS
from factreasoner.atoms.checks import Material
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import estimate_tokens
from factreasoner.judges.llm import format_source
from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.models import Claim, Failure, Record
from factreasoner.models.rows import grouped
from factreasoner.pipeline.config import Config
from factreasoner.protocols import LLM
from factreasoner.tasks.verify.citations import CitedText, CitingSentence, Place
from factreasoner.tasks.verify.claims import citations_of
from factreasoner.tasks.verify.result import FAILED, Change, ClaimLabel, Fate, VerifiedClaim, VerifiedText
from factreasoner.text.passages import best, split_passages
from factreasoner.text.sentences import sentences

STAGE = "corrector"
REMOVE = "REMOVE"
"""A model's answer for a sentence without any support."""
_GROWTH, _ALLOWANCE = 2, 120

WORDS_OF: Mapping[ClaimLabel | None, str] = {
    "contradicted": "is contradicted",
    "conflicting": "is supported by one source and contradicted by another",
    "unverified": "is not supported",
}


class FailedSentence(NamedTuple):
    """A sentence with its failed claims."""

    sentence: CitingSentence
    claims: tuple[VerifiedClaim, ...]

    @property
    def why(self) -> Iterator[str]:
        """A line for each failed claim."""
        for claim in self.claims:
            wording = f" ({claim.explanation})" if claim.explanation else ""
            if claim.label == "unknown_source":
                yield f"{claim.text!r} cites no source that exists: {', '.join(claim.unknown)}"
            else:
                yield f"{claim.text!r} {WORDS_OF[claim.label]}{wording}"


class Corrector:
    """Rewrites sentences with a model; one call for those that cite the same sources.

    Without a model, sentences with a contradicted claim, or that cite a number without a source, are removed.
    """

    def __init__(self, llm: LLM | None, config: Config) -> None:
        self._llm = llm
        self._config = config
        self._template = prompts.load("correct")

    @property
    def labels(self) -> frozenset[ClaimLabel | None]:
        """The labels of claims for which a sentence is corrected."""
        return frozenset({"contradicted", "unknown_source"}) if self._llm is None else FAILED

    def correct(
        self, failed: Sequence[FailedSentence], text: CitedText, record: Record
    ) -> Sequence[str | Failure | None]:
        """The new text of each sentence, "" to remove it; None or a failure leaves it unchanged.

        Raises ConfigError, BudgetError: from the model client.
        """
        if self._llm is None:
            return ["" if any(map(_is_wrong, one.claims)) else None for one in failed]
        rewritten = partial(self._rewritten, self._llm, text, record)
        every = frozenset(context.id for context in text.contexts)
        groups = grouped(failed, lambda one: frozenset(one.sentence.cited) or every)
        parts = parallel_map(
            lambda group: rewritten(*group), groups.items(), workers=self._config.concurrency
        )
        found: dict[CitingSentence, str | Failure] = {}
        for members, new in zip(groups.values(), parts, strict=True):
            found |= zip((one.sentence for one in members), new, strict=True)
        return ["" if found[one.sentence] == REMOVE else found[one.sentence] for one in failed]

    def _rewritten(
        self, llm: LLM, text: CitedText, record: Record, ids: frozenset[str], failed: Sequence[FailedSentence]
    ) -> list[str | Failure]:
        shown = "\n".join(context.text for context in text.contexts if context.id in ids)
        rewriting = Rewriting(
            stage=STAGE,
            function="correct_sentences",
            task="Give each sentence so that the sources bear it out, or REMOVE.",
            argument="sentence",
            result="sentence",
            problem=partial(_problem, text, ids, Material(text.plain, shown)),
        )
        items = [Claim(f"{record.id}[{s.start}:{s.end}]", text.text[s.start : s.end]) for s, _ in failed]
        problems = "\n".join(
            f"sentence_{n}: {why}" for n, one in enumerate(failed) for why in map(prompts.one_line, one.why)
        )
        prompt = self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            answer=prompts.delimit(text.text, "answer"),
            sources="\n\n".join(_sources(text, ids, failed)),
            problems=prompts.delimit(problems, "problems"),
        )
        return Rewriter(rewriting, llm, self._config).rewrite(prompt, items)


def _is_wrong(claim: VerifiedClaim) -> bool:
    return claim.label == "contradicted" or any(map(str.isdigit, claim.unknown))


def _sources(text: CitedText, ids: frozenset[str], failed: Sequence[FailedSentence]) -> list[str]:
    """The sources for one call with their labels; for long ones, passages about the claims."""
    chosen = [context for context in text.contexts if context.id in ids]
    if sum(estimate_tokens(context.text) for context in chosen) > PASSAGE_TOKENS:
        claims = " ".join(claim.text for one in failed for claim in one.claims)
        room = max(1, PASSAGE_TOKENS // (400 * len(chosen)))
        chosen = [c.model_copy(update={"text": _speaking(c.text, claims, room)}) for c in chosen]
    shown = (part for context in chosen for part in pieces(context, PASSAGE_TOKENS))
    return [format_source(f"[{text.label_of(part.id)}]", part.text) for part in shown]


def _speaking(text: str, claims: str, most: int) -> str:
    passages = [passage.text for passage in split_passages(text)]
    if len(passages) <= most:
        return text
    chosen = sorted(best(claims, passages, most)) or range(most)
    return "\n…\n".join(passages[n] for n in chosen)


def _problem(text: CitedText, ids: frozenset[str], matter: Material, original: str, new: str) -> str | None:
    """Why a new sentence can't replace the old one, or "". `ids` are the sources shown."""
    if new == REMOVE:
        return None
    if REMOVE in new:
        return f"{REMOVE} among other words"
    if new == " ".join(original.split()):
        return "it is the sentence as it was"
    if original.startswith("|") and new.count("|") != original.count("|"):
        return "it is not a row of the table any more"
    if len(new) > _GROWTH * len(original) + _ALLOWANCE:
        return f"{len(new)} characters for {len(original)}"
    cited = text.like(new)
    named = (n for s in cited.sentences for n in (*s.unknown, *(c for c in s.cited if c not in ids)))
    if strange := ", ".join(named):
        return f"it cites what was not shown: {strange}"
    if not cited.sentences:
        return "it is empty"
    if matter.is_unrelated(text.like(original).plain, cited.plain):
        return "it does not speak of what the sentence and the sources do"
    return "it is no sentence among others" if _runs_on(new) and not _runs_on(original) else None


def _runs_on(sentence: str) -> bool:
    """Whether an adjacent sentence would be read as part of this one."""
    return len(sentences(f"It is so. {sentence} It is so.")) < len(sentences(sentence)) + 2


class RevisedText(NamedTuple):
    """A text with its verified claims. `places` maps each sentence of the answer to its position here.

    A removed sentence has an empty position.
    """

    text: CitedText
    claims: tuple[VerifiedClaim, ...]
    places: Mapping[Place, Place]

    def verified(self, changes: Sequence[Change]) -> VerifiedText:
        """The text for a result, its claims with the effect of `changes`."""
        citations = citations_of(self.text, self.claims)
        claims = tuple(claim.model_copy(update={"fate": _fate(claim, changes)}) for claim in self.claims)
        return VerifiedText(text=self.text.text, claims=claims, citations=citations, notes=self.text.notes)

    def origins(self, sentence: CitingSentence) -> list[Place]:
        """The sentences of the answer that a sentence comes from."""
        return [root for root, now in self.places.items() if _overlap(now, sentence.place)]


def changes_of(
    answer: str, revision: RevisedText, reasons: Mapping[Place, Sequence[str]]
) -> tuple[Change, ...]:
    """The final text of the answer's sentences that have `reasons` to change.

    Sentences that became one are one change.
    """
    text = revision.text
    groups: list[tuple[Place, Place]] = []
    for root in sorted(reasons):
        now, at = revision.places[root], len(groups)
        at = next((n for n, (_, other) in enumerate(groups) if _overlap(other, now)), at)
        members = [*groups[at:], (root, now)]
        spans = [span for _, span in members if span[0] < span[1]] or [now]
        groups[at:] = [((members[0][0][0], root[1]), (spans[0][0], max(end for _, end in spans)))]
    found = []
    for (start, end), now in groups:
        says = any(_overlap(now, sentence.words) for sentence in text.sentences)
        says = says and any(map(str.isalnum, text.text[slice(*now)]))
        before, after = answer[start:end], text.text[slice(*now)].strip() if says else ""
        if after != before.strip():
            own = (why for root in sorted(reasons) if start <= root[0] < end for why in reasons[root])
            found.append(Change(before=before, after=after, why=tuple(dict.fromkeys(own)), span=(start, end)))
    return tuple(found)


def _fate(claim: VerifiedClaim, changes: Sequence[Change]) -> Fate:
    change = next((c for c in changes if claim.sentence and _overlap(c.span, claim.sentence)), None)
    if change is not None:
        return "rewritten" if change.after else "removed"
    return "flagged" if claim.label in FAILED or claim.label in (None, "uncited") else "kept"


def _overlap(one: Place, other: Place) -> bool:
    return min(one[1], other[1]) > max(one[0], other[0])
