"""Claims held against sources by several models, whose verdicts are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factreasoner.judges.ensemble import asked_of_each, counted, tie, unasked
from factreasoner.models import Claim, Failure, Record
from factreasoner.tasks.verify.holding import Held, Holder, Holding


class PanelHolder:
    """Has every holder hold every claim; the label that most of them give stands, as in `EnsembleJudge`.

    Explanation and sources are those of the judges that gave it. A judge that fails on a claim leaves it to
    the others, and its failure is said; a tie leaves the claim unanswered.
    """

    def __init__(self, holders: Mapping[str, Holder]) -> None:
        self._holders = dict(holders)

    def hold(self, claims: Sequence[Claim], against: Mapping[str, tuple[str, ...]], record: Record) -> Held:
        """See `Holder`."""

        def lost(why: str) -> Held:
            said = (unasked("+".join(against[claim.id]), claim.id, why) for claim in claims)
            return Held({}, tuple(said), frozenset(claim.id for claim in claims))

        parts = asked_of_each(self._holders, lambda holder: holder.hold(claims, against, record), lost)
        failures: list[Failure] = []
        found: dict[str, dict[str, list[Holding]]] = {claim.id: {} for claim in claims}
        for name, part in parts:
            failures += (f.model_copy(update={"message": f"{name}: {f.message}"}) for f in part.failures)
            for claim_id, holdings in part.holdings.items():
                for holding in holdings:
                    vote = holding.verdict.model_copy(update={"judge": name})
                    votes = found[claim_id].setdefault(vote.context_id, [])
                    votes.append(holding._replace(verdict=vote))
        winners: dict[str, list[Holding]] = {claim.id: [] for claim in claims}
        failed = {claim.id for claim in claims if all(claim.id in part.failed for _, part in parts)}
        for claim_id, by_premise in found.items():
            for premise_id, votes in by_premise.items():
                winner = _winner(votes)
                if winner is not None:
                    winners[claim_id].append(winner)
                else:
                    failures.append(tie(premise_id, claim_id, [vote.verdict for vote in votes]))
                    failed.add(claim_id)
        return Held(winners, tuple(failures), frozenset(failed))


def _winner(votes: Sequence[Holding]) -> Holding | None:
    """What most of them say, with its sources; None for a tie."""
    verdict = counted([vote.verdict for vote in votes])
    if verdict is None:
        return None
    agreeing = [vote for vote in votes if vote.verdict.label == verdict.label]
    shown = next((vote for vote in agreeing if vote.quoted), agreeing[0])
    return shown._replace(verdict=verdict)
