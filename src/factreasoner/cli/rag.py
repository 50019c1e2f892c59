"""`factreasoner rag`: where a system that answers from retrieved contexts loses or invents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factreasoner.cli.flags import argument, flag
from factreasoner.cli.running import Running
from factreasoner.report.console import Terminal, plain

if TYPE_CHECKING:
    from factreasoner.tasks.rows import ClaimRow

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "fact_generator", "revise_given", "retriever"),
    *("calls", "premise_tokens", "audit_share", "k", "gamma", "uncited", "rounds"),
)
"""Settings of these panels that mean nothing here, or something of their own."""
RETRIEVED = ("reference", "contexts")
"""A reference's claims are held against contexts as well; one that the answer states is not lost."""
PLACES = {"answer": "the answer", "reference": "the reference", "contexts": "the contexts"}
NOT_FOUND = {"answer": "not stated", "reference": "not in the reference", "contexts": "in no context"}
"""By what a claim is held against."""


class Rag(Running, panels=PANELS, without=UNUSED):
    """Judge retrieval-augmented answers claim by claim, against their contexts and a reference.

    The same command again resumes where the last one stopped.
    """

    data: Path = argument(
        "DATA", "Records, JSONL, one a line, with 'contexts' or a 'reference'; - for standard input."
    )
    k: int | None = flag("Score retrieval at the first K contexts. (default: all)", min=1)
    explain: bool = flag("List what was lost or invented, claim by claim.")

    def _execute(self) -> int:
        from factreasoner.tasks.rag.task import TASK

        if self.explain:
            self.refuse_json()
        self.settings["k"] = self.k
        beyond = "an answer's claims that no single context supports are asked about all contexts together"
        return self.carry_out(TASK, self.data, beyond)

    def at_end(self, folder: Path, ids: Sequence[str]) -> None:
        """List claims of answers that nothing supports, and of references that answers do not state."""
        from factreasoner.runs.store import RunFolder
        from factreasoner.tasks.rag.task import TASK

        console = Terminal()
        for result in RunFolder(folder, TASK).results(ids) if self.explain else ():
            claims: dict[tuple[str, str], list[ClaimRow]] = {}
            for row in TASK.rows(result):
                claims.setdefault((row.of, row.claim), []).append(row)
            rows = [
                (of, plain("; ".join(dict.fromkeys(map(_found, held)))), plain(held[0].text))
                for (of, _), held in claims.items()
                if any(row.label != "supported" for row in held if (of, row.against) != RETRIEVED)
            ]
            if rows:
                console.print(f"\n{plain(result.record_id)}")
                console.columns(("claim of", "", "claim"), rows)


def _found(row: ClaimRow) -> str:
    """What became of a claim where it was looked for, in words."""
    place = PLACES.get(str(row.context), row.context)
    if row.label is None:
        return "a verdict failed"
    if row.label == "supported":
        return f"in {place}"
    return f"contradicted by {place}" if row.label == "contradicted" else NOT_FOUND[row.against]
