"""Office documents made for tests, part by part, with nothing that also reads them."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
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


def paragraph(text):
    """One of a Word document."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body, title="", head=""):
    """A Word document with this XML as its body; `head` comes before the root."""
    return packed(
        {
            "[Content_Types].xml": _types(word__document="wordprocessingml.document.main"),
            "_rels/.rels": _relations(("officeDocument", "word/document.xml")),
            "docProps/core.xml": _core(title),
            "word/document.xml": f'{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        }
    )


def pptx(*slides, title=""):
    """A presentation with one slide for each XML of shapes."""
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
        parts[f"ppt/slides/slide{n}.xml"] = (
            f'<p:sld xmlns:p="{P}" xmlns:a="{A}"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/>'
            f"<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    return packed(parts)


def text_shape(text):
    """A shape of a slide with one paragraph."""
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
