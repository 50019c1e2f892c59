"""PDF files: columns, running lines, hyphens and pages without text."""

import io
from functools import cache
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pdf_oxide
import pytest
from pages import ARTICLE, SENTENCES, pdf, placed
from pypdf import PdfWriter

from factreasoner.documents.page import Page
from factreasoner.documents.pdf import pdf_text
from factreasoner.documents.pdf_layout import joined, ordered
from factreasoner.documents.pdf_rows import PagePart, parts_of
from factreasoner.documents.reader import PageReader

COLUMNS_TEXT = (Path(__file__).parents[1] / "data" / "columns.txt").read_text(encoding="utf-8")
QUARRY, MILL, TOWER = (column.splitlines() for column in COLUMNS_TEXT.split("\n\n"))


def text(*pages, **options):
    return pdf_text(placed(*pages, **options), 1000).text


def column(lines, left, top=700, leading=14, size=11):
    return [(left, top - leading * n, line, size) for n, line in enumerate(lines)]


@cache
def width_of(line):
    """Width of a line in points, at the usual size."""
    document = pdf_oxide.PdfDocument.from_bytes(placed([(0, 700, line)]))
    left, _, width, _ = document.extract_words(0)[-1].bbox
    return left + width


def by_rows(*columns):
    """Columns drawn row by row."""
    return [item for row in zip(*columns, strict=True) for item in row]


COLUMNS = [
    by_rows(column(QUARRY, 72), column(MILL, 320)),
    [*column(QUARRY, 72), *column(MILL, 320)],
    by_rows(*(column(c, 40 + 120 * n, size=8, leading=10) for n, c in enumerate([QUARRY, MILL, TOWER]))),
    by_rows(column(QUARRY, 72), column(MILL, 216)),
    by_rows(column(QUARRY, 72), column(MILL, 320, top=693)),
    [
        (72, 740, "A History of the Valley and of Everyone who ever Lived in it", 14),
        *by_rows(column(QUARRY, 72), column(MILL, 320)),
    ],
    by_rows(column(QUARRY, 40), column(MILL, 230), column(TOWER, 420)),
    [*column(QUARRY, 72), *column(MILL, 72, top=600), *column(TOWER, 320)],
    [
        *by_rows(column(QUARRY, 72), column(MILL, 320)),
        (72, 600, "Afterwards"),
        (72, 580, "Both are gone today, and nothing in the valley reminds anybody of them."),
    ],
]


@pytest.mark.parametrize("page", COLUMNS)
def test_columns_are_read_one_after_another(page):
    found = text(page)
    for lines in (QUARRY, MILL):
        assert " ".join(lines) in found
    assert found.index("quarry") < found.index("mill")
    if len(page) > 12:
        assert found.endswith(" ".join(TOWER))
    if "Afterwards" in found:
        assert found.index("1925") < found.index("Afterwards")


COLUMN_TEXTS = Path(__file__).with_name("columns.txt").read_text(encoding="utf-8")
OTHER_COLUMNS, TALES, BODIES = (texts.splitlines() for texts in COLUMN_TEXTS.split("\n\n"))


@pytest.mark.parametrize("right", OTHER_COLUMNS)
@pytest.mark.parametrize("left", OTHER_COLUMNS)
def test_columns_need_no_small_letters(left, right):
    found = text([*column(left.split("|"), 72), *column(right.split("|"), 320)])
    assert found.split("\n") == [left.replace("|", " "), right.replace("|", " ")]


def justified(sentences, left, width, size):
    """A column of so many points: its words stand apart to fill all lines but the last."""
    lines, words = [[]], " ".join(sentences).split()
    for word in words:
        if width_of(" ".join([*lines[-1], word])) * size / 11 > width:
            lines.append([])
        lines[-1].append(word)
    apart = [(width - width_of(" ".join(line)) * size / 11) / max(1, len(line) - 1) for line in lines[:-1]]
    return [
        (left, 700 - 1.2 * size * n, " ".join(line), size, b"1 0 0 1", blank)
        for n, (line, blank) in enumerate(zip(lines, [*apart, 0], strict=True))
    ]


@pytest.mark.parametrize("many", [2, 3])
@pytest.mark.parametrize(("gap", "size"), [(9, 9), (11, 9), (11, 11), (14, 11), (17, 10), (20, 11)])
def test_justified_columns_keep_their_sentences(many, gap, size):
    width = (500 - gap * (many - 1)) / many
    tales = [[*TALES[n::many], TALES[n].replace("1", "2")] for n in range(many)]
    lefts = [50 + n * (width + gap) for n in range(many)]
    columns = [justified(tale, left, width, size) for tale, left in zip(tales, lefts, strict=True)]
    page = list(chain(*columns))
    assert text(page).replace("\n", " ") == " ".join(sentence for tale in tales for sentence in tale)
    drawn = sorted(page, key=lambda item: (-item[1], item[0]))
    assert text(drawn) == text(page)


@pytest.mark.parametrize("mark", ["\u2022", "-", "1.", "(a)"])
def test_lists_in_columns_are_read_one_after_another(mark):
    items = [f"{mark} {item}" for item in ("Apples", "Old pears", "Plums", "Carrots", "Leeks", "Peas")]
    assert text(by_rows(column(items[:3], 72), column(items[3:], 320))).split("\n") == items


@pytest.mark.parametrize("gap", [7, 9, 11, 13])
def test_words_across_a_narrow_blank_are_apart(gap):
    left = 72 + max(map(width_of, QUARRY)) + gap
    words = text(by_rows(column(QUARRY, 72), column(MILL, left))).split()
    assert sorted(words) == sorted(" ".join(QUARRY + MILL).split())
    if gap > 12:
        assert words == " ".join(QUARRY + MILL).split()


@pytest.mark.parametrize("words", ["Length Opened Cost", "Mill 412 1931", "Otter 30 9.5"])
def test_words_beside_one_another_are_apart(words):
    first, second, third = words.split()
    places = (72, 72 + width_of(first) + 1.6, 72 + width_of(first) + width_of(second) + 3.2)
    row = [(left, 700, word) for left, word in zip(places, (first, second, third), strict=True)]
    assert text(row) == words


def grid(rows, places=(72, 200, 330, 450), step=0):
    return [
        (place + step, 700 - 14 * n, cell)
        for n, row in enumerate(rows)
        for place, cell in zip(places, row.split("|"), strict=False)
        if cell
    ]


TABLES = Path(__file__).with_name("tables.txt").read_text(encoding="utf-8").strip("\n").split("\n\n")


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("places", [(90, 230, 340, 450), (100, 180, 236, 302)])
@pytest.mark.parametrize("table", TABLES)
def test_empty_cells_of_tables_keep_their_places(table, places, ends):
    rows = table.split("\n")
    page = [
        (left + (50 - width_of(cell)) * ends * (left > 100), top, cell)
        for left, top, cell in grid(rows, places)
    ]
    found = pdf_text(placed([(72, 740, "The numbers of the year, by place", 14), *page]), 10)
    lines = [" ".join(row.replace("|", " | ").split()).rstrip("| ") for row in rows]
    assert found.text.split("\n")[1:] == lines
    (read,) = found.tables
    assert [read.header, *found.text[read.start : read.end].split("\n")] == lines


OTTERS = ["Name|Length|Cost|Opened", "Otter Bridge|412 m|2 M|1931", "Mill Bridge|30 m|75 k|1890"]


@pytest.mark.parametrize("edges", [[], [(72, 60, "1 See the annual report of 1931.", 8), (290, 40, "3")]])
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (["Inn Bridge|70 m||1801", "New Bridge|80 m|5 k|1802", "Low Bridge|90 m||1803"], {"step": 40}),
        (["Inn Bridge|70 m|5 k|1801", "New Bridge|80 m|6 k|1802"], {"places": (72, 170, 240, 330)}),
        (["Inn Bridge|70 m|5 k|1801"], {"step": -20}),
    ],
)
def test_tables_over_pages_are_one(rows, options, edges):
    last = ["Top Bridge|70 m|7 k|1901", "Far Bridge|9 m|8 k|1902"]
    found = pdf_text(
        placed(*[[*half, *edges] for half in (grid(OTTERS), grid(rows, **options), grid(last))]), 10
    )
    lines = [" ".join(row.replace("|", " | ").split()) for row in [*OTTERS, *rows, *last]]
    (table,) = found.tables
    assert [table.header, *found.text[table.start : table.end].split("\n")] == lines


def report(header, footer, bodies=BODIES):
    """Pages with a line at their top and bottom each, and a sentence that runs over all of them."""
    return [
        [
            *([(72, 760, header(n))] if header(n) else []),
            (72, 600, body),
            *([(290, 40, footer(n))] if footer(n) else []),
        ]
        for n, body in enumerate(bodies, 1)
    ]


@pytest.mark.parametrize(
    ("header", "footer"),
    [
        (lambda n: "Annual Report 2020", lambda n: ""),
        (lambda n: "", lambda n: f"{n}"),
        (lambda n: "Annual Report 2020", lambda n: f"Page {n} of 5"),
        (lambda n: f"{n} | Annual Report", lambda n: "Confidential"),
        (lambda n: "Bridges" if n % 2 else "Annual Report", lambda n: f"- {n} -"),
        (lambda n: "", lambda n: ("i", "ii", "iii", "iv", "v")[n - 1]),
        (lambda n: "DRAFT", lambda n: f"12.05.2020 {n}/5"),
    ],
)
def test_running_lines_do_not_cut_sentences(header, footer):
    found = text(*report(header, footer))
    assert " ".join(BODIES) in found
    lines = {header(1), header(2) if header(2)[:1].isalpha() else "", footer(1)}
    for line in lines - {"", "1", "i", "- 1 -"}:
        assert found.count(line) == 1


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Annual Report"] * 3, ["Annual Report"]),
        (["Revenue 2019", "Revenue 2020", "Revenue 2021"], ["Revenue 2019", "Revenue 2020", "Revenue 2021"]),
        (["2019", "2020", "2021"], ["2019", "2020", "2021"]),
        (["Exhibit C", "Exhibit L", "Exhibit C"], ["Exhibit C", "Exhibit L"]),
        (["Total 5 apples", "Total 9 apples", "Total 9 apples"], ["Total 5 apples", "Total 9 apples"]),
        (["3 of 4 at 6 km", "4 of 4 at 7 km", "4 of 4 at 8 km"], ["3 of 4 at 6 km", "4 of 4 at 7 km"]),
        (["Page 7", "Page 8", "Page 9"], ["Page 7"]),
        (["7", "8", "9"], []),
        (["1" * 5_000, "2" * 5_000, "3"], []),
    ],
)
def test_differing_running_lines_are_kept(lines, expected):
    bodies = ["The mill burned", "down in the winter", "of that year."]
    pages = [[(72, 760, line), (72, 600, body)] for line, body in zip(lines, bodies, strict=True)]
    assert text(*pages).split("\n") == [" ".join(bodies), *expected]


NOTE = "1 See the annual report of 1931, page 12."


@pytest.mark.parametrize("cut", [2, 3])
@pytest.mark.parametrize(
    ("below", "above"),
    [
        ([(72, 90, NOTE, 8)], []),
        ([(72, 90, NOTE)], []),
        ([(72, 90, "* See the report, which was", 8), (72, 80, "printed later", 8)], []),
        ([(72, 90, "[1] Cf. the report", 9), (290, 40, "3")], [(290, 40, "4")]),
    ],
)
def test_edges_of_pages_cut_no_sentence(below, above, cut):
    pages = [[*column(BODIES[:cut], 72), *below], [*above, *column(BODIES[cut:], 72)]]
    found = text(*pages)
    assert found.startswith(" ".join(BODIES) + "\n")
    assert all(item[2] in found for item in [*below, *above] if not item[2].isdigit())


def test_headers_that_differ_cut_no_sentence():
    titles = ["The Bridge", "The Mill", "The Tower", "Trams", "The War"]
    pages = report(lambda n: titles[n - 1], lambda n: "")
    assert text(*pages).split("\n") == ["The Bridge", " ".join(BODIES), *titles[1:]]


def test_column_word_goes_on_behind_a_footnote():
    left = [*column([*QUARRY[:4], "until the win-"], 72), (72, 610, "1 See the report", 8)]
    found = text([*left, *column(["ter of 1911. A storm had", *MILL[2:]], 320)])
    assert "men until the winter of 1911. A storm had struck" in found
    assert found.endswith("\n1 See the report")


def test_lines_of_text_that_recur_stay():
    for gap in (14, 24):
        first = [(72, 740, "As was said above.")]
        pages = [first + column([f"Otter {n} weighs", "more."], 72, 740 - gap) for n in ("one", "two", "six")]
        assert text(*pages).count("As was said above.") == 3


@pytest.mark.parametrize("edges", [[], [(72, 785, "Annual Report"), (290, 40, "7")]])
@pytest.mark.parametrize("padding", [0, 8])
def test_header_rows_of_tables_stay(edges, padding):
    rows = ["Name|Length|Opened", "Otter Bridge|412 m|1931", "Mill Bridge|30 m|1890", "Old Bridge|9 m|1723"]
    drawn = grid(rows, (72, 250, 330))
    page = [(left, 45 + top - padding * (top < 700), cell) for left, top, cell in drawn]
    expected = "\n".join(rows).replace("|", " | ")
    found = text(*[[*page, *edges]] * 3)
    assert found == "\n\n".join([expected] * 3) + "\nAnnual Report" * bool(edges)


def test_pages_of_nothing_but_running_lines_are_read():
    assert text(*[[(72, 760, "Draft")]] * 3) == "Draft"


def test_lines_that_only_look_like_running_ones_stay():
    pages = [
        [(72, 740, f"Otter {n} weighs {n + 3} kg."), (72, 726, f"It was caught in {1900 + n}.")]
        for n in range(4)
    ]
    found = text(*pages)
    assert all(f"Otter {n} weighs {n + 3} kg." in found for n in range(4))
    assert "Annual Report" in text([(72, 760, "Annual Report"), (72, 700, "One page.")])


LINE_ENDS = Path(__file__).parents[1].joinpath("data/line_ends.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("case", LINE_ENDS)
def test_line_end_hyphens_are_distinguished(case):
    drawn, expected = case.split(" => ")
    lines = drawn.split("|")
    assert text(column(lines, 72)) == expected
    if "\xad" not in lines[0][:-1]:
        assert text(*[[(72, 700, line)] for line in lines]) == expected


@pytest.mark.parametrize(
    ("before", "small", "base", "expected"),
    [
        ("It is (a + b)", "2", 704, "It is (a + b)^2 crowns"),
        ("4 x 10", "-6", 704, "4 x 10^-6 crowns"),
        ("Opened in 1938", "1", 704, "Opened in 1938[1] crowns"),
        ("Opened in 1938", "[1]", 704, "Opened in 1938[1] crowns"),
        ("By Lindqvist", "1", 704, "By Lindqvist[1] crowns"),
        ("The 5", "th", 704, "The 5th crowns"),
        ("Some 5 km", "2", 704, "Some 5 km^2 crowns"),
        ("Of H", "2", 697, "Of H2 crowns"),
    ],
)
def test_small_letters_are_super_or_subscripts(before, small, base, expected):
    width, after = width_of(before), width_of(before) + 0.65 * (width_of(before + small) - width_of(before))
    line = [(72, 700, before), (72 + width, base, small, 7), (72 + after, 700, " crowns")]
    other = column(["The mill burned down in", "the winter of that year."], 320, 706)
    assert text(line) == expected
    assert expected in text([*line, *other])


@pytest.mark.parametrize("matrix", [b"0 1 -1 0", b"0 -1 1 0", b"0.7 0.7 -0.7 0.7"])
def test_turned_text_is_read(matrix):
    turned = (300, 300, "Not for sale", 20, matrix)
    assert text([turned]) == "Not for sale"
    assert text([(72, 700, "The mill burned down."), turned]) == "The mill burned down.\nNot for sale"
    page = [(100 + 14 * n, 60, line, 11, b"0 1 -1 0") for n, line in enumerate(TOWER)]
    assert text(page, turn=90) == " ".join(TOWER)


def test_lines_of_one_sentence_are_one_line():
    lines = ["It was built by the engineer Mara", "Lindqvist of Gothenburg, who was", "forty at the time."]
    assert text(column(lines, 72)) == " ".join(lines)
    assert text([(72, 740, "The Bridge", 18), *column(lines, 72)]) == "The Bridge\n" + " ".join(lines)
    assert text(column(["Length 412 m", "Width 30 m"], 72)) == "Length 412 m\nWidth 30 m"


def capped(first, *, cap="T", size=30, left=72, width=26, base=686):
    """A paragraph whose first line is `first`, with a drop cap before it."""
    beside = [(left + width, 700 - 14 * n, line) for n, line in enumerate([first, *LINES[: size // 15 - 1]])]
    below = [(left, 700 - 14 * n, line) for n, line in enumerate(LINES, 1) if n >= len(beside)]
    return [(left, base, cap, size), *beside, *below]


ENDS = [(500, "Total", "412 m"), (740, "Author", "Mara Lindqvist")]
LINES = [
    "from the next village. It gave work to forty men",
    "until the winter of 1911, when it was closed, and",
    "nobody came back to it after the war had ended.",
]


@pytest.mark.parametrize(
    ("page", "begins"),
    [
        (capped("he quarry was opened in 1890 by two men"), "The quarry was opened in 1890 by two men from"),
        (capped("HE QUARRY was opened in 1890 by two men"), "THE QUARRY was opened in 1890"),
        (capped("n 1890 two brothers came to the valley", cap="\u201cI", width=24), "\u201cIn 1890 two"),
        (capped("he quarry was opened in 1890 by two men", size=29, width=19, base=700), "The quarry was"),
        (capped("n 1890 two brothers came to the valley", cap="I", width=12), "In 1890 two brothers came"),
        (capped("bridge of stone leads to the village now", cap="A"), "A bridge of stone leads"),
        (capped("fter the war two brothers came to the hill", cap="A"), "After the war two brothers"),
    ],
)
def test_drop_caps_belong_to_their_words(page, begins):
    found = text(page)
    assert found.startswith(begins)
    assert " ".join(LINES) in found.replace("\n", " ")


def test_spaced_letters_beside_drop_caps_stay_words():
    found = pdf_text(placed(capped("he quarry was opened in 1890"), below=b"1.3 Tc\n"), 10).text
    assert found.startswith("The quarry was opened in 1890")


def test_lines_around_a_page_break_are_no_table():
    one, two = ([(72, at, left), (300, at, right)] for at, left, right in ENDS)
    found = pdf_text(placed([*column(LINES, 72), *one], [*two, *column(LINES, 72, 700)]), 10)
    assert found.tables == ()


def test_large_words_are_no_drop_caps():
    title = [(72, 740, "A Bridge of Stone", 24), *column(LINES, 72)]
    assert text(title) == "A Bridge of Stone\n" + " ".join(LINES)
    for large in ("B", " "):
        assert text([(72, 740, large, 24), *column(LINES, 72)]) == f"{large}\n".lstrip() + " ".join(LINES)


def test_pages_without_text_are_named():
    found = pdf_text(placed([(72, 700, "One.")], [], [(72, 700, "Three.")], []), 1000)
    assert found.text == "One.\n\nThree."
    assert found.partly == ("page 2 has no text", "page 4 has no text")
    assert pdf_text(placed([], []), 1000) == pdf_text(pdf(""), 1000)
    assert pdf_text(pdf("", ""), 1000).partly == ()


class Garbled:  # its words are read right, but not their letters, as with ligatures in PDFs of browsers
    def __init__(self, document, known):
        self.document, self.known = document, known

    def __getattr__(self, name):
        return getattr(self.document, name)

    def __getitem__(self, number):
        return self.document[number]

    def extract_chars(self, number):
        names = ("char", "origin_x", "origin_y", "advance_width", "font_size", "rotation_degrees")
        found = [{n: getattr(one, n) for n in names} for one in self.document.extract_chars(number)]
        for one in found[self.known :]:
            one["char"] = " " if one["char"].isspace() else "\ufffd"
        return [SimpleNamespace(**one) for one in found]


@pytest.mark.parametrize("known", [0, 22, 30])
def test_words_stand_for_garbled_letters(monkeypatch, known):
    line = "The mill burned down. It cost 10"
    page = [(72, 700, line), (72 + width_of(line), 704, "6", 7), (72, 686, "crowns to build it again.")]
    found = Garbled(pdf_oxide.PdfDocument.from_bytes(placed(page)), known)
    monkeypatch.setattr(pdf_oxide, "PdfDocument", SimpleNamespace(from_bytes=lambda data: found))
    assert pdf_text(b"%PDF %%EOF", 10).text == f"{line}^6 crowns to build it again."


@pytest.mark.parametrize("step", [-1.2, 0, 1.2])
def test_accents_over_letters_belong_to_them(step):
    at = 72 + width_of("M")
    name = [(72, 700, "M"), (at + step, 700, "\u00a8"), (at, 700, "uller"), (300, 686, "a \u00b4 b")]
    assert text(name).split() == ["M\u00fcller", "a", "\u00b4", "b"]


IMAGE = b"BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q\n"
WHOLE = b"q 612 0 0 792 0 0 cm " + IMAGE
LOGO = b"q 99 0 0 99 72 600 cm " + IMAGE


@pytest.mark.parametrize(
    ("image", "stamps", "named"),
    [
        (WHOLE, lambda n: [(72, 30, "Scanned with CamScanner")], [1, 2, 4]),
        (WHOLE, lambda n: [(300, 300, "COPY", 20, b"0 1 -1 0")], [1, 2, 4]),
        (WHOLE, lambda n: [(72, 760 if n < 3 else 400, "Draft")], [1, 2, 4]),
        (WHOLE, lambda n: [(200, 400, "Received 12 May 2020", 20)], [1, 2, 4]),
        (LOGO, lambda n: [(72, 760, "City of Otters")], []),
        (b"", lambda n: [(72, 760, "City of Otters")], []),
    ],
)
def test_stamped_scans_are_named(image, stamps, named):
    body = [(72, 500, "The mill burned down in the winter.")]
    pages = [stamps(0), stamps(1), stamps(2) + body, stamps(3)]
    found = pdf_text(placed(*pages, below=image), 1000)
    assert found.partly == tuple(f"page {n} has no text but a header, footer or stamp" for n in named)


def test_only_first_pages_and_title_are_read():
    first = pdf_text(pdf(*SENTENCES), 2)
    assert first.text == "\n\n".join(SENTENCES[:2])
    assert first.partly == (f"pages 3 to {len(SENTENCES)} were not read",)
    assert pdf_text(pdf(ARTICLE, title="The Bridge"), 20).title == "The Bridge"


@pytest.mark.parametrize(("password", "dropped"), [("secret", "encrypted PDF"), ("", "")])
def test_encrypted_pdf_is_one_that_needs_a_password(password, dropped):
    writer, file = PdfWriter(clone_from=io.BytesIO(pdf(ARTICLE))), io.BytesIO()
    writer.encrypt(password, owner_password="other", algorithm="RC4-128")
    writer.write(file)
    assert pdf_text(file.getvalue(), 20).dropped == dropped


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_cut_pdf_is_no_scan(share):
    whole = pdf(*SENTENCES * 3)
    found = pdf_text(whole[: int(share * len(whole))], 100)
    assert found.dropped == "damaged PDF" or "its end is missing" in found.partly
    assert pdf_text(whole + b"\n" * 9, 100).partly == ()


def test_circles_in_pdf_end():
    circle = pdf(ARTICLE, ARTICLE).replace(b"/Kids [", b"/Kids [2 0 R ", 1)
    assert PageReader(sift=False).read(Page("x.pdf", "", "", circle)).text == ARTICLE


@pytest.mark.parametrize("mark", ["\u2022", "1.", "(a)", "B."])
def test_marks_of_lists_belong_to_their_items(mark):
    items = ["The quarry was opened in the year", "1890 by two men from the village.", "It gave work to men."]
    marks = [(72, 700, mark), (72, 672, mark)]
    assert text([*marks, *column(items, 92)]) == f"{mark} {' '.join(items[:2])}\n{mark} {items[2]}"
    rows = by_rows(column([f"(7) {line}" for line in QUARRY], 40), column(MILL, 320))
    assert "(7) The quarry" in text(rows)
    assert " ".join(MILL) in text(rows)


def test_narrow_cells_need_blanks_within_them():
    rows = [
        "Name of it|Year it was|Who built it",
        "The Otter Bridge|in 1931|by Mara Lindqvist",
        "An inn|in 1801|by",
    ]
    lefts = [72, 78 + width_of("The Otter Bridge"), 84 + width_of("The Otter BridgeYear it was")]
    assert text(grid(rows, lefts)) == "\n".join(rows).replace("|", " | ")


def test_blanks_of_many_widths_part_no_cells():
    lines = [f")-{300 + 30 * n}(".join(line.split()).encode() for n, line in enumerate(LINES)]
    drawn = [b"BT /F1 11 Tf 72 %d Td [(%s)] TJ ET\n" % (600 - 14 * n, line) for n, line in enumerate(lines)]
    rows = ["An old otter|sleeps in the mill.", "An old badger|sleeps in the inn."]
    found = text(grid(rows, (72, 78 + width_of("An old badger"))), below=b"".join(drawn))
    assert found.split("\n")[:2] == [row.replace("|", " ") for row in rows]


def test_columns_stand_between_a_title_and_a_table():
    page = [(72, 740, "A Mill", 20), *column(QUARRY, 72, 706), *column(MILL, 320)]
    table = grid(["Name|Opened", "Otter|1931", "Inn|1801"], (72, 140))
    below = [(left, top - 120, cell) for left, top, cell in table]
    found = text([*page, *below, (72, 30, "report.html", 8), (500, 30, "1/1", 8)])
    assert found.startswith(f"A Mill\n{' '.join(QUARRY + MILL)}\nName | Opened\nOtter | 1931")


def test_stretched_lines_outside_columns_are_sentences():
    line = "The notation for the kind of the bridge is"
    page = [(72, 700, line, 11, b"1 0 0 1", 6), (72, 686, "the name of it, as it is written on the old map.")]
    assert text([*page, (500, 60, "7")]).startswith(f"{line} the name of it")


def part(words, left, right, *, full=False):
    return PagePart(words, left, right, 700, 11, full)


def test_lines_of_unspaced_scripts_are_joined_without_blank():
    after = part("開通した。", 72, 130)
    assert joined([part("橋は一九三一年に", 72, 300, full=True), after]) == "橋は一九三一年に開通した。"
    assert joined([part("橋の歴史", 72, 120), after]) == "橋の歴史\n開通した。"


def test_unspaced_script_columns_are_read_in_order():
    left, right = (
        ["橋は一九三一年に", "市長によって開通", "した。"],
        ["製粉所は火事で燃", "えてしまい何も残", "らなかった。"],
    )
    page = [
        PagePart(line, edge, edge + 88, 700 - 14 * n, 11)
        for edge, lines in ((72, left), (190, right))
        for n, line in enumerate(lines)
    ]
    assert [line.text for line in ordered(page)] == left + right


def test_row_words_are_joined_in_reading_order():
    hebrew = [part("עולם", 72, 90), part("שלום", 94, 112)]
    assert [row.text for row in parts_of(hebrew)] == ["שלום עולם"]
    assert [row.text for row in parts_of([part("Ot", 72, 84), part("ter", 84, 98)])] == ["Otter"]
