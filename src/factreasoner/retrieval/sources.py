"""Sources that a person names: files of every kind that is read, and pages by their URL."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from factreasoner.errors import DocumentError, FetchError, InputError, InputProblem
from factreasoner.models import Context
from factreasoner.settings import Config
from factreasoner.web.connection import Resolver, system_resolver

STANDARD_INPUT = "-"


class _Text(NamedTuple):
    text: str
    title: str
    link: str = ""


def read_sources(
    names: Sequence[str], config: Config, *, resolver: Resolver = system_resolver
) -> tuple[Context, ...]:
    """The sources as contexts with ids "1", "2", ... in the order they are named.

    A name is a URL (http or https), a file of a kind that `index` reads, or - for standard input. A file of
    rows is a source a row. `resolver` stands in for DNS.

    Raises:
        InputError: with every source that can't be read, and why.
        MissingExtraError: the packages that read pages or documents are not installed.
    """
    reader = _SourceReader(config, resolver)
    problems: list[InputProblem] = []
    found: list[_Text] = []
    for name in names:
        try:
            found += reader.texts(name)
        except (DocumentError, FetchError) as error:
            problems.append(InputProblem("--source", "", _named(name, str(error))))
    if problems:
        raise InputError(problems)
    return tuple(
        Context(id=str(n), text=source.text, title=source.title, link=source.link)
        for n, source in enumerate(found, start=1)
    )


def read_text(name: str) -> str:
    """The text of a file, marks of Markdown and tags of HTML included; - is standard input.

    Of a PDF and of office documents it is what `index` reads.

    Raises:
        InputError: it can't be read, is not UTF-8, or holds no text.
        MissingExtraError: the packages that read its kind are not installed.
    """
    path = Path(name)
    if name != STANDARD_INPUT and path.suffix.lower() in _RICH:
        from factreasoner.corpus.documents import DocumentReader

        try:
            return "\n\n".join(str(getattr(d, "text", "")) for d in DocumentReader().documents(path))
        except DocumentError as error:
            raise InputError([InputProblem("--text", "", str(error))]) from error
    try:
        data = sys.stdin.buffer.read() if name == STANDARD_INPUT else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError([InputProblem(name, "", f"can't be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 (byte {error.start}); convert it: iconv -t UTF-8"
        raise InputError([InputProblem(_shown(name), "", problem)]) from error


_RICH = frozenset({".pdf", ".docx", ".pptx", ".odt", ".odp", ".epub"})
"""Kinds of which an answer's text is taken out; any other file is read as the text it is."""


class _SourceReader:
    def __init__(self, config: Config, resolver: Resolver) -> None:
        self._config = config
        self._resolver = resolver

    def texts(self, name: str) -> list[_Text]:
        """The texts of one source. Raises DocumentError or FetchError."""
        if name.lower().startswith(("http://", "https://")):
            return [self._page(name)]
        if name == STANDARD_INPUT:
            return [_Text(read_text(name), "standard input")]
        path = Path(name)
        if path.is_dir():
            raise DocumentError(f"{path}: a folder; name its files, each with --source")
        found = list(self._documents(path))
        if not found:
            raise DocumentError(f"{path}: no text in it")
        return found

    def _documents(self, path: Path) -> Iterator[_Text]:
        from factreasoner.corpus.documents import DocumentReader
        from factreasoner.corpus.rows import BadRow

        for document in DocumentReader().documents(path):
            if isinstance(document, BadRow):
                raise DocumentError(f"{path}: {document}")
            yield _Text(document.text, document.title, document.link)

    def _page(self, url: str) -> _Text:
        from factreasoner.retrieval.web_pages import WebPages
        from factreasoner.web.fetch import Fetcher

        pages = WebPages(Fetcher(self._config, resolver=self._resolver), self._config)
        page = pages.text(url)
        if page.dropped or not page.text:
            raise DocumentError(f"{url}: {page.dropped or 'no text on it'}; save the page and name the file")
        return _Text(page.text, page.title, url)


def _named(name: str, message: str) -> str:
    return message if name in message else f"{name}: {message}"


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD_INPUT else name
