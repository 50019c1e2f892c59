"""Word documents and presentations are read whole."""

import io
import random
import re
import unicodedata
import zipfile
import zlib
from pathlib import Path

import pytest
from office_files import MATH, MC, chart, docx, packed, paragraph, pptx, run, slide_table, text_shape

from factreasoner.documents import extract


def office_text(data, kind):
    return extract.extract(data, kind, sift=False)


TABLE = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>".format(
    *map(paragraph, ("Length", "412 m"))
)
BOX = f"<w:txbxContent>{paragraph('In a box.')}</w:txbxContent>"


def text(body, **parts):
    found = office_text(docx(body, **parts), "docx")
    assert found.dropped == ""
    return found.text


def test_word_document_gives_text_and_title():
    body = (
        paragraph("Café &amp; Otter Bridge")
        + f"<w:sdt><w:sdtPr><w:alias w:val='no'/></w:sdtPr><w:sdtContent>{paragraph('In a control.')}</w:sdtContent></w:sdt>"
        + TABLE
        + f"<w:p><w:ins>{run('Opened ')}</w:ins><w:del><w:r><w:delText>1930</w:delText></w:r></w:del>{run('in 1931.')}</w:p>"
    )
    expected = "Café & Otter Bridge\nIn a control.\nLength | 412 m\nOpened in 1931."
    found = office_text(docx(body, "The Bridge"), "docx")
    assert (found.text, found.title, found.partly) == (expected, "The Bridge", ())


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (f'<w:fldSimple w:instr="DATE">{run("4 May")}</w:fldSimple>', "4 May"),
        (f'<w:fldSimple w:instr="REF x"><w:hyperlink>{run("4 May")}</w:hyperlink></w:fldSimple>', "4 May"),
        (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r>'
            f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("4 May")}',
            "4 May",
        ),
        (
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
            '<w:listEntry w:val="3 May"/><w:listEntry w:val="4 May"/></w:ddList></w:ffData></w:fldChar></w:r>',
            "4 May",
        ),
        ('<w:r><w:pict><v:shape xmlns:v="v"><v:textpath string="4 May"/></v:shape></w:pict></w:r>', "4 May"),
        (run("4 x 10") + run("6", '<w:vertAlign w:val="superscript"/>') + run(" m"), "4 x 10^6 m"),
        (run("4 x 10") + run("6", '<w:vertAlign w:val="subscript"/>'), "4 x 106"),
        (f'<w:bdo w:val="rtl">{run("4 May")}</w:bdo>', "4 May"),
        (f'<w:dir w:val="ltr">{run("4 May")}</w:dir>', "4 May"),
        (f"<w:smartTag>{run('4')}<w:customXml>{run(' May')}</w:customXml></w:smartTag>", "4 May"),
        (f"<w:moveTo>{run('4 May')}</w:moveTo><w:moveFrom>{run('5 June')}</w:moveFrom>", "4 May"),
        (
            f"<w:r><w:ruby><w:rubyPr/><w:rt>{run('とう')}</w:rt><w:rubyBase>{run('東')}</w:rubyBase></w:ruby></w:r>",
            "東(とう)",
        ),
        (
            f'<w:r><mc:AlternateContent xmlns:mc="{MC}"><mc:Choice Requires="x"><w:t>4 May</w:t></mc:Choice>'
            "<mc:Fallback><w:t>4 May</w:t></mc:Fallback></mc:AlternateContent></w:r>",
            "4 May",
        ),
        (
            f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice Requires="x"><w:r><w:drawing/></w:r></mc:Choice>'
            f"<mc:Fallback>{run('4 May')}</mc:Fallback></mc:AlternateContent>",
            "4 May",
        ),
        (
            "<w:r><w:t>4</w:t><w:noBreakHyphen/><w:t>5</w:t><w:softHyphen/><w:tab/><w:t>May</w:t></w:r>",
            "4-5 May",
        ),
        ('<w:r><w:t>5 </w:t><w:sym w:font="Symbol" w:char="00B0"/><w:sym w:char="F0B7"/></w:r>', "5 °"),
        ('<w:r><w:sym w:font="Symbol" w:char="F0B3"/><w:sym w:font="Symbol" w:char="006D"/></w:r>', "≥μ"),
        (f'<w:hyperlink r:id="x" xmlns:r="r">{run("4 May")}</w:hyperlink>', "4 May"),
        ('<w:r><w:rPr><w:strike w:val="0"/><w:vanish w:val="false"/></w:rPr><w:t>4 May</w:t></w:r>', "4 May"),
    ],
)
def test_wrapped_words_are_read(inside, expected):
    assert text(f"<w:p>{run('Opened on ')}{inside}{run('.')}</w:p>") == f"Opened on {expected}."


def field(instruction, result):
    """A complex field; fields may be in its instruction."""
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    return f"{marks[0]}{instruction}{marks[1]}{run(result)}{marks[2]}"


UNSHOWN = (
    *(
        f"<w:r><w:{name}/></w:r>"
        for name in ("noBreakHyphen", "br", "tab", "object", 'footnoteReference w:id="2"')
    ),
    '<w:r><w:sym w:font="Symbol" w:char="00B0"/></w:r>',
    '<w:r><w:pict><v:shape xmlns:v="v"><v:textpath string="4 May"/></v:shape></w:pict></w:r>',
)
INSTRUCTION = "<w:r><w:instrText>IF </w:instrText></w:r>"
OPEN = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + INSTRUCTION
END = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
HIDDEN_END = END.replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>")
OPENED = OPEN + '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'


@pytest.mark.parametrize(
    "inside",
    [
        field(INSTRUCTION + field(INSTRUCTION, "450") + INSTRUCTION, "500"),
        field(INSTRUCTION + field(field(INSTRUCTION, "4"), "450") + field(INSTRUCTION, "5"), "500"),
        field(INSTRUCTION, "5") + field(INSTRUCTION, "00"),
        field(INSTRUCTION, "5</w:t></w:r>" + field(INSTRUCTION, "0") + "<w:r><w:t>0"),
        field(f"<w:hyperlink>{field(INSTRUCTION, '450')}</w:hyperlink>", "500"),
        OPEN + HIDDEN_END + field(INSTRUCTION, "500"),
        OPEN + f"<w:del>{END}</w:del>" + field(INSTRUCTION, "500"),
        OPEN + field(INSTRUCTION, "500"),
        OPENED + field(INSTRUCTION, "500"),
        f"{OPEN}</w:p><w:p>{field(INSTRUCTION, '500')}",
        f"{OPENED}</w:p><w:p>{field(INSTRUCTION, '500')}",
        OPEN + OPEN + field(INSTRUCTION + field(INSTRUCTION, "450"), "500"),
        field(INSTRUCTION, "5") + OPEN + field(INSTRUCTION, "00"),
        field(INSTRUCTION, "5</w:t></w:r>" + OPEN + "<w:r><w:t>00"),
        f"{field(INSTRUCTION, '500')}<w:r><w:fldChar w:fldCharType='end'/></w:r>",
        *(field(INSTRUCTION + part, "500") for part in UNSHOWN),
        *(field(field(part, f"4</w:t></w:r>{part}<w:r><w:t>5"), "500") for part in (*UNSHOWN, BOX, TABLE)),
    ],
)
def test_fields_show_their_results_alone(inside):
    note = f'<w:footnote w:id="2">{paragraph("no")}</w:footnote>'
    found = office_text(docx(f"<w:p>{run('It cost ')}{inside}{run(' Euro.')}</w:p>", footnotes=note), "docx")
    assert (found.text.replace("\n", " "), found.partly) == ("It cost 500 Euro.", ())


def test_missing_headers_are_named():
    data = docx(paragraph("x"), header=paragraph("Report"), footer=paragraph("Secret"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist() if part != "word/header.xml"}
    found = office_text(packed(parts), "docx")
    assert (found.text, found.partly) == ("x\nSecret", ("a header",))


def test_header_rows_of_documents_are_repeated():
    rows = [f"<w:tr>{{}}<w:tc>{paragraph(n)}</w:tc><w:tc>{paragraph(n * 2)}</w:tc></w:tr>" for n in "abcd"]
    heads = 2 * ["<w:trPr><w:tblHeader/></w:trPr>"] + ['<w:trPr><w:tblHeader w:val="0"/></w:trPr>', ""]
    body = "".join(row.format(head) for row, head in zip(rows, heads, strict=True))
    (table,) = office_text(docx(f"<w:tbl>{body}</w:tbl>"), "docx").tables
    assert table.header == "a | aa\nb | bb"


M = f'xmlns:m="{MATH}"'
FORMULAS = Path(__file__).with_name("formulas.txt").read_text(encoding="utf-8").splitlines()


def omml(short):
    """A formula as XML, from `sSup{e{c}sup{2}}`."""
    while found := re.search(r"(\w+)\{([^{}]*)\}", short):
        name, inside = found.groups()
        runs = inside if "<" in inside or name == "t" else f"<m:r><m:t>{inside}</m:t></m:r>"
        short = f"{short[: found.start()]}<m:{name}>{runs}</m:{name}>{short[found.end() :]}"
    return short


@pytest.mark.parametrize("line", FORMULAS)
def test_formulas_are_read_on_one_line(line):
    short, expected = line.split("\t")
    for form in ("<m:oMath {}>{}</m:oMath>", "<m:oMathPara {}><m:oMath>{}</m:oMath></m:oMathPara>"):
        paragraph = f"<w:p>{run('It is ')}{form.format(M, omml(short))}</w:p>"
        assert text(paragraph) == f"It is {unicodedata.normalize('NFC', expected)}"


STYLES = (
    '<w:style w:styleId="gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="child"><w:basedOn w:val="gone"/></w:style>'
    '<w:style w:styleId="shown"><w:basedOn w:val="child"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>'
    '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>'
)


@pytest.mark.parametrize(
    ("inside", "gone"),
    [
        (run("1930", "<w:strike/>"), True),
        (run("1930", "<w:dstrike/>"), True),
        (run("1930", "<w:vanish/>"), True),
        (run("1930", '<w:strike w:val="true"/>'), True),
        (run("1930", "<w:b/>"), False),
        (f"<w:hyperlink>{run('1930', '<w:strike/>')}</w:hyperlink>", True),
        (run("1930", '<w:rStyle w:val="gone"/>'), True),
        (run("1930", '<w:rStyle w:val="child"/>'), True),
        (run("1930", '<w:rStyle w:val="shown"/>'), False),
        (run("1930", '<w:rStyle w:val="gone"/><w:vanish w:val="0"/>'), False),
        (run("1930", '<w:rStyle w:val="a"/>'), False),
        (run("1930", '<w:rStyle w:val="unknown"/>'), False),
        (f"<w:del>{run('1930')}</w:del>", True),
        (
            f'<w:pict><w:txbxContent><w:p><w:pPr><w:pStyle w:val="gone"/></w:pPr></w:p></w:txbxContent></w:pict>{run("1930")}',
            False,
        ),
    ],
)
def test_struck_hidden_and_deleted_runs_are_left_out(inside, gone):
    assert ("1930" in text(f"<w:p>{run('In ')}{inside}{run(' 1931')}</w:p>", styles=STYLES)) != gone


@pytest.mark.parametrize("mark", ["<w:del w:id='1'/>", "<w:moveFrom/>", "<w:vanish/>"])
def test_paragraphs_without_their_ends_are_joined(mark):
    def joined(text):
        return f"<w:p><w:pPr><w:rPr><w:b/>{mark}</w:rPr></w:pPr>{run(text)}</w:p>"

    two = joined("Opened in ") + paragraph("1931.")
    assert (
        text(paragraph("One.") + joined("It ") + two + joined("Last.")) == "One.\nIt Opened in 1931.\nLast."
    )
    assert text(joined("Before. ") + TABLE + paragraph("After.")) == "Before.\nLength | 412 m\nAfter."
    cells = f"<w:tc>{paragraph('A')}{joined('b')}</w:tc><w:tc>{two}</w:tc>"
    assert text(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>") == "A b | Opened in 1931."
    box = f"<w:p>{run('Out')}<w:r><w:pict><w:txbxContent>{joined('in')}</w:txbxContent></w:pict></w:r></w:p>"
    assert text(box + paragraph("Next.")) == "Out\nin\nNext."
    kept = two.replace(mark, '<w:vanish w:val="0"/>')
    assert text(kept) == "Opened in\n1931."


@pytest.mark.parametrize(
    "properties", ["<w:del w:id='1'/>", "<w:hidden/>", "<w:cellDel/>", '<w:pStyle w:val="child"/>']
)
def test_hidden_and_deleted_table_parts_are_excluded(properties):
    kind = {"<w:c": "tc", "<w:p": "p"}.get(properties[:4], "tr")
    row = f"<w:tr><w:tc><w:p>{run('1930')}</w:p></w:tc></w:tr>"
    gone = row.replace(f"<w:{kind}>", f"<w:{kind}><w:{kind}Pr><w:x/>{properties}</w:{kind}Pr>")
    shown = gone.replace("/></w:", ' w:val="0"/></w:') if kind == "tr" else row
    table = f"<w:tbl>{gone}{shown.replace('1930', '1931')}</w:tbl>"
    assert text(table, styles=STYLES) == "1931"


def test_text_boxes_do_not_cut_sentences():
    choice = f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice Requires="wps">{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent>'
    body = f"<w:p>{run('Opened ')}<w:r><w:drawing>{choice}</w:drawing></w:r>{run('in 1931.')}</w:p>"
    assert text(body) == "Opened in 1931.\nIn a box."


def test_notes_headers_and_footers_come_last():
    body = (
        f'<w:p>{run("Opened")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(" in 1931")}'
        '<w:r><w:endnoteReference w:id="2"/></w:r></w:p>' + paragraph("More.")
    )
    notes = f'<w:footnote w:id="0">{paragraph("no")}</w:footnote><w:footnote w:id="2">{paragraph("By Mara.")}</w:footnote>'
    ends = f'<w:endnote w:id="2">{paragraph("In May.")}{paragraph("It rained.")}</w:endnote>'
    found = text(
        body, footnotes=notes, endnotes=ends, header=paragraph("Report 7"), footer=paragraph("Secret")
    )
    assert found == "Opened[1] in 1931[2]\nMore.\n[1] By Mara.\n[2] In May.\nIt rained.\nReport 7\nSecret"


def test_headers_that_sections_repeat_are_read_once():
    names = {"header": 3, "footer": 2}
    parts = {f"{kind}{n}": paragraph(f"The {kind}.") for kind, many in names.items() for n in range(many)}
    found = text(paragraph("Opened in 1931."), **parts, header9=paragraph("Part two."))
    assert found == "Opened in 1931.\nThe header.\nPart two.\nThe footer."


@pytest.mark.parametrize("place", ["drop", "margin"])
def test_drop_caps_of_documents_belong_to_their_words(place):
    cap = f'<w:p><w:pPr><w:framePr w:dropCap="{place}"/></w:pPr>{run("T")}</w:p>'
    assert text(paragraph("One.") + cap + paragraph("he quarry.") + paragraph("Two.")) == (
        "One.\nThe quarry.\nTwo."
    )
    assert text(cap) == "T"
    frame = f'<w:p><w:pPr><w:framePr w:dropCap="none"/></w:pPr>{run("A frame.")}</w:p>'
    assert text(frame + paragraph("Text.")) == "A frame.\nText."


def cell(content, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(content)}</w:tc>"


def test_spanned_cells_appear_in_each_row():
    rows = (
        cell("Year") + cell("Who", '<w:gridSpan w:val="2"/>'),
        cell("1931", '<w:vMerge w:val="restart"/>') + cell("Mara") + cell("May"),
        cell("", "<w:vMerge/>") + cell("Ole") + cell("June"),
        cell("", '<w:vMerge w:val="continue"/>') + cell("Ida") + cell("July"),
    )
    body = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    found = office_text(docx(body), "docx")
    assert found.text == "Year | Who\n1931 | Mara | May\n1931 | Ole | June\n1931 | Ida | July"
    assert found.tables[0].header == "Year | Who"


@pytest.mark.parametrize(
    ("before", "cells", "expected"),
    [
        (1, cell("May") + cell("12"), "| May | 12"),
        (0, cell("1932") + cell("May"), "1932 | May"),
        (2, cell("", "<w:vMerge/>"), "| | 7"),
    ],
)
def test_rows_that_begin_later_keep_their_columns(before, cells, expected):
    merged = [cell(content, '<w:vMerge w:val="restart"/>') for content in ("1931", "Mara", "7")]
    grid = f'<w:gridBefore w:val="{before}"/><w:gridAfter w:val="1"/>'
    body = f"<w:tbl><w:tr>{''.join(merged)}</w:tr><w:tr><w:trPr>{grid}</w:trPr>{cells}</w:tr></w:tbl>"
    assert text(body) == f"1931 | Mara | 7\n{expected}"


@pytest.mark.parametrize(
    ("inside", "partly"),
    [
        (2 * "<w:p><w:r><w:object/></w:r></w:p>", "an embedded object"),
        ('<w:altChunk r:id="r9" xmlns:r="r"/>', "a document inside it"),
        ('<w:subDoc r:id="r9" xmlns:r="r"/>', "a document inside it"),
        ('<w:p><w:r><c:chart xmlns:c="c" xmlns:r="r" r:id="r9"/></w:r></w:p>', "a chart"),
        ('<w:p><w:r><d:relIds xmlns:d="d" xmlns:r="r" r:dm="r9"/></w:r></w:p>', "a SmartArt graphic"),
        ('<w:p><w:r><w:footnoteReference w:id="9"/></w:r></w:p>', "a note"),
        ('<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>', "a sign of a font of its own"),
        ('<w:p><w:r><w:sym w:font="Wingdings 2" w:char="00FC"/></w:r></w:p>', "a sign of a font of its own"),
    ],
)
def test_unread_parts_are_named(inside, partly):
    found = office_text(docx(paragraph("x") + inside + paragraph("y")), "docx")
    assert (found.text, found.partly) == ("x\ny", (partly,))


def test_charts_of_documents_are_tables():
    drawing = '<w:p><w:r><w:drawing><c:chart xmlns:c="c" xmlns:r="r" r:id="chart1"/></w:drawing></w:r></w:p>'
    assert (
        text(drawing, chart=chart()) == "Visitors by year\n| 2019 | 2020\nMill | 120 | 90\nQuarry | 75 | 80"
    )


def box(shape):
    return f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice Requires="x">{shape}</mc:Choice><mc:Fallback>{shape}</mc:Fallback></mc:AlternateContent>'


SMARTART = (
    '<d:dataModel xmlns:d="d" xmlns:a="a"><d:ptLst>'
    "<d:pt><d:t><a:p><a:r><a:t>Arch</a:t></a:r></a:p></d:t></d:pt>"
    "<d:pt><d:t><a:p><a:r><a:t>Tower</a:t></a:r></a:p></d:t></d:pt></d:ptLst></d:dataModel>"
)
GROUP = '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{}</p:grpSp>'


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (text_shape("Opened 1931."), "Opened 1931."),
        (GROUP.format(GROUP.format(text_shape("Opened 1931."))), "Opened 1931."),
        (box(text_shape("Opened 1931.")), "Opened 1931."),
        (GROUP.format(box(text_shape("Opened 1931."))), "Opened 1931."),
        (text_shape("Opened</a:t></a:r><a:br/><a:r><a:t>in 1931."), "Opened\nin 1931."),
        (
            text_shape('In</a:t></a:r><a:fld id="x" type="datetime"><a:t> 1931</a:t></a:fld><a:r><a:t>.'),
            "In 1931.",
        ),
        (text_shape("1930", hidden=True) + text_shape("1931"), "1931"),
        (text_shape('10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6'), "10^6"),
        (text_shape('H</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>2'), "H2"),
        (text_shape('1931</a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>1930'), "1931"),
        (text_shape('1931</a:t></a:r><a:r><a:rPr strike="dblStrike"/><a:t>1930'), "1931"),
        (text_shape('19</a:t></a:r><a:r><a:rPr strike="noStrike"/><a:t>31'), "1931"),
        (text_shape("7", placeholder="sldNum") + text_shape("1931", placeholder="body"), "1931"),
        (
            slide_table(
                [["Year", "Who"], ["1931", "Mara"], ["", "Ole"]],
                {(1, 0): 'rowSpan="2"', (2, 0): 'vMerge="1"'},
            ),
            "Year | Who\n1931 | Mara\n1931 | Ole",
        ),
        (
            slide_table(
                [["North", "", "c"], ["a", "b", "d"]], {(0, 0): 'gridSpan="2"', (0, 1): 'hMerge="1"'}
            ),
            "North | c\na | b | d",
        ),
        (
            box(
                f"<p:sp><p:txBody><a:p><m:oMath {M}><m:r><m:t>E=m</m:t></m:r></m:oMath></a:p></p:txBody></p:sp>"
            ),
            "E=m",
        ),
    ],
)
def test_shapes_of_slides_are_read(shapes, expected):
    found = office_text(pptx(shapes, title="Deck"), "pptx")
    assert (found.text, found.title, found.partly, found.dropped) == (expected, "Deck", (), "")


def test_chart_without_values_is_named():
    graphic = '<c:chart xmlns:c="c" xmlns:r="r" r:id="chart1"/>' + text_shape("One")
    found = office_text(pptx(graphic, chart='<c:chartSpace xmlns:c="c"/>'), "pptx")
    assert (found.text, found.partly) == ("One", ("slide 1: a chart",))


def points(*values):
    pairs = (value.split("@") for value in values)
    return "".join(f'<c:pt idx="{n}"><c:v>{value}</c:v></c:pt>' for value, n in pairs)


CHART = '<w:p><c:chart xmlns:c="c" xmlns:r="r" r:id="chart1"/></w:p>'
LEVELS = [points("Q1@0", "Q2@1", "Q1@2"), points("2019@0", "2020@2"), points("Mill@0")]
DAY = "<c:formatCode>General</c:formatCode>" + points("43831@0")
ISO_DAY = DAY.replace("General", "yyyy-mm-dd")


def axis(kind, form, number="5"):
    return f'<c:axId val="{number}"/><c:{kind}><c:axId val="{number}"/><c:numFmt {form}/></c:{kind}>'


DATES = Path(__file__).with_name("dates.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("categories", "rest", "shown"),
    [
        (
            "".join(f"<c:lvl>{level}</c:lvl>" for level in LEVELS),
            "",
            "Mill, 2019, Q1\nMill, 2019, Q2\nMill, 2020, Q1",
        ),
        (DAY.replace('"0"', '"0" formatCode="dddd, d mmm"'), "", "Wednesday, 1 Jan"),
        (ISO_DAY, "<c:date1904/>", "2024-01-02"),
        (ISO_DAY, '<c:date1904 val="0"/>', "2020-01-01"),
        (ISO_DAY, axis("catAx", 'formatCode="mmm yyyy" sourceLinked="0"'), "Jan 2020"),
        (DAY, axis("dateAx", 'formatCode="yyyy"'), "2020"),
        (ISO_DAY, axis("dateAx", 'formatCode="yyyy" sourceLinked="1"'), "2020-01-01"),
        (ISO_DAY, axis("catAx", 'formatCode="General" sourceLinked="0"'), "2020-01-01"),
        (DAY, axis("valAx", 'formatCode="yyyy"', number="6") + axis("catAx", 'formatCode="mmm"'), "Jan"),
        (f"<c:strCache>{DAY}</c:strCache>", axis("catAx", 'formatCode="yyyy"'), "43831"),
        *((DAY.replace("General", form), "", shown) for form, shown in (case.split("\t") for case in DATES)),
    ],
)
def test_chart_categories_are_those_shown(categories, rest, shown):
    series = f"<c:ser><c:tx><c:v>Sales</c:v></c:tx><c:cat>{categories}</c:cat></c:ser>"
    found = text(CHART, chart=f'<c:chartSpace xmlns:c="c">{series}{rest}</c:chartSpace>')
    assert found == f"| Sales\n{shown}"


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        ("0.255", "0%", "26%"),
        ("0.255", "0.0%", "25.5%"),
        ("0.255", "General", "0.255"),
        ("8.1999999999999993", "General", "8.2"),
        ("n/a", "0%", "n/a"),
    ],
)
def test_chart_values_are_those_shown(value, form, shown):
    series = f"<c:ser><c:val><c:formatCode>{form}</c:formatCode>{points(f'{value}@0')}</c:val></c:ser>"
    assert text(CHART, chart=f'<c:chartSpace xmlns:c="c">{series}</c:chartSpace>') == f"1 | {shown}"


def test_series_with_other_x_values_have_own_rows():
    series = "".join(
        f"<c:ser><c:tx><c:v>{name}</c:v></c:tx><c:xVal>{points(x)}</c:xVal><c:yVal>{points(y)}</c:yVal></c:ser>"
        for name, x, y in (("A", "1@0", "10@0"), ("B", "7@0", "70@0"))
    )
    found = text(CHART, chart=f'<c:chartSpace xmlns:c="c">{series}</c:chartSpace>')
    assert found.splitlines() == ["| A | B", "1 | 10", "7 | | 70"]


def test_slide_footers_are_read_but_note_footers_not():
    footer = text_shape("Mill Days", placeholder="ftr")
    assert (
        office_text(pptx(footer, notes=text_shape("Say hello.") + footer), "pptx").text
        == "Mill Days\nSay hello."
    )


def test_smartart_is_read_from_its_part():
    data = pptx(
        '<p:graphicFrame><d:relIds xmlns:d="d" xmlns:r="r" r:dm="chart1"/></p:graphicFrame>', chart=SMARTART
    )
    assert (office_text(data, "pptx").text, office_text(data, "pptx").partly) == ("Arch\nTower", ())


def test_slides_charts_and_notes_are_read_in_order():
    graphic = (
        '<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData><c:chart xmlns:c="c" xmlns:r="r" r:id="chart1"/>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    notes = text_shape("Said aloud.", placeholder="body") + text_shape("9", placeholder="sldNum")
    found = office_text(
        pptx(text_shape("One"), graphic + text_shape("Two"), chart=chart(), notes=notes), "pptx"
    )
    table = "Visitors by year\n| 2019 | 2020\nMill | 120 | 90\nQuarry | 75 | 80"
    assert found.text == f"One\nSaid aloud.\n{table}\nTwo\nSaid aloud."


def test_slides_that_are_not_read_are_named():
    ole = "<p:graphicFrame><a:graphic><a:graphicData><p:oleObj/></a:graphicData></a:graphic></p:graphicFrame>"
    found = office_text(
        pptx(text_shape("One"), "", text_shape("Three") + ole, text_shape("Four"), hidden=(3,)), "pptx"
    )
    assert found.text == "One\nThree"
    assert found.partly == ("slide 2 has no text", "slide 3: an embedded object", "slide 4 is hidden")


BOMB = '<!DOCTYPE x [<!ENTITY a "ha">{}]>'.format(
    "".join(
        f'<!ENTITY {"abcdefghijklmn"[n + 1]} "{("&" + "abcdefghijklmn"[n] + ";") * 10}">' for n in range(10)
    )
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY k SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("head", [BOMB, OUTSIDE])
@pytest.mark.parametrize("kind", ["docx", "pptx"])
def test_entities_are_neither_expanded_nor_fetched(kind, head):
    entity = "&k;"
    data = {"docx": docx(paragraph(entity), head=head), "pptx": pptx(text_shape(entity))}[kind]
    if kind == "pptx":
        data = changed(data, "ppt/slides/slide0.xml", lambda part: head.encode() + part)
    found = office_text(data, kind)
    assert found.dropped in ("", f"damaged {kind}")
    assert len(found.text) < 10


def changed(data, name, change):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    parts[name] = change(parts[name])
    return packed(parts)


def test_parts_that_point_in_circles_end():
    data = pptx(text_shape("One"), text_shape("Two"))
    name = "ppt/slides/_rels/slide0.xml.rels"
    circle = '<Relationships xmlns="r"><Relationship Id="r0" Type="x/notesSlide" Target="slide0.xml"/></Relationships>'
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    found = office_text(packed(parts | {name: circle}), "pptx")
    assert found.text == "One\nOne\nTwo"
    note = '<w:footnote w:id="2"><w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:footnote>'
    looped = office_text(
        docx('<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>', footnotes=note), "docx"
    )
    assert looped.dropped in ("", "damaged docx")


def test_encrypted_documents_are_named():
    locked = bytearray(docx(paragraph("x")))
    for place in (locked.find(b"PK\1\2") + 8, locked.find(b"PK\3\4") + 6):
        locked[place] |= 1
    assert office_text(bytes(locked), "docx").dropped == "encrypted docx"


def test_oversized_archive_is_refused_before_unpacking(monkeypatch):
    bomb = changed(docx(paragraph("x")), "word/document.xml", lambda part: bytes(3_000_000))
    assert len(bomb) < 10_000
    monkeypatch.setattr(extract, "MOST_UNPACKED", 2_000_000)
    assert office_text(bomb, "docx").dropped == "unpacks to more than 2 MB"


def test_bomb_with_false_size_is_damaged():
    bomb = changed(docx(paragraph("x")), "word/document.xml", lambda part: bytes(3_000_000))
    size = (3_000_000).to_bytes(4, "little")
    assert bomb.count(size) == 2
    assert office_text(bomb.replace(size, (100).to_bytes(4, "little")), "docx").dropped == "damaged docx"


DOCUMENTS = {"docx": docx(paragraph("Some words.") + TABLE, "T"), "pptx": pptx(text_shape("Some words."))}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_damaged_office_file_gives_a_reason(kind):
    data, wild = DOCUMENTS[kind], random.Random(zlib.crc32(kind.encode()))
    assert office_text(data, kind).text.startswith("Some words.")
    for other in DOCUMENTS.keys() - {kind}:
        assert office_text(DOCUMENTS[other], kind).text in ("", "Some words.")
    for _ in range(60):
        torn = bytearray(data[: wild.randrange(len(data)) if wild.random() < 0.5 else len(data)])
        for _ in range(wild.randrange(1, 6)):
            if torn:
                torn[wild.randrange(len(torn))] = wild.randrange(256)
        found = office_text(bytes(torn), kind)
        assert not (found.text and found.dropped)
    assert office_text(data[:-30], kind).dropped == f"damaged {kind}"
