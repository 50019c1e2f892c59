import io
import random
import zipfile
import zlib

import pytest
from office_files import docx, packed, paragraph, pptx, text_shape

from factreasoner.web import office
from factreasoner.web.office import office_text
from factreasoner.web.page import Extracted

TABLE = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>".format(
    *map(paragraph, ("Length", "412 m"))
)


def test_a_word_document():
    body = (
        paragraph("Café &amp; Otter Bridge")
        + "<w:sdt><w:sdtContent>"
        + paragraph("In a content control.")
        + "</w:sdtContent></w:sdt>"
        + TABLE
        + "<w:p><w:ins><w:r><w:t>Opened </w:t></w:r></w:ins><w:del><w:r><w:delText>1930</w:delText></w:r>"
        "</w:del><w:r><w:t>in 1931.</w:t></w:r></w:p>"
    )
    assert office_text(docx(body, "The Bridge"), "docx") == Extracted(
        "Café & Otter Bridge\nIn a content control.\nLength | 412 m\nOpened in 1931.", "The Bridge"
    )


def test_a_presentation():
    group = (
        '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
        f"{text_shape('In a group.')}</p:grpSp>"
    )
    data = pptx(text_shape("Otter Bridge"), text_shape("Opened 1931.") + group, title="Deck")
    assert office_text(data, "pptx") == Extracted("Otter Bridge\nOpened 1931.\nIn a group.", "Deck")


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
    data = {
        "docx": docx(paragraph(entity), head=head),
        "pptx": pptx(text_shape(entity)),
    }[kind]
    name = {"pptx": "ppt/slides/slide0.xml"}.get(kind)
    if name is not None:
        data = changed(data, name, lambda part: head.encode() + part)
    found = office_text(data, kind)
    assert found.dropped in ("", f"damaged {kind}")
    assert len(found.text) < 10


def changed(data, name, change):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    parts[name] = change(parts[name])
    return packed(parts)


def test_what_is_encrypted_is_said():
    locked = bytearray(docx(paragraph("x")))
    for place in (locked.find(b"PK\1\2") + 8, locked.find(b"PK\3\4") + 6):
        locked[place] |= 1
    assert office_text(bytes(locked), "docx").dropped == "encrypted docx"


def test_too_much_unpacked_is_said_before_it_is_unpacked(monkeypatch):
    bomb = changed(docx(paragraph("x")), "word/document.xml", lambda part: bytes(3_000_000))
    assert len(bomb) < 10_000
    monkeypatch.setattr(office, "MOST_UNPACKED", 2_000_000)
    assert office_text(bomb, "docx").dropped == "unpacks to more than 2 MB"


def test_a_bomb_that_lies_about_its_size_is_damaged():
    bomb = changed(docx(paragraph("x")), "word/document.xml", lambda part: bytes(3_000_000))
    size = (3_000_000).to_bytes(4, "little")
    assert bomb.count(size) == 2
    assert office_text(bomb.replace(size, (100).to_bytes(4, "little")), "docx").dropped == "damaged docx"


DOCUMENTS = {
    "docx": docx(paragraph("Some words.") + TABLE, "T"),
    "pptx": pptx(text_shape("Some words.")),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_damage_of_any_kind_is_a_reason_and_never_an_error(kind):
    data, wild = DOCUMENTS[kind], random.Random(zlib.crc32(kind.encode()))
    assert office_text(data, kind).text.startswith("Some words.")
    for other in DOCUMENTS.keys() - {kind}:
        assert office_text(DOCUMENTS[other], kind).text == ""
    for _ in range(60):
        torn = bytearray(data[: wild.randrange(len(data)) if wild.random() < 0.5 else len(data)])
        for _ in range(wild.randrange(1, 6)):
            if torn:
                torn[wild.randrange(len(torn))] = wild.randrange(256)
        found = office_text(bytes(torn), kind)
        assert not (found.text and found.dropped)
    assert office_text(data[:-30], kind).dropped == f"damaged {kind}"
