"""Text and title of Word documents and presentations, from the parts of their archive.

Runs in the calling process and takes the time it takes: for files nobody vouches for, use
:class:`factreasoner.documents.reader.PageReader`.
"""

from __future__ import annotations

import io
import zipfile

from factreasoner.documents.docx import WordDocument
from factreasoner.documents.html import one_line, whole_text
from factreasoner.documents.office_parts import xml_of
from factreasoner.documents.page import Extracted
from factreasoner.documents.pptx import Presentation

MOST_UNPACKED = 500_000_000
"""Bytes that all parts of a document may come to."""


def office_text(data: bytes, kind: str) -> Extracted:
    """Text and title of a docx or pptx. `partly` names what is in it and not read.

    Never raises for what `data` holds: the reason is in `dropped` ("damaged docx", "encrypted docx",
    "unpacks to more than 500 MB"). Raises MemoryError: it takes more than there is.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MOST_UNPACKED:
                return Extracted("", dropped=f"unpacks to more than {MOST_UNPACKED // 1_000_000} MB")
            if any(part.flag_bits & 1 for part in archive.infolist()):
                return Extracted("", dropped=f"encrypted {kind}")
            document = WordDocument(archive) if kind == "docx" else Presentation(archive)
            found = whole_text("".join(document.pieces()))
            title = _title(archive)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the parsers' ways to fail on hostile bytes; each is a fact about these alone
        return Extracted("", dropped=f"damaged {kind}")
    return Extracted(found.text, title, partly=tuple(dict.fromkeys(document.unread)), tables=found.tables)


def _title(archive: zipfile.ZipFile) -> str:
    name = "docProps/core.xml"
    titles = xml_of(archive, name).xpath("//*[local-name()='title']") if name in archive.namelist() else []
    return one_line("".join(titles[0].itertext())) if titles else ""
