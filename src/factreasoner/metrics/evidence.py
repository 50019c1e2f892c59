"""What became of the evidence on its way into the graph: dropped, or counted once with others."""

from __future__ import annotations

from collections import Counter
from typing import Any

from factreasoner.metrics.intervals import wilson
from factreasoner.models import Assessment, Pruned


def evidence_fields(assessment: Assessment) -> dict[str, Any]:
    """Fields of a result line: contexts dropped, pages unread, with the reasons, and what counted once.

    `searched` names collections of own documents and the states they were in; `shared_sources` lists contexts
    that spoke with one voice, the one named in the graph first.
    """
    independence = assessment.outcome.independence if assessment.outcome else None
    credibility = credibility_counts(assessment)
    pruned = assessment.outcome.pruned if assessment.outcome else None
    return {
        "dropped_contexts": {
            context.id: context.dropped for context in assessment.contexts if context.dropped
        },
        "unread_pages": unread_pages(assessment),
        "searched": list(assessment.searched),
        "independence": independence is not None,
        "shared_sources": [list(source) for source in independence.sources] if independence else [],
        "relations_left_out": independence.relations_left_out if independence else 0,
        **({} if credibility is None else {"credibility": credibility}),
        **({} if pruned is None else {"pruned": _pruned_fields(pruned)}),
    }


def _pruned_fields(pruned: Pruned) -> dict[str, Any]:
    """The counts, with the interval of the share of pruned pairs that are not neutral."""
    return {**pruned.model_dump(), "interval_95": wilson(pruned.missed, pruned.audited)}


def credibility_counts(assessment: Assessment) -> dict[str, int] | None:
    """How many contexts have a prior of the record's own or of the table's domains; None without a table."""
    prior_from = assessment.outcome.prior_from if assessment.outcome else None
    if prior_from is None:
        return None
    unrated = sum(source == "default" for source in prior_from.values())
    return {"rated": len(prior_from) - unrated, "unrated": unrated}


def unread_pages(assessment: Assessment) -> dict[str, str]:
    """Why each page that stayed unread did, by link; a snippet stands in its place."""
    return {context.link: context.unread for context in assessment.contexts if context.unread}


class EvidenceTally:
    """Adds up over a run: contexts dropped, pages unread, searches, and relations that counted only once.

    Records that have atoms and no context to judge them by are counted too.
    """

    def __init__(self) -> None:
        self._without = 0
        self._dropped = 0
        self._unread = 0
        self._searched = Counter[str]()
        self._records = 0
        self._sources = 0
        self._relations = 0
        self._credibility: Counter[str] | None = None
        self._used_domains: set[str] = set()
        self._pruned: Pruned | None = None

    def add(self, assessment: Assessment) -> None:
        """Count one record's contexts, sources and searches."""
        self._without += bool(assessment.p_true) and all(context.dropped for context in assessment.contexts)
        self._dropped += sum(bool(context.dropped) for context in assessment.contexts)
        self._unread += len(unread_pages(assessment))
        self._searched.update(assessment.searched)
        outcome = assessment.outcome
        independence = outcome.independence if outcome else None
        if independence is not None:
            self._records += 1
            self._sources += len(independence.sources)
            self._relations += independence.relations_left_out
        if outcome is not None and outcome.pruned is not None:
            before = self._pruned or Pruned(pairs=0, audited=0, missed=0)
            self._pruned = Pruned(
                pairs=before.pairs + outcome.pruned.pairs,
                audited=before.audited + outcome.pruned.audited,
                missed=before.missed + outcome.pruned.missed,
            )
        if counts := credibility_counts(assessment):
            self._credibility = self._credibility or Counter(rated=0, unrated=0)
            self._credibility.update(counts)
            self._used_domains.update(outcome.used_domains if outcome else ())

    def content(self) -> dict[str, Any]:
        """For the summary: records in which evidence of one source counted once, and what that changed."""
        return {
            "without_contexts": self._without,
            "dropped_contexts": self._dropped,
            "unread_pages": self._unread,
            "searched": dict(self._searched),
            "independence": {
                "records": self._records,
                "shared_sources": self._sources,
                "relations_left_out": self._relations,
            },
            "pruned": None if self._pruned is None else _pruned_fields(self._pruned),
            "credibility": None
            if self._credibility is None
            else {**self._credibility, "used_domains": sorted(self._used_domains)},
        }
