"""A language model as the judge, called with functions of one argument per claim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from factreasoner import prompts
from factreasoner.calls.threads import parallel_map
from factreasoner.judges import STAGE, functions, pair_id
from factreasoner.judges.asking import Asker, ClaimQuestion, JudgedClaim
from factreasoner.judges.encoder.bundled.windows import nearest_sentence
from factreasoner.judges.excerpts import Excerpt, excerpts
from factreasoner.judges.settings import JudgeSettings
from factreasoner.models import Claim, Premise, Verdict
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.models.verdicts import FALSE
from factreasoner.protocols import LLM, Judged
from factreasoner.text.language import check_citation


class LLMJudge:
    """Judges at most `atoms_per_call` claims per call; see `Asker`.

    For a long passage, a call shows the windows about its claims; see `excerpts`. Several passages are shown
    whole. `inquiry` is the question, by default that of the mode.
    """

    cuts_passages = True

    def __init__(
        self, llm: LLM, config: JudgeSettings | None = None, inquiry: functions.Inquiry | None = None
    ) -> None:
        self._config = config or JudgeSettings()
        self._templates = {name: prompts.load(name) for name in ("judge", "judge_one", "judge_several")}
        verbal = self._config.confidence == "verbal"
        self._inquiry = inquiry or functions.inquiry(self._config.mode, verbal=verbal)
        self._asker = Asker(llm, self._config, tokens_per_claim=self._inquiry.tokens_per_claim)
        self._naming = self._inquiry._replace(
            task="Say of each fact, by the sources alone, whether it is true.",
            first=("sources", *self._inquiry.first),
        )

    @staticmethod
    def fingerprint() -> str:
        """A digest of the prompts."""
        return "-".join(prompts.load(name).fingerprint[:8] for name in ("judge", "judge_one"))

    @property
    def claims_per_call(self) -> int:
        """`atoms_per_call`, or fewer if the estimated answer would not fit `max_tokens`."""
        return self._asker.claims_per_call

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order.

        Raises ConfigError, BudgetError: from the model client.
        """
        shown = [Excerpt(premise.text, tuple(claims))]
        if self.cuts_passages and len(premise.parts) < 2:
            shown = excerpts(premise.text, claims, claims_per_call=self.claims_per_call)
        judged = parallel_map(lambda one: self._judged(premise, one), shown, workers=self._config.concurrency)
        verdicts = {verdict.target_id: verdict for part in judged for verdict in part.verdicts}
        return Judged(
            tuple(verdicts[claim.id] for claim in claims if claim.id in verdicts),
            tuple(failure for part in judged for failure in part.failures),
        )

    def _judged(self, premise: Premise, shown: Excerpt) -> Judged:
        """One verdict or one failure for every claim of an excerpt."""
        question = ClaimQuestion(
            stage=STAGE,
            request=lambda batch: self._request(premise._replace(text=shown.text), batch),
            item=lambda claim_id: pair_id(premise.id, claim_id),
            label_of=self._inquiry.label_of,
        )
        findings = self._asker.ask(question, shown.claims)
        by_id = {claim.id: claim for claim in shown.claims}
        verdicts = (self._verdict(premise, by_id[i], finding) for i, finding in findings.found.items())
        return Judged(tuple(verdicts), tuple(findings.failures.values()))

    def _request(self, premise: Premise, claims: Sequence[Claim]) -> tuple[Prompt, FunctionSchema]:
        in_a_word = self._inquiry.one_word and self.claims_per_call == 1
        if len(premise.parts) > 1 and not in_a_word:
            prompt = self._templates["judge_several"].fill(
                sources=_sources([part.text for part in premise.parts]),
                verdicts=self._naming.verdicts.format(passage="sources"),
            )
            shown = self._naming.examples(user=lambda texts, _: f"The sources:\n{_sources(texts)}")
            return prompt.model_copy(update={"examples": shown}), self._naming.build(claims)
        passage = f"{premise.title}\n{premise.text}" if premise.title else premise.text
        one = len(claims) == 1 and self._inquiry.one_word
        prompt = self._templates["judge_one" if one else "judge"].fill(
            passage=prompts.delimit(passage, "passage"),
            verdicts=self._inquiry.verdicts.format(passage="passage"),
        )
        shown = self._examples[one]
        return prompt.model_copy(update={"name": "judge", "examples": shown}), self._inquiry.build(claims)

    @cached_property
    def _examples(self) -> dict[bool, tuple[Example, ...]]:
        """The examples for calls about one fact, and about several.

        Those of one fact show a passage once: a fact about the same passage is a turn of its own.
        """

        def user(texts: Sequence[str], _: Sequence[str]) -> str:
            return f"Passage:\n{prompts.delimit(texts[0], 'passage')}"

        several, alone = (self._inquiry.examples(one=one, user=user) for one in (False, True))
        shown = [example.user for example in alone]
        once = [
            example.model_copy(update={"user": "" if example.user in shown[:place] else example.user})
            for place, example in enumerate(alone)
        ]
        return {True: tuple(once), False: several}

    def _verdict(self, premise: Premise, claim: Claim, finding: JudgedClaim) -> Verdict:
        quotes, rests_on = "citation" in self._inquiry.first, _named(premise, finding)
        citation, quote = None, None
        if quotes and (finding.quote or finding.label != "neutral"):
            citation = check_citation(finding.quote, premise.text, premise.others)
            quote = finding.quote if citation in ("found", "elsewhere") else None
        elif not quotes and finding.label != "neutral":
            among = [part for part in premise.parts if part.id in rests_on] or premise.parts
            texts = [part.text for part in among] or [premise.text]
            quote = nearest_sentence(texts, claim.text, premise.title)
        answered_false = finding.label == self._inquiry.label_of(FALSE) == "neutral"
        return Verdict(
            context_id=premise.id,
            target_id=claim.id,
            label=finding.label,
            probability=finding.probability,
            quote=quote,
            quote_by=None if quote is None else "model" if quotes else "nearest",
            confidence=finding.confidence,
            label_probabilities=finding.chances.probabilities if finding.chances else {},
            label_mass=finding.chances.mass if finding.chances else None,
            citation=citation,
            note=functions.ANSWERED_FALSE if answered_false else "",
            rests_on=rests_on,
        )


def _named(premise: Premise, finding: JudgedClaim) -> tuple[str, ...]:
    """Ids of the passages that a verdict rests on; none if neutral or unnamed."""
    if finding.label == "neutral":
        return ()
    if len(premise.parts) == 1:
        return (premise.parts[0].id,)
    places = functions.numbered(finding.sources, len(premise.parts))
    return tuple(dict.fromkeys(premise.parts[place - 1].id for place in places))


def _sources(texts: Sequence[str]) -> str:
    """Numbered sources as shown in a prompt."""
    return "\n\n".join(format_source(str(number), text) for number, text in enumerate(texts, start=1))


def format_source(name: str, text: str) -> str:
    """A source as shown in a prompt: its name, and its text between tags."""
    return f"Source {name}:\n{prompts.delimit(text, 'source')}"
