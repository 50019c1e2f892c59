"""Pages made for tests: articles, PDF files."""

import zlib

SENTENCES = [
    "The Otter Bridge was opened to traffic on 4 May 1931 after six years of work.",
    "It spans the river at its narrowest point and is 412 metres long.",
    "The engineer Mara Lindqvist designed its two steel arches in Gothenburg.",
    "A fire damaged the southern tower in 1958, and repairs took eleven months.",
    "Trams crossed the bridge until 1964, when the line was moved to a tunnel.",
    "Today some 38,000 vehicles cross it each day, as the city council reported.",
]
ARTICLE = " ".join(SENTENCES)


def html(body=ARTICLE, title="Otter Bridge", head=""):
    """A page with a menu and a footer around an article."""
    menu = "".join(f"<li><a href='/{i}'>Menu entry {i}</a></li>" for i in range(12))
    paragraphs = "".join(f"<p>{part}</p>" for part in body.split("\n"))
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body><nav><ul>{menu}</ul></nav>"
        f"<main><article><h1>{title}</h1>{paragraphs}</article></main>"
        "<footer><p>© 2024 Example Media. All rights reserved.</p></footer></body></html>"
    ).encode()


def pdf(*pages, title=""):
    """A PDF file with one line of text for every line of each of `pages`."""
    lines = [[(72, 720 - 14 * n, line, 12) for n, line in enumerate(page.split("\n"))] for page in pages]
    return placed(*lines, title=title)


def placed(*pages, title="", below=b"", turn=0):
    """A PDF file of pages of (left, base, text), drawn over `below`; size, matrix and blank may follow."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids = []
    for page in pages:
        content = zlib.compress(below + b"BT\n" + b"".join(_drawn(*item) for item in page) + b"ET")
        objects.append(
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content)
        )
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate %d /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (turn, len(objects))
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) >>" % title.encode("latin-1"))
    data = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return (
        data + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + end % (size, len(objects), len(data))
    )


def _drawn(left, base, text, size=11, matrix=b"1 0 0 1", blank=0):
    shown = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"/F1 %g Tf %g Tw %s %g %g Tm (%s) Tj\n" % (size, blank, matrix, left, base, shown)
