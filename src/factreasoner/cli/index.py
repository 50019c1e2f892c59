"""`factreasoner index`: own documents into a collection, for `--retriever corpus`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.options import Quiet
from factreasoner.cli.settings import takes_settings
from factreasoner.cli.terminal import one_line, say

if TYPE_CHECKING:
    from factreasoner.config import Config
    from factreasoner.retrieval.corpus.indexing import IndexReport


@takes_settings("Own documents")
def index(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files and folders: txt, md, html, pdf, docx, pptx, odt, odp, epub; jsonl and csv with "
            "columns text, title and link. "
            "Links to folders are not followed."
        ),
    ] = None,
    prune: Annotated[bool, typer.Option(help="Drop what is known of files that are gone.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the collections of the store.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Print what the collection holds.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the collection.")] = False,
    quiet: Quiet = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Put own documents into a collection, for --retriever corpus. Unchanged files are skipped.

    The same command again takes up new and changed files, and completes a run that was cut off.
    """
    from factreasoner.config import load_config

    wanted = [bool(paths), list_, stats, delete]
    if sum(wanted) != 1:
        raise typer.BadParameter("give paths, or one of --list, --stats and --delete", param_hint="PATHS")
    config = load_config(None, settings)
    if paths:
        raise typer.Exit(_index(paths, config, prune=prune, quiet=quiet))
    _manage(config, list_=list_, stats=stats)


def _index(paths: list[Path], config: Config, *, prune: bool, quiet: bool) -> int:
    from factreasoner.cli.index_progress import index_progress
    from factreasoner.retrieval.corpus.indexing import index as index_files

    with index_progress(quiet=quiet) as tell:
        report = index_files(paths, config, prune=prune, tell=tell)
    for problem in report.problems:
        say(f"not indexed: {one_line(problem)}", err=True)
    for document in report.unread:
        say(f"left out: {one_line(document)}", err=True)
    if not quiet:
        _print(report, config)
    return 3 if report.problems else 0


def _print(report: IndexReport, config: Config) -> None:
    if report.rebuilt:
        say("The collection was damaged by a run that was cut off, and is made anew from its files.")
    files = [(report.added, "added"), (report.replaced, "replaced"), (report.unchanged, "unchanged")]
    files += [(report.partly, "read in part"), (report.dropped, "dropped"), (report.empty, "empty")]
    files += [(len(report.problems) - report.partly, "not readable")]
    counts = ", ".join(f"{count} {what}" for count, what in files if count) or "none"
    say(f"Files: {counts}. Passages: {report.passages} written, {report.total} in all.")
    if report.gone:
        say(f"{report.gone} files known before are gone; --prune drops their passages.")
    for name in report.emptied:
        say(f"{one_line(name)} has no text any more; its passages are dropped.")
    if report.others:
        kinds = ", ".join(f"{count} {ending or 'without ending'}" for ending, count in report.others.items())
        say(f"{sum(report.others.values())} files of other kinds are left out: {kinds}.")
    if report.total:
        say(f"Search it with --retriever corpus --collection {config.collection}")


def _manage(config: Config, *, list_: bool, stats: bool) -> None:
    """--list, --stats or --delete."""
    from factreasoner.retrieval.corpus.store import Store

    store = Store(config)
    if list_:
        for name in store.names():
            collection = store.collection(name)
            say(f"{name}\t{collection.count()} passages\tembedding {collection.made.embedding}")
        return
    if not stats:
        with store.locked():
            store.delete(config.collection)
        say(f"Deleted collection {config.collection} of store {store.where}")
        return
    collection = store.collection(config.collection)
    held = collection.held()
    made = collection.made
    rows = {
        "collection": collection.name,
        "store": store.where,
        "files": len(held),
        "passages": collection.count(),
        "embedding": made.embedding + (f" ({made.dimension} numbers)" if made.vectors else ""),
        "state": "whole" if made.revision else "an index run is under way or was cut off",
        "from": ", ".join(made.roots),
    }
    for name, value in rows.items():
        say(f"{name}: {one_line(str(value))}")
