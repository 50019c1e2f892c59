"""Sources given by the user: files of every supported kind, and pages by URL."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from factreasoner.corpus.documents import BINARY, Document, documents_of, text_of
from factreasoner.documents.page import Extracted, notes_on
from factreasoner.errors import (
    DocumentError,
    FetchError,
    ForbiddenUrlError,
    InputError,
    InputProblem,
    MissingExtraError,
)
from factreasoner.files import describe_read_error, open_file, uncompressed_name
from factreasoner.models import Context
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.web.addresses import INTRANET
from factreasoner.web.connection import Resolver, system_resolver
from factreasoner.web.fetch import Fetcher

log = logging.getLogger(__name__)

STANDARD_INPUT = "-"
_RICH = frozenset({".pdf", ".docx", ".pptx"})
"""Kinds whose text is extracted from an answer's file; others are read as they are."""
_REMEDIES = dict.fromkeys(INTRANET, "; `allow_private_hosts=True` allows it") | {
    "content type": "; a URL may name a page, text, PDF or office document: save this, and name the file",
    BINARY: "; name a file of text in UTF-8, or a PDF or office document",
}
"""Fixes for pages that are not fetched or files that are not read, by reason."""
_SAVE = "; check the address, or save the page and name the file"


def read_sources(
    names: Sequence[str],
    config: RetrievalSettings,
    flag: str = "--source",
    *,
    resolver: Resolver = system_resolver,
) -> tuple[Context, ...]:
    """The sources as contexts with ids "1", "2", ... in order.

    A name is a URL (http or https), a file of text or of a kind that `index` supports, or - for standard
    input. Each row of a file of rows is a source. `resolver` replaces DNS.

    Raises:
        InputError: with every source that can't be read, and why.
        MissingExtraError: the packages for pages or documents are not installed.
    """
    problems: list[InputProblem] = []
    found: list[Document] = []
    for name in names:
        try:
            found += _documents(name, config, resolver)
        except (DocumentError, FetchError) as error:
            message = str(error) if name in str(error) else f"{name}: {error}"
            if isinstance(error, FetchError):
                other = "" if isinstance(error, ForbiddenUrlError) else _SAVE
                message += _REMEDIES.get(error.reason, other)
            problems.append(InputProblem(flag, "", message))
        except MissingExtraError as error:
            error.add_note(f"{flag} {name} can't be read without it.")
            raise
    if problems:
        raise InputError(problems)
    return tuple(
        Context(id=str(n), text=source.text, title=source.title, link=source.link)
        for n, source in enumerate(found, start=1)
    )


def read_text(name: str) -> str:
    """The text of a file, with Markdown and HTML marks; - is standard input.

    PDF and office documents are read, and other files decoded, as by `index`.

    Raises:
        InputError: it can't be read, or has no text.
        MissingExtraError: the packages for its kind are not installed.
    """
    path, shown = Path(name), "standard input" if name == STANDARD_INPUT else name
    try:
        if uncompressed_name(path).suffix.lower() in _RICH:
            return "\n\n".join(document.text for document in _of_file(path))
        with nullcontext(sys.stdin.buffer) if name == STANDARD_INPUT else open_file(path) as file:
            data = file.read()
        with suppress(UnicodeDecodeError):
            return data.decode("utf-8-sig")  # whatever control characters it has
        found = text_of(data, shown)
        _warn(found, shown)
        return found.text
    except DocumentError as error:
        why = str(error).removeprefix(f"{shown}: ")
        raise InputError([InputProblem(shown, "", why + _REMEDIES.get(why, ""))]) from error
    except OSError as error:
        raise InputError([InputProblem(name, "", describe_read_error(error))]) from error


def _warn(read: Document | Extracted, name: str) -> None:
    for note in notes_on(read.guessed, read.partly):
        log.warning("%s: %s", name, note)


def _documents(name: str, config: RetrievalSettings, resolver: Resolver) -> list[Document]:
    """The texts of one source. Raises DocumentError or FetchError."""
    if name.lower().startswith(("http://", "https://")):
        return [_page(name, config, resolver)]
    path = Path(name)
    if name == STANDARD_INPUT:
        return [Document(read_text(name))]
    if name.lower().startswith("file:"):
        raise DocumentError(f"{name}: give the path of the file, without file://")
    if "://" in name:
        raise DocumentError(f"{name}: only http:// and https:// are fetched; save it, and name the file")
    if path.is_dir():
        raise DocumentError(f"{path}: a folder; name its files, each by itself")
    if not path.exists():
        raise DocumentError(f"{path}: can't be read: there is no such file")
    return _of_file(path) if path.is_file() else [Document(read_text(name))]  # as `<(command)`


def _of_file(path: Path) -> list[Document]:
    """The texts of a file, at least one."""
    found = []
    for document in documents_of(path, others="text"):
        if isinstance(document, Document):
            _warn(document, str(path))
            found.append(document)
        elif not document.blank:
            raise DocumentError(f"{path}: {document}")
    if not found:
        raise DocumentError(f"{path}: no text in it")
    return found


def _page(url: str, config: RetrievalSettings, resolver: Resolver) -> Document:
    from factreasoner.retrieval.web_pages import WebPages  # needs the packages that read pages

    page = WebPages(Fetcher(config, resolver=resolver), config).text(url)
    _warn(page, url)
    return Document(page.text, page.title, url)
