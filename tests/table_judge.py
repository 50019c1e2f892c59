"""A judge by a table, and passages for it: for tests of what becomes of verdicts."""

from factreasoner.models import Failure, Verdict
from factreasoner.protocols import Judged
from factreasoner.tasks.task import task_named

PASSAGES = [
    {"id": "old", "text": "It opened in 1932.", "title": "History", "link": "https://example.org/h"},
    {"id": "new", "text": "It closed in 1999."},
]


class TableJudge:
    """A judge by a table: (premise, word in the claim) -> label, p, perhaps a quote; "lost" is a failure.

    What is not in the table is neutral.
    """

    def __init__(self, table):
        self.table = table

    def judge(self, premise, claims):
        verdicts, failures = [], []
        for claim in claims:
            rows = (
                said
                for (where, word), said in self.table.items()
                if where == premise.id and word in claim.text
            )
            found = next(rows, ("neutral", 0.9))
            if found == "lost":
                item = f"{premise.id}->{claim.id}"
                failures.append(Failure(stage="judge", item_id=item, error_type="LLMError", message="lost"))
                continue
            label, p, *quoted = found
            quote = quoted[0] if quoted else premise.text[:9] if label != "neutral" else None
            verdicts.append(
                Verdict(context_id=premise.id, target_id=claim.id, label=label, probability=p, quote=quote)
            )
        return Judged(tuple(verdicts), tuple(failures))


def rows_of(task, result):
    return list(task_named(task).rows(result))
