"""`factreasoner index`: your documents into a collection, for `--retriever corpus`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from factreasoner.cli.flags import PROFILE, QUIET, Command, argument, flag
from factreasoner.models.formatting import number_of
from factreasoner.pipeline.config import Config
from factreasoner.report.terminal import print_text
from factreasoner.text.visible import one_line

if TYPE_CHECKING:
    from factreasoner.corpus.indexing import IndexReport


SHOWN = 150


class IndexCommand(Command, panels=("Own documents",), also=("max_cost", "search", "retrieve_k")):
    """Put your documents into a collection, for --retriever corpus. Unchanged files are skipped.

    Rerun the command to add new and changed files, or to complete an interrupted run.
    """

    continues = True
    paths: list[Path] | None = argument(
        "PATHS",
        "Files and folders: txt, md, html, pdf, docx, pptx; jsonl and csv with "
        "columns text, title and link. Links to folders are not followed.",
        None,
    )
    prune: bool = flag("Drop the passages of deleted files.", "--prune/--no-prune")
    profile: Path | None = PROFILE
    quiet: bool = QUIET
    list_: bool = flag("List the collections of the store.", "--list")
    find: str | None = flag("Print the passages that a search for QUERY finds, best first.", metavar="QUERY")
    delete: bool = flag("Delete the collection, after asking.")
    yes: bool = flag("Delete without asking.", "--yes", "-y")

    def _execute(self) -> int:
        asked = (bool(self.paths), self.list_, self.find is not None, self.delete)
        if sum(asked) != 1:
            message = "give paths, or one of --list, --find and --delete"
            raise typer.BadParameter(message, param_hint="PATHS")
        config = self.config
        self.continues = bool(self.paths)
        if self.paths:
            return _index(self.paths, config, prune=self.prune, quiet=self.quiet)
        if self.delete:
            _delete(config, yes=self.yes)
        elif self.find is not None:
            _find(self.find, config)
        else:
            _list(config)
        return 0


def _index(paths: list[Path], config: Config, *, prune: bool, quiet: bool) -> int:
    from factreasoner.calls.usage import Meter
    from factreasoner.corpus.indexing import index as index_files
    from factreasoner.documents.page import named
    from factreasoner.report.progress import index_progress

    meter = Meter()
    try:
        with index_progress(quiet=quiet) as listener, meter.stage("index"):
            report = index_files(paths, config, prune=prune, listener=listener)
    finally:
        if meter.total.calls and not quiet:
            used = meter.total
            cost = "unknown cost" if used.cost is None else f"${used.cost:.6f}"
            print_text(
                f"Embeddings: {number_of(used.calls, 'request')}, {used.prompt_tokens:,} tokens, {cost}.",
                err=True,
            )
    for problem in report.problems:
        print_text(f"not indexed: {one_line(problem)}", err=True)
    for problem in report.partly:
        print_text(f"read in part: {one_line(problem)}", err=True)
    for document in (*report.unread, *report.textless):
        print_text(f"skipped: {one_line(document)}", err=True)
    if report.guessed and not quiet:
        files = number_of(len(report.guessed), "file")
        print_text(f"not valid UTF-8: {files} ({one_line(named(report.guessed))})", err=True)
    if not quiet:
        _print(report, config)
    return 3 if report.problems or report.partly else 0


def _print(report: IndexReport, config: Config) -> None:
    if report.rebuilt:
        print_text("An interrupted run damaged the vectors; all were computed again.")
    files = [(report.added, "added"), (report.replaced, "replaced"), (report.unchanged, "unchanged")]
    files += [(len(report.partly), "read in part"), (report.dropped, "dropped"), (report.empty, "empty")]
    files += [(len(report.problems), "not readable")]
    counts = ", ".join(f"{count} {what}" for count, what in files if count) or "none"
    print_text(f"Files: {counts}. Passages: {report.passages} written, {report.total} in all.")
    if report.gone:
        print_text(f"Gone: {number_of(report.gone, 'indexed file')}; --prune drops the passages.")
    for name in report.emptied:
        print_text(f"{one_line(name)} no longer has any text; its passages were dropped.")
    if report.others:
        kinds = ", ".join(f"{count} {ending or 'without ending'}" for ending, count in report.others.items())
        print_text(f"Skipped: {number_of(sum(report.others.values()), 'file')} of other kinds ({kinds}).")
    if report.total:
        store = "" if config.store is None else f" --store {shlex.quote(str(config.store))}"
        print_text(
            f"Search it with `run` or `assess`: --retriever corpus --collection {config.collection}{store}"
        )


def _find(query: str, config: Config) -> None:
    """Print the passages that a run would retrieve for a text: position and nearest part."""
    from factreasoner.report.console import Terminal, plain
    from factreasoner.retrieval.corpus import CorpusRetriever
    from factreasoner.retrieval.per_atom import Query
    from factreasoner.runs.manifest import unfinished_states
    from factreasoner.text.passages import excerpt

    retriever = CorpusRetriever(config)
    for note in unfinished_states(retriever.collections):
        print_text(one_line(note), err=True)
    found = retriever.search(Query(query))
    rows = [
        (str(n), f"{plain(passage.note)}\n[dim]{plain(excerpt(passage.text, query, SHOWN))}[/dim]")
        for n, passage in enumerate(found, start=1)
    ]
    if rows:
        Terminal().columns(("", "passage"), rows)
    else:
        print_text("No passage found.")


def _delete(config: Config, *, yes: bool) -> None:
    from factreasoner.corpus.store import Store

    with Store.writing(config) as store:
        count = store.collection(config.collection).count()
        what = f"collection {config.collection} ({number_of(count, 'passage')}) of store {store.folder}"
        if not yes and not sys.stdin.isatty():
            raise typer.BadParameter(f"add --yes to delete {what}", param_hint="--delete")
        if not yes and not typer.confirm(f"Delete {one_line(what)}?"):
            print_text("Nothing was deleted.")
            raise typer.Exit(1)
        store.delete(config.collection)
    print_text(f"Deleted {what}")


def _list(config: Config) -> None:
    """Print the collections of the store: passages, files and settings."""
    from factreasoner.corpus.store import Store

    store = Store(config)
    for name in store.names():
        collection = store.collection(name)
        rows = [name, number_of(collection.count(), "passage"), f"embedding {collection.made.embedding}"]
        if not collection.made.revision:
            rows.append("incomplete: indexing is in progress or was interrupted")
        print_text("\t".join(rows))
        for (path, _), note in collection.notes().items():
            print_text(one_line(f"read in part: {path}: {note}"))
