"""The command line: `factreasoner run|score|assess|doctor`.

Exit codes: 0 all assessed; 1 the input or a setting is wrong; 2 usage; 3 finished, but some records or
judgements failed; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from factreasoner import __version__
from factreasoner.cli.assess import assess
from factreasoner.cli.doctor import doctor
from factreasoner.cli.run import run
from factreasoner.cli.score import score
from factreasoner.errors import FactReasonerError, InputError

app = typer.Typer(
    name="factreasoner",
    help="How much of a long answer is true, atom by atom, with the evidence behind it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (run, score, assess, doctor):
    app.command(no_args_is_help=command not in (doctor,))(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"factreasoner {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; every expected error becomes a message and an exit code, never a traceback."""
    try:
        app()
    except KeyboardInterrupt:
        _leave("Interrupted; the same command goes on from here.", 130)
    except InputError as error:
        count = len(error.problems)
        _leave(f"{error}\n{count} problem{'s' if count > 1 else ''} in the input; nothing was assessed.", 1)
    except FactReasonerError as error:
        _leave(f"Error: {error}", 1)
    except Exception as error:
        if os.environ.get("FACTREASONER_DEBUG"):
            raise
        _leave(
            f"Internal error: {type(error).__name__}: {error}\nThis is a fault of factreasoner; "
            "FACTREASONER_DEBUG=1 shows where it happened. What was assessed is kept.",
            1,
        )


def _leave(message: str, code: int) -> None:
    """Exit at once: calls in flight are abandoned rather than waited for."""
    typer.echo(message, err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
