"""`factreasoner explain`: why the atoms of a finished run have their posteriors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import RunDir
from factreasoner.report.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.errors import InputProblem
    from factreasoner.explanations import Explanation


@takes_settings("Graph")
def explain(
    run_dir: RunDir,
    record: Annotated[str | None, typer.Option(help="Only the record of this id.")] = None,
    atom: Annotated[list[str] | None, typer.Option(help="Only this atom, in full; repeatable.")] = None,
    flip_size: Annotated[
        int,
        typer.Option(
            min=0,
            show_default=False,
            help="Try all sets of up to this many contexts for one that flips a label; 0: no search. "
            "(default: 3)",
        ),
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of explanations as JSON.")] = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Say which contexts moved each atom, which would flip it, and where its evidence disagrees.

    "without c3: 0.88" says what P(true) would be if there were no context c3.

    Calls no model. Every other flag changes a setting of the run.
    """
    from factreasoner.analysis.explaining import explain_journal
    from factreasoner.cli.explanation_tables import print_explanation
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    told: list[Explanation] = []
    problems: list[InputProblem] = []
    changes = {key: value for key, value in settings.items() if value is not None}
    for assessment, explanation, found in explain_journal(
        RunFolder(run_dir, TASK), changes, record=record, atom_ids=atom or (), search_size=flip_size
    ):
        problems += found
        if explanation is not None:
            told.append(explanation)
            if not as_json:
                print_explanation(explanation, assessment, in_full=bool(atom))
    if as_json and (told or not problems):
        say_json([explanation.model_dump(mode="json") for explanation in told])
    elif not told and not problems:
        say("No atoms to explain.")
    for problem in problems:
        say(f"not explained: {problem}", err=True)
    raise typer.Exit(0 if not problems else 3 if told else 1)
