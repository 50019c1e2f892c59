"""The report for everyone: narrow windows, both themes, print, screen readers, and texts that mean harm."""

from io import BytesIO

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import open_all, reloaded, watched
from pypdf import PdfReader
from reported import bridge, report_of
from run_folders import run_folder

TASKS = ("run", "recall", "rag", "verify")
SCORES_FIT = """(([table]) => table.scrollWidth <= table.parentElement.clientWidth && table.offsetWidth > 9)(
    document.querySelectorAll('.all-scores'))"""


OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colours; the others see the same page in every theme."""


def serious(page, *rules):
    """The serious faults that axe finds, by all rules or by these, in a page with all its parts open."""
    open_all(page)
    options = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    return [
        (fault["id"], [node["target"] for node in fault["nodes"]])
        for fault in Axe().run(page, options=options).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


def ground(page):
    """The colour behind the text."""
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("task", TASKS)
def test_axe_accepts_both_themes_and_narrow_screens(browser, pages, task):
    with watched(browser, color_scheme="light") as seen:
        for place in ("#overview", "#record=1"):
            page = seen.open(pages[task], place)
            light = ground(page)
            assert serious(page) == []
            page.set_viewport_size({"width": 400, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
            page.emulate_media(color_scheme="dark")
            page.wait_for_function(
                "before => getComputedStyle(document.body).backgroundColor !== before", arg=light
            )
            assert serious(page, *OF_COLOURS) == []
            page.emulate_media(color_scheme="light")


def test_axe_accepts_side_by_side_and_corrections(browser, tmp_path):
    runs = (run_folder(tmp_path / name, bridge(version=3)) for name in ("one", "other"))
    path = report_of(*runs, out=tmp_path / "page.html")
    with watched(browser, width=400) as seen:
        for place in ("#overview", "#record=1"):
            page = seen.open(path, place)
            assert serious(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert place != "#overview" or page.evaluate(SCORES_FIT)
        page.locator(".correction select").first.select_option("neutral")
        page.click("#corrections-button")
        assert serious(page) == []


def test_the_theme_is_switched_and_kept(browser, pages):
    with watched(browser, color_scheme="light") as seen:
        page = seen.open(pages["run"])
        light = ground(page)
        page.click("#theme-button")
        dark = ground(page)
        assert dark != light
        assert reloaded(page, lambda: ground(page) == dark)


def test_a_record_prints_with_its_evidence(seen, pages):
    page = seen.open(pages["run"], "#record=1")
    page.emulate_media(media="print")
    assert page.locator("#evidence mark").first.is_visible()
    assert not page.locator("#theme-button").is_visible()
    text = "\n".join(found.extract_text() for found in PdfReader(BytesIO(page.pdf())).pages)
    assert "The other atoms to review" in text
    assert text.index("The other atoms to review") < text.rindex("It is loved.")
    assert page.locator(".for-print").count() == 0


HOSTILE = (
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "{{ 7 * 7 }} {% raw %} ${7*7} <!-- ]]> \\u003c/script>",
    "abc\u202edcba\u2066\x07\x1b[31m \u2028 end",
    "😀 \U0001f468\u200d\U0001f469 שלום \"quoted\" 'single' & &amp;",
)


def test_hostile_texts_are_shown_and_do_nothing(seen, tmp_path):
    text = " ".join(HOSTILE)
    link = "javascript:alert(1)"
    passages = [
        {"id": "<b>c</b>", "text": f"{text} The bridge opened in 1932.", "title": text, "link": link},
        {"id": "__proto__", "text": "quoted here"},
    ]
    table = {
        ("<b>c</b>", "1930"): ("contradiction", 0.9, "The bridge opened in 1932."),
        ("__proto__", "1930"): ("entailment", 0.9, "quoted here"),
    }
    atoms = [{"id": "__proto__x", "text": f"1930 {text}"}, {"id": "\"'>", "text": text}]
    result = bridge("</script>", table, contexts=passages, atoms=atoms, prompt=text, topic=text)
    long = "x" * 5_000_000 + f"😀 quoted here {text} " + "y" * 5_000_000
    contexts = (result.contexts[0], result.contexts[1].model_copy(update={"text": long}))
    metadata = {"__proto__": text, "k": [text]}
    changes = {"contexts": contexts, "response": f"{text} {text}", "metadata": metadata}
    result = result.model_copy(update=changes)
    page_of = report_of(run_folder(tmp_path / "run", result, bridge("plain")))
    assert page_of.stat().st_size < 500_000, "long passages are cut"
    for place in ("#overview", "#record=1"):
        page = seen.open(page_of, place)
        open_all(page)
        assert "broken" not in page.title()
        assert page.locator("#page img, #page script, #page b").count() == 0
        assert page.locator("#page a[href^=javascript]").count() == 0
        shown = page.inner_text("#page")
        assert "{{ 7 * 7 }}" in shown
        assert "<img src=x" in shown
        assert "U+202E" in shown
        assert not {"\u202e", "\u2066", "\x07", "\x1b"} & set(page.locator("#page").text_content())
    marks = page.locator("#evidence > ul > .entry > .passage mark").all_inner_texts()
    assert marks == ["The bridge opened in 1932.", "quoted here"]
    assert "characters not shown" in page.locator("#evidence").text_content()


def test_no_script_but_its_own_runs_in_it(seen, pages):
    page = seen.open(pages["run"])
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('div'),"
        " {innerHTML: '<img src=x onerror=\"window.ran = 1\">'}))"
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in error for error in seen.errors)
    seen.errors.clear()
