"""Office documents made for tests, part by part, with nothing that also reads them."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument"


def packed(parts):
    """A ZIP file of these parts; `mimetype` is not compressed, as the formats want it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(
                name, content, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            )
    return file.getvalue()


def _relations(*targets):
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets)
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{RELATIONS}">{rows}</Relationships>'


def _types(**overrides):
    rows = "".join(
        f'<Override PartName="/{name.replace("__", "/")}.xml" ContentType="{TYPES}.{kind}+xml"/>'
        for name, kind in overrides.items()
    )
    return (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>'
    )


def _core(title):
    return (
        '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c:coreProperties>'
    )


def run(text, properties=""):
    """Words of a Word document."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def paragraph(text):
    """One of a Word document."""
    return f"<w:p>{run(text)}</w:p>"


def docx(body, title="", head="", **parts):
    """A Word document with this XML as its body; `head` comes before the root.

    `parts` holds the XML inside its styles, footnotes, endnotes, header, footer and chart; more of one kind
    are numbered.
    """
    roots = {
        "styles": "styles",
        "footnotes": "footnotes",
        "endnotes": "endnotes",
        "header": "hdr",
        "footer": "ftr",
    }
    kinds = {name: name.rstrip("0123456789") for name in parts}
    others = {
        f"word/{name}.xml": inside
        if name == "chart"
        else f'<w:{roots[kinds[name]]} xmlns:w="{W}">{inside}</w:{roots[kinds[name]]}>'
        for name, inside in parts.items()
    }
    relations = _relations(*((kind, f"{name}.xml") for name, kind in kinds.items())).replace('Id="r', 'Id="x')
    if "chart" in parts:
        place = list(parts).index("chart")
        relations = relations.replace(f'Id="x{place}"', 'Id="chart1"')
    return packed(
        {
            "[Content_Types].xml": _types(word__document="wordprocessingml.document.main"),
            "_rels/.rels": _relations(("officeDocument", "word/document.xml")),
            "docProps/core.xml": _core(title),
            "word/document.xml": f'{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": relations,
            **others,
        }
    )


def pptx(*slides, title="", hidden=(), chart=None, notes=None):
    """A presentation with one slide for each XML of shapes; all have the chart and the notes."""
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(len(slides)))
    parts = {
        "[Content_Types].xml": _types(
            ppt__presentation="presentationml.presentation.main",
            **{f"ppt__slides__slide{n}": "presentationml.slide" for n in range(len(slides))},
        ),
        "_rels/.rels": _relations(("officeDocument", "ppt/presentation.xml")),
        "docProps/core.xml": _core(title),
        "ppt/_rels/presentation.xml.rels": _relations(
            *(("slide", f"slides/slide{n}.xml") for n in range(len(slides)))
        ),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{OFFICE}"><p:sldIdLst>{ids}'
        "</p:sldIdLst></p:presentation>",
    }
    for n, shapes in enumerate(slides):
        parts[f"ppt/slides/slide{n}.xml"] = _slide("sld", shapes, ' show="0"' * (n in hidden))
        targets = [("chart", "../charts/chart1.xml")] * (chart is not None)
        targets += [("notesSlide", "../notesSlides/notes1.xml")] * (notes is not None)
        relations = _relations(*targets)
        if chart is not None:
            relations = relations.replace('Id="r0"', 'Id="chart1"')
        parts[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations
    if chart is not None:
        parts["ppt/charts/chart1.xml"] = chart
    if notes is not None:
        parts["ppt/notesSlides/notes1.xml"] = _slide("notes", notes)
    return packed(parts)


def _slide(name, shapes, attributes=""):
    return (
        f'<p:{name} xmlns:p="{P}" xmlns:a="{A}"{attributes}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/>'
        f"<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shapes}</p:spTree></p:cSld></p:{name}>"
    )


def text_shape(text, *, hidden=False, placeholder=""):
    """A shape of a slide with one paragraph."""
    kind = f'<p:ph type="{placeholder}"/>' if placeholder else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x" hidden="{int(hidden)}"/><p:cNvSpPr/><p:nvPr>{kind}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def slide_table(rows, attributes):
    """A table of a slide; `attributes` of its cells by row and column."""
    cells = "".join(
        "<a:tr>"
        + "".join(
            f"<a:tc {attributes.get((y, x), '')}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"
            for x, text in enumerate(row)
        )
        + "</a:tr>"
        for y, row in enumerate(rows)
    )
    return (
        "<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData><a:tbl>"
        f"{cells}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def chart():
    """A chart with a title, two series and two categories."""

    def points(name, kind, values):
        inside = "".join(f'<c:pt idx="{n}"><c:v>{value}</c:v></c:pt>' for n, value in enumerate(values))
        return f"<c:{name}><c:{kind}Ref><c:f>Sheet1!$A$1</c:f><c:{kind}Cache>{inside}</c:{kind}Cache></c:{kind}Ref></c:{name}>"

    series = "".join(
        f"<c:ser>{points('tx', 'str', [year])}{points('cat', 'str', ['Mill', 'Quarry'])}{points('val', 'num', values)}</c:ser>"
        for year, values in (("2019", [120, 75]), ("2020", [90, 80]))
    )
    return (
        f'<c:chartSpace xmlns:c="c" xmlns:a="{A}"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Visitors by year'
        f"</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
