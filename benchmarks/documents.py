"""How long reading documents takes, and how much memory, beside the libraries alone.

    python benchmarks/documents.py [--pages 100] [--hostile]

Prints seconds of processor time and peak memory for a hundred pages of some 400 words, a process each: as
they are read here, and by the library below it (pdf-oxide, lxml, markdown-it), which only takes the text out.
`--hostile` reads files that are made to take long, through the process that is killed when it does.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "documents"))

from office_files import docx, packed, paragraph, pptx, text_shape
from pages import pdf, placed

LINE = "The bridge was opened in 1931 after six years of work, and it"
LINES = 32
"""Lines of a page."""


def files(pages: int) -> dict[str, bytes]:
    """A document of so many pages of each kind."""
    text = " ".join([f"{LINE} is number"] * LINES)
    table = "".join(f"<tr><td>{n}<td>Bridge<td>{LINE}" for n in range(LINES))
    return {
        "pdf": pdf(*["\n".join([LINE] * LINES)] * pages),
        "docx": docx(paragraph(text) * pages),
        "pptx": pptx(*[text_shape(text)] * pages),
        "html": f"<html><body>{f'<p>{text}<table>{table}</table>' * (pages // 2)}".encode(),
        "markdown": (f"# Head\n\n{text} **bold** `code`\n\n" * pages).encode(),
    }


def hostile() -> dict[str, tuple[str, bytes]]:
    """Files that take long, or more memory than there is, by what they do: the kind and the bytes."""
    cell = f"<td rowspan=60000>{'x' * 299}"
    scattered = [(n % 600, 700 - n // 600, "word") for n in range(20_000)]
    return {
        "pdf, 1,000 pages": ("pdf", pdf(*["\n".join([LINE] * LINES)] * 1_000)),
        "pdf, pages in a circle": ("pdf", pdf(LINE, LINE).replace(b"/Kids [", b"/Kids [2 0 R ", 1)),
        "pdf, 20,000 words over one another": ("pdf", placed(scattered)),
        "pdf, damaged": ("pdf", pdf(*[LINE] * 1_000)[:-400]),
        "docx, 400 MB unpacked": ("docx", packed({"word/document.xml": bytes(400_000_000)})),
        "docx, deep": ("docx", docx("<w:p>" * 100_000)),
        "docx, 100,000 paragraphs": ("docx", docx(paragraph(LINE) * 100_000)),
        "html, spans that multiply": ("text/html", f"<table><tr>{cell * 100}{'<tr><td>y' * 60_000}".encode()),
        "html, deep": ("text/html", b"<div>" * 500_000),
        "markdown, brackets": ("markdown", b"[" * 200_000),
        "markdown, emphasis": ("markdown", b"*a **b " * 50_000),
    }


def read(kind: str, data: bytes, *, alone: bool) -> int:
    """Read a document; how many characters it has."""
    if not alone:
        from factreasoner.documents.extract import extract

        return len(extract(data, "text/html" if kind == "html" else kind, pages=10_000, sift=False).text)
    if kind == "pdf":
        import pdf_oxide

        document = pdf_oxide.PdfDocument.from_bytes(data)
        return sum(len(document.extract_text(number)) for number in range(document.page_count()))
    if kind == "markdown":
        from markdown_it import MarkdownIt

        return len(MarkdownIt("commonmark").render(data.decode()))
    from lxml import etree, html

    if kind == "html":
        return len(html.document_fromstring(data).text_content())
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.endswith(".xml")]
        return sum(len("".join(etree.fromstring(archive.read(name)).itertext())) for name in names)


def measured(kind: str, pages: int, *, alone: bool) -> tuple[float, float]:
    """Seconds and MiB that reading takes, in a process of its own, its start not counted."""
    command = [sys.executable, __file__, "--one", kind, "--pages", str(pages)] + ["--alone"] * alone
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def one(kind: str, pages: int, *, alone: bool) -> None:
    """Print what reading one document takes, once what it needs is imported."""
    read(kind, files(1)[kind], alone=alone)
    data = files(pages)[kind]
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    read(kind, data, alone=alone)
    seconds = time.process_time() - start
    print(json.dumps([seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024]))


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--one", choices=files(1), help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.one, given.pages, alone=given.alone)
    elif given.hostile:
        from factreasoner.documents.page import Page
        from factreasoner.documents.reader import PageReader

        reader = PageReader(seconds=300, pages=10_000, sift=False)
        for name, (kind, data) in hostile().items():
            start = time.perf_counter()
            found = reader.read(Page("x", kind, "", data))
            seconds, told = time.perf_counter() - start, found.dropped or f"{len(found.text):,} characters"
            print(f"{name:36}{seconds:7.1f} s  {told}", flush=True)
    else:
        print(f"{given.pages} pages   here: s    MiB   library alone: s    MiB")
        for kind in files(1):
            here, alone = (measured(kind, given.pages, alone=alone) for alone in (False, True))
            print(f"{kind:16}{here[0]:7.2f}{here[1]:7.0f}{alone[0]:19.2f}{alone[1]:7.0f}")


if __name__ == "__main__":
    main()
