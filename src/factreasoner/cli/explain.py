"""`factreasoner explain`: why the atoms of a finished run have their posteriors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from factreasoner.cli.settings import takes_settings


@takes_settings("Graph")
def explain(
    run_dir: Annotated[Path, typer.Argument(help="A run folder.")],
    record: Annotated[str | None, typer.Option(help="Only the record of this id.")] = None,
    atom: Annotated[list[str] | None, typer.Option(help="Only this atom, in full; repeatable.")] = None,
    flip_size: Annotated[
        int,
        typer.Option(
            min=0, help="Try all sets of up to this many contexts for one that flips a label; 0: no search."
        ),
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of explanations as JSON.")] = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Say which contexts moved each atom, which would flip it, and where its evidence disagrees.

    Calls no model. Every other flag changes a setting of the run.
    """
    import json

    from factreasoner.cli.explanation_tables import print_explanation
    from factreasoner.config import parse_config
    from factreasoner.errors import InputError, Problem, RunError
    from factreasoner.runs.explaining import explain_journal
    from factreasoner.runs.store import RunFolder

    folder = RunFolder(run_dir)
    changes = {key: value for key, value in settings.items() if value is not None}
    config = parse_config(folder.config().model_dump() | changes, str(folder.manifest_path))
    folder.read_journal()
    if record is not None and record not in folder.entries:
        raise RunError(f"{folder.journal_path}: no record {record!r}")
    told = []
    problems: list[Problem] = []
    for assessment, explanation, found in explain_journal(
        folder,
        folder.order() if record is None else [record],
        config,
        atom_ids=atom or (),
        search_size=flip_size,
        changed=bool(changes),
    ):
        problems += found
        if explanation is not None:
            told.append(explanation)
            if not as_json:
                print_explanation(explanation, assessment, in_full=bool(atom))
    if problems and not told:
        raise InputError(problems)
    if as_json:
        content = [explanation.model_dump(mode="json") for explanation in told]
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))
    elif not told:
        typer.echo("No atoms to explain.")
    for problem in problems:
        typer.echo(f"not explained: {problem}", err=True)
    raise typer.Exit(3 if problems else 0)
