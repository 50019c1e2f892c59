"""A judge by a table, and passages for it: for tests of what becomes of verdicts."""

from factreasoner.models import Failure, Verdict
from factreasoner.protocols import Judged

PASSAGES = [
    {"id": "old", "text": "It opened in 1932.", "title": "History", "link": "https://example.org/h"},
    {"id": "new", "text": "It closed in 1999."},
]


class TableJudge:
    """A judge by a table: (premise, a claim's id or a word in it) -> a verdict, or label, p, perhaps a quote.

    "lost" is a failure. `otherwise` is said of what is not in the table.
    """

    def __init__(self, table, otherwise=("neutral", 0.9)):
        self.table, self.otherwise = table, otherwise

    def judge(self, premise, claims):
        verdicts, failures = [], []
        for claim in claims:
            found = self.found(premise, claim)
            if found == "lost":
                item = f"{premise.id}->{claim.id}"
                failures.append(Failure(stage="judge", item_id=item, error_type="LLMError", message="lost"))
            else:
                verdicts.append(found if isinstance(found, Verdict) else verdict(premise, claim, *found))
        return Judged(tuple(verdicts), tuple(failures))

    def found(self, premise, claim):
        words = (
            said for (where, word), said in self.table.items() if where == premise.id and word in claim.text
        )
        return self.table.get((premise.id, claim.id)) or next(words, self.otherwise)


def verdict(premise, claim, label, p, quote=None):
    quote = quote or (" ".join(premise.text.split()[:2]) if label != "neutral" else None)
    return Verdict(context_id=premise.id, target_id=claim.id, label=label, probability=p, quote=quote)
