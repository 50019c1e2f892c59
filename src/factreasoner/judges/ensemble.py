"""An ensemble: several judges whose verdicts are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from factreasoner.calls.threads import parallel_map
from factreasoner.errors import ConfigError
from factreasoner.judges import STAGE, pair_id, unjudged
from factreasoner.models import Claim, Failure, Label, Premise, Verdict
from factreasoner.protocols import Judge, Judged


class EnsembleJudge:
    """Asks every judge about every claim and takes the most frequent label.

    A tie is a Failure that holds the votes. The probability is the mean of what each judge gives the label:
    its own, or half of the remainder of its probability. A judge that fails on a claim is ignored there, and
    its failure is kept.

    With `two_sided`, votes are counted as entailment or not: neutral and contradiction are one side.
    """

    def __init__(self, judges: Mapping[str, Judge], *, two_sided: bool = False) -> None:
        self._judges = dict(judges)
        self._two_sided = two_sided

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or at least one failure for every claim; `votes` holds each judge's own verdict.

        A judge with a wrong key or name is ignored.

        Raises:
            ConfigError: no judge is left; that of the first.
            BudgetError: from a model client.
        """
        votes: dict[str, list[Verdict]] = {claim.id: [] for claim in claims}
        failures: list[Failure] = []
        for name, judged in zip(self._judges, self._ask_judges(premise, claims), strict=True):
            for verdict in judged.verdicts:
                votes[verdict.target_id].append(verdict.model_copy(update={"judge": name}))
            failures += (f.model_copy(update={"message": f"{name}: {f.message}"}) for f in judged.failures)
        verdicts: list[Verdict] = []
        for claim in claims:
            cast = votes[claim.id]
            if (majority := counted(cast, two_sided=self._two_sided)) is not None:
                verdicts.append(majority)
            elif cast:
                failures.append(tie(premise.id, claim.id, cast))
        return Judged(tuple(verdicts), tuple(failures))

    def _ask_judges(self, premise: Premise, claims: Sequence[Claim]) -> list[Judged]:
        """Each judge's verdicts; only failures if its key or name is wrong."""

        def answer(judge: Judge) -> Judged | ConfigError:
            try:
                return judge.judge(premise, claims)
            except ConfigError as error:
                return error

        answers = parallel_map(answer, self._judges.values(), workers=len(self._judges))
        errors = [found for found in answers if isinstance(found, ConfigError)]
        if len(errors) == len(answers):
            raise errors[0]
        return [
            Judged((), tuple(unjudged(premise.id, claim.id, "ConfigError", str(found)) for claim in claims))
            if isinstance(found, ConfigError)
            else found
            for found in answers
        ]


def counted(votes: Sequence[Verdict], *, two_sided: bool = False) -> Verdict | None:
    """The verdict from the judges' votes on one pair; None for a tie or no vote.

    If not entailed with two sides, the label is the more frequent one, neutral on a tie.
    """
    sides: dict[Label, Label] = {vote.label: vote.label for vote in votes}
    if two_sided:
        sides["contradiction"] = "neutral"
    ranked = Counter(sides[vote.label] for vote in votes).most_common()
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    agreeing = [vote for vote in votes if sides[vote.label] == ranked[0][0]]
    given = Counter(vote.label for vote in agreeing)
    label = max(given, key=lambda name: (given[name], name == "neutral"))
    shown = next((v for v in agreeing if v.label == label and v.quote), None)
    shown = shown or next(v for v in agreeing if v.label == label)
    given_p = [vote.label_probabilities for vote in votes]
    values = given_p[0] if all(own.keys() == given_p[0].keys() for own in given_p) else ()
    shared = {value: sum(own[value] for own in given_p) / len(votes) for value in values}
    p = [vote.probability if vote in agreeing else (1.0 - vote.probability) / 2 for vote in votes]
    return shown.model_copy(
        update={
            "judge": "",
            "probability": sum(p) / len(votes),
            "confidence": "judges",
            "label_probabilities": shared,
            "label_mass": None,
            "rests_on": tuple(dict.fromkeys(source for vote in agreeing for source in vote.rests_on)),
            "votes": tuple(votes),
        }
    )


def tie(premise_id: str, claim_id: str, votes: Sequence[Verdict]) -> Failure:
    """The failure of a pair on which no label has more votes than any other."""
    words = ", ".join(f"{vote.judge} {vote.label}" for vote in votes)
    return Failure(
        stage=STAGE,
        item_id=pair_id(premise_id, claim_id),
        error_type="Tie",
        message=f"the judges disagree: {words}",
        votes=tuple(votes),
    )
