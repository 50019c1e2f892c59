"""Arguments and flags that mean the same in several commands, and flags that a command takes as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

RunDir = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run folder.")]
Profile = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="YAML profile; FACTREASONER_<NAME> and flags override it."),
]
Corrections = Annotated[
    Path | None,
    typer.Option(help="A reader's corrections of verdicts, JSONL, as the page of `report` saves them."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print calls, tokens and cost, and call nothing.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


class RunOptions(NamedTuple):
    """Which records are run, and how."""

    column_map: Annotated[list[str] | None, typer.Option(help="theirs=ours, as text=output; repeatable.")] = (
        None
    )
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N records.")] = None
    skip_invalid: Annotated[bool, typer.Option("--skip-invalid", help="Skip invalid lines.")] = False
    report: Annotated[
        bool, typer.Option("--report", help="Write RUN_DIR/report.html too, a page for people.")
    ] = False
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over instead of resuming.")] = False
    quiet: Quiet = False
    as_json: AsJson = False


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of its parameters that are groups: named tuples, with a flag a field.

    Such parameters are keyword-only, and each of their fields has a default.
    """
    own = inspect.signature(command, eval_str=True).parameters
    groups = {name: p.annotation for name, p in own.items() if hasattr(p.annotation, "_fields")}
    flags = [p for name, p in own.items() if name not in groups]
    for group in groups.values():
        hints = get_type_hints(group, include_extras=True)
        flags += [as_flag(field, hints[field], group._field_defaults[field]) for field in group._fields]

    def packed(values: dict[str, Any]) -> dict[str, Any]:
        for name, group in groups.items():
            values[name] = group(**{field: values.pop(field) for field in group._fields})
        return values

    return taking(command, flags, packed)


def as_flag(name: str, annotation: object, default: object = None) -> inspect.Parameter:
    """A parameter of a command that is a flag."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def taking(
    command: Callable[..., None],
    flags: Sequence[inspect.Parameter],
    packed: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., None]:
    """A command with these flags in the place of its own; `packed` makes its arguments of their values."""

    @functools.wraps(command)
    def with_flags(**values: Any) -> None:
        command(**packed(values))

    with_flags.__signature__ = inspect.Signature(flags)  # type: ignore[attr-defined]
    with_flags.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return with_flags
