"""Several runs on one page, in a real browser."""

from browser import open_all, watched
from playwright.sync_api import expect
from reported import VERDICTS, bridge, data_in, report_of
from run_folders import run_folder

from factreasoner.pipeline.config import Config


def test_differing_records_come_first_side_by_side(seen, tmp_path):
    changed = {**VERDICTS, ("guide", "loved"): ("entailment", 0.9, None)}
    one = run_folder(tmp_path / "one", bridge("same"), bridge("differs"), bridge("gone"))
    config = Config(version=3, k=7, concurrency=3)
    other = run_folder(tmp_path / "other", bridge("same"), bridge("differs", changed), config=config)
    page = seen.open(report_of(one, other))
    assert page.inner_text("h1") == "2 runs side by side"
    told = "1 atom in 1 record does not have the same label in every run. 1 record is not in every run."
    assert page.locator("h1 + p").inner_text() == told
    assert page.locator(".run h2").all_inner_texts() == ["one", "other"]
    settings = ["setting\tone\tother", "version\t2\t3", "k\tmedian\t7"]
    assert page.locator(".settings tr").all_inner_texts() == settings
    rows = page.locator(".records tbody tr").all_inner_texts()
    assert ["gone" in rows[0], "differs" in rows[1], "same" in rows[2]] == [True, True, True]
    assert "not in this run" in rows[0]
    page.locator(".records a").nth(1).click()
    page.wait_for_selector(".record")
    assert page.locator(".claims .differs").count() == 1
    assert page.locator(".claims .differs .badge").all_inner_texts() == ["?\nunverified", "✓\nsupported"]
    page.get_by_label("other").check()
    expect(page.locator(".answer .atom.supported")).to_have_count(3)


def test_unmatched_claims_are_counted_separately(seen, tmp_path):
    changed = {**VERDICTS, ("guide", "loved"): ("entailment", 0.9, None)}
    atoms = ["The bridge opened in 1930.", "It is loved.", "It is long and loved."]
    one = run_folder(tmp_path / "one", bridge("parts"), bridge("same"))
    other = run_folder(tmp_path / "other", bridge("parts", changed, atoms=atoms), bridge("same"))
    page = report_of(one, other)
    # two of four atoms have no counterpart there, one of three none here; of the others one label differs
    assert [row[3] for row in data_in(page, "rows")] == [[1, 3], [0, 0]]
    page = seen.open(page)
    assert page.locator("h1 + p").inner_text() == (
        "1 atom in 1 record does not have the same label in every run. "
        "3 atoms in 1 record are not in every run."
    )
    page.get_by_role("button", name="not in every run").click()
    assert page.locator(".records tbody tr").first.locator("td.number").all_inner_texts() == ["1", "3"]
    page.locator(".records a").first.click()
    page.wait_for_selector(".record")
    assert page.locator(".claims .differs").count() == 1
    assert page.locator(".claims .note").all_inner_texts() == ["no such atom"] * 2


BROKEN = """() => [...document.querySelectorAll('td.number')].filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
}).map((cell) => cell.textContent)"""


def test_no_number_breaks_inside(browser, tmp_path):
    names = ("one", "other", "a-run-with-the-long-name-of-a-model-2025", "a_long_name_without_any_hyphen")
    runs = [run_folder(tmp_path / name, bridge("same"), bridge("more")) for name in names]
    for count in (2, 4):
        path = report_of(*runs[:count])
        for width in (1280, 1024, 800):
            with watched(browser, width=width) as seen:
                page = seen.open(path)
                open_all(page)
                assert page.locator("td.number").count() > 20
                assert page.evaluate(BROKEN) == []
                assert page.evaluate("document.documentElement.scrollWidth") <= width
