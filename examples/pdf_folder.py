"""Check the claims of a Markdown document against a folder of PDF files. Needs no key.

    pip install '.[corpus]'
    python examples/pdf_folder.py [DOCUMENT.md FOLDER]

Without arguments the document and two PDF files are made in runs/. The first command indexes the folder, and
skips what has not changed when it is run again; the second searches it for each claim.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

DOCUMENT = """# Visiting the lighthouse

The tower of Skerry Point is 38 metres high. The museum at Skerry Point opened in **1930**.
Entry to the museum costs 4 euros.
"""
SOURCES = {
    "history": "The tower of Skerry Point is 38 metres high. It was lit for the first time in 1871.",
    "museum": "The museum at Skerry Point opened in 1932. It is closed on Mondays.",
}


def pdf(text: str) -> bytes:
    """A PDF file of one page."""
    lines = " ".join(f"({line}) Tj T*" for line in textwrap.wrap(text, 80))
    content = f"BT /F1 12 Tf 14 TL 72 720 Td {lines} ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    file, table = "%PDF-1.4\n", "0000000000 65535 f \n"
    for number, written in enumerate(objects, 1):
        table += f"{len(file):010d} 00000 n \n"
        file += f"{number} 0 obj\n{written}\nendobj\n"
    end = f"xref\n0 6\n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return (file + end).encode("latin-1")


def made(folder: Path) -> tuple[str, str]:
    """The document and the folder of this example."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in SOURCES.items():
        (folder / f"{name}.pdf").write_bytes(pdf(text))
    document = folder.parent / "lighthouse.md"
    document.write_text(DOCUMENT, encoding="utf-8")
    return str(document), str(folder)


def main() -> None:
    """Index the folder, then check the document."""
    document, folder = sys.argv[1:] or made(Path("runs/pdfs"))
    store = ("--store", "runs/store")
    for command in (["index", folder], ["assess", "--file", document, "--retriever", "corpus"]):
        done = subprocess.run([sys.executable, "-m", "factreasoner", *command, *store])
        if done.returncode:
            sys.exit(done.returncode)  # the command has said why


if __name__ == "__main__":
    main()
