"""The report as a reader meets it, in a real browser."""

import json
import re
import shutil
from pathlib import Path

import pytest
from browser import reloaded, watched
from playwright.sync_api import expect
from reported import VERDICTS, bridge, data_in, report_of
from run_folders import run_folder
from table_judge import TableJudge

from factreasoner import rag
from factreasoner.report.page import write_report
from factreasoner.runs.finished import FinishedRun

AFTER_CLICK = "#evidence-head:focus"
SILENT = {key: said for key, said in VERDICTS.items() if key[1] != "1930"}


@pytest.fixture(scope="module")
def two_records(tmp_path_factory):
    path = tmp_path_factory.mktemp("two") / "run"
    return report_of(run_folder(path, bridge("quiet", SILENT, prompt="And the other?"), bridge(version=3)))


def test_doubtful_claims_come_first_with_their_evidence(seen, two_records):
    page = seen.open(two_records)
    assert page.inner_text("h1") == "1 contradicted and 3 unverified of 8 atoms; 1 is disputed."
    first = page.locator(".worst-claim").first
    assert "The bridge opened in 1930." in first.inner_text()
    assert "The bridge opened in 1932." in first.locator("blockquote").inner_text()
    first.locator("a").click()
    page.wait_for_selector(AFTER_CLICK)
    evidence = page.locator("#evidence")
    assert evidence.locator("h2").inner_text() == "The bridge opened in 1930."
    marked = ["The bridge opened in 1932.", "In 1930 the bridge was opened"]
    assert evidence.locator(".entry mark").all_inner_texts() == marked
    # the other context alone: 0.9 x 0.7 + 0.1 x 0.5
    assert "Without this context P would be 0.68" in evidence.inner_text()
    assert "history and old contradict each other" in evidence.inner_text()


def test_disputed_supported_claim_is_marked_and_filterable(seen, tmp_path):
    table = VERDICTS | {
        ("history", "1930"): ("contradiction", 0.7, "The bridge opened in 1932."),
        ("old", "1930"): ("entailment", 0.9, "In 1930 the bridge was opened"),
    }
    atoms = {"atoms": ["The bridge opened in 1930.", "The bridge is grey."]}
    path = report_of(run_folder(tmp_path / "run", bridge("quiet", SILENT), bridge("loud", table, **atoms)))
    page = seen.open(path)
    assert page.inner_text("h1") == "2 unverified of 6 atoms; 1 is disputed."
    first = page.locator(".worst-claim").first
    assert 'history (History) contradicts it: "The bridge opened in 1932."' in first.inner_text()
    page.get_by_label("With").select_option("disputed")
    expect(page.locator(".records tbody tr")).to_have_count(1)
    first.locator("a").click()
    page.wait_for_selector(AFTER_CLICK)
    assert page.locator(".answer .atom.disputed").count() == 1
    assert page.inner_text("#evidence .badge.disputed") == "≠\ndisputed"
    (own,) = data_in(report_of(run_folder(tmp_path / "one", bridge("loud", table, **atoms))), "content")[
        "runs"
    ]
    assert (own["marks"], own["labels"]) == ({"disputed": 1}, {"supported": 2})


def test_review_list_shows_more_on_request(seen, tmp_path):
    records = [bridge(f"r{n}", version=3) for n in range(7)]
    page = seen.open(report_of(run_folder(tmp_path / "run", *records)))
    cards = page.locator(".worst-claim")
    expect(cards).to_have_count(8)
    expect(page.get_by_role("status").first).to_have_text("8 of 14")
    page.get_by_role("button", name="Show 6 more").click()
    expect(cards).to_have_count(14)
    assert page.evaluate("document.activeElement === document.querySelectorAll('.worst-claim a')[8]")
    expect(page.locator("#more-first")).to_be_hidden()


def test_long_question_does_not_push_answer_down(browser, tmp_path):
    question = "Tell me about the bridge, " * 100
    with watched(browser, width=400) as seen:
        page = seen.open(report_of(run_folder(tmp_path / "run", bridge(prompt=question))))
        assert len(page.inner_text("h1")) <= 142
        assert top_of(page, ".answer-text") < 700
        page.get_by_text("The whole question").click()
        expect(page.locator("details[open] .answer-text")).to_have_text(question)


def top_of(page, selector):
    """Where the first such part begins, in pixels."""
    return page.locator(selector).first.bounding_box()["y"]


def test_findings_come_before_figures(browser, pages):
    for width in (400, 1280):
        with watched(browser, width=width) as seen:
            page = seen.open(pages["run"], "#overview")
            expect(page.locator(".worst-claim").first).to_be_visible()
            assert top_of(page, ".worst") < top_of(page, ".scores")
            page = seen.open(pages["run"], "#record=1")
            assert top_of(page, ".answer-text") < min(400, top_of(page, ".scores"))


def test_a_verdict_between_sources_is_corrected_too(seen, two_records, tmp_path):
    page = seen.open(two_records, "#record=2&claim=a0")
    page.locator(".disputes summary").click()
    items = page.locator(".disputes .entry")
    expect(items, "both directions").to_have_count(2)
    items.filter(has=page.locator(".badge.contradicted")).locator("select").first.select_option("neutral")
    page.click("#corrections-button")
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download").click()
    file = shutil.copy(waited.value.path(), tmp_path / "corrections.jsonl")
    (line,) = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    assert {line["premise"], line["claim"]} == {"history", "old"}
    corrected = FinishedRun.of_any_task(two_records.parent, Path(file))
    (result,) = corrected.results(["bridge"])
    said = {(v.context_id, v.target_id): v.label for v in result.outcome.verdicts}
    assert said[line["premise"], line["claim"]] == "neutral"


def test_records_are_searched_filtered_and_sorted(seen, two_records):
    page = seen.open(two_records)
    rows = page.locator(".records tbody tr")
    assert [text.split("\n")[0] for text in rows.all_inner_texts()] == [
        "Tell me about the bridge.",
        "And the other?",
    ]
    page.get_by_label("Search").fill("OTHER")
    expect(rows).to_have_count(1)
    page.get_by_label("Search").fill("")
    expect(rows).to_have_count(2)
    page.get_by_label("With").select_option("contradicted")
    expect(rows).to_have_count(1)
    page.get_by_label("With").select_option("")
    page.get_by_role("button", name="record").click()
    page.get_by_role("button", name="record").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("record ▼")
    expect(rows.first).to_contain_text("And the other?")
    page.get_by_role("button", name="supported").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("supported ▲")


def test_next_and_previous_follow_the_filtered_list(seen, tmp_path):
    runs = [bridge(f"r{n}", VERDICTS if n % 2 else SILENT, prompt=f"Question {n}?") for n in range(5)]
    page = seen.open(report_of(run_folder(tmp_path / "run", *runs)))
    box = page.get_by_label("Search question, id, topic")
    expect(box).to_have_attribute("placeholder", "question, id, topic")
    page.get_by_label("With").select_option("contradicted")
    page.get_by_role("link", name="Question 1?").last.click()
    crumbs = page.locator(".crumbs")
    expect(crumbs).to_have_text("← All recordsNext ›1 of the 2 records found")
    crumbs.get_by_text("Next").click()
    expect(page.locator("h1")).to_have_text("Question 3?")
    expect(crumbs).to_have_text("← All records‹ Previous2 of the 2 records found")
    page.goto(page.url.partition("#")[0] + "#record=3")
    expect(page.locator("h1"), "a record that the filter leaves out").to_have_text("Question 2?")
    crumbs.get_by_text("Next").click()
    expect(page.locator("h1")).to_have_text("Question 3?")


def test_the_keyboard_alone_reads_a_record(seen, two_records):
    page = seen.open(two_records)

    def tab_to(selector):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
                return
        raise AssertionError(f"{selector} is not reached by Tab")

    tab_to(".records a")
    page.keyboard.press("Enter")
    page.wait_for_selector(".record")
    tab_to(".answer .atom.supported")
    page.keyboard.press("Enter")
    page.wait_for_selector(AFTER_CLICK)
    assert page.inner_text("#evidence h2") == "It is 1,149 metres long."
    tab_to(".correction select")
    tab_to(".evidence button")
    tab_to("details.card > summary")
    page.keyboard.press("Enter")
    page.wait_for_selector("svg.graph")
    tab_to("svg.graph .node.contradicted")
    expect(page.locator("svg.graph.focused .node.context.near")).to_have_count(2)
    page.keyboard.press("Enter")
    page.wait_for_selector(AFTER_CLICK)
    page.get_by_role("button", name="Back to the text").press("Enter")
    expect(page.locator(".answer .atom:focus")).to_have_text("The bridge opened in 1930.")


def test_corrected_verdict_downloads_as_a_corrections_file(seen, two_records, tmp_path):
    page = seen.open(two_records, "#record=2&claim=a0")
    choice = page.locator(".entry.contradicted .correction select")
    told = ["wrong: supports it", "right: contradicts it", "wrong: nothing found"]
    assert choice.locator("option").all_inner_texts() == told
    choice.select_option("neutral")
    expect(page.locator("#corrections-button")).to_have_text("Corrections (1)")
    assert reloaded(page, lambda: choice.input_value() == "neutral")
    page.click("#corrections-button")
    page.get_by_label("Why (if you like)").fill('an "older" bridge')
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download").click()
    lines = waited.value.path().read_text(encoding="utf-8").splitlines()
    assert waited.value.suggested_filename == "corrections-run.jsonl"
    said = {"record": "bridge", "task": "run", "premise": "history", "claim": "a0", "label": "neutral"}
    said |= {"was": "contradiction", "note": 'an "older" bridge'}
    assert [json.loads(line) for line in lines] == [said]
    corrections = shutil.copy(waited.value.path(), tmp_path / "corrections.jsonl")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#corrections-button")).to_have_text("Corrections")
    page.get_by_role("button", name="Close").click()
    expect(choice).to_have_value("contradiction")
    run = FinishedRun.of_any_task(two_records.parent, corrections)
    page = seen.open(write_report([run], tmp_path / "again.html").path, "#record=2&claim=a0")
    assert page.locator("#evidence .badge").first.inner_text() == "✓\nsupported"
    page.get_by_text(re.compile(r"Nothing found in \d+ sources")).click()
    silent = page.locator("#evidence details .entry").first
    expect(silent).to_contain_text('the judge gave contradiction (0.90): an "older" bridge')
    expect(silent.locator("select")).to_have_count(0)


def test_a_run_of_one_record_opens_on_it(seen, pages):
    page = seen.open(pages["rag"])
    assert page.inner_text("h1") == "What about the bridge?"
    page.get_by_role("link", name="About the run").click()
    page.wait_for_selector(".records")


def test_rag_shows_claims_by_source(seen, pages):
    page = seen.open(pages["rag"])
    first, second = page.locator("table.matrix").all()
    assert [row.locator("td .sr").all_inner_texts() for row in first.locator("tbody tr").all()] == [
        ["contradicts it", "nothing found", "nothing found", "contradicts it", "nothing found"],
        ["nothing found", "supports it", "nothing found", "nothing found", "not judged"],
    ]
    head = ["claim", "history", "guide", "old", "reference", "all contexts together"]
    assert first.locator("thead th").all_inner_texts() == head
    assert second.locator("thead th").all_inner_texts() == ["claim", "history", "guide", "old", "answer"]
    assert second.locator("tbody th .note").all_inner_texts()[:1] == ["by the answer"]


def test_recall_shows_facts_with_their_quotes(seen, pages):
    page = seen.open(pages["recall"])
    assert [text.split("\n")[-1] for text in page.locator(".legend li").all_inner_texts()] == [
        "contradicted",
        "not stated",
        "unanswered",
        "stated",
    ]
    assert page.locator(".answer-text .atom").all_inner_texts() == [
        "The bridge opened in 1930.",
        "It is painted grey.",
    ]
    page.get_by_text("1 failure in this record").click()
    expect(page.locator("details.warning[open]")).to_contain_text("lost")


def test_recall_review_list_shows_facts(seen, pages):
    cards = seen.open(pages["recall"], "#overview").locator(".worst-claim")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("The bridge opened in 1932.")
    expect(cards.last).to_contain_text("not clearly stated in the answer")


def test_verify_shows_both_texts_with_what_changed(seen, pages):
    page = seen.open(pages["verify"])
    before, after = page.locator(".sides .answer-text").all_inner_texts()
    assert "It opened in 1930 [1]." in before
    assert after == "It closed in 1999 [2]. It is big."
    assert page.locator(".sides del").all_inner_texts() == ["It opened in 1930 [1]. ", "It is loved [7]. "]


def test_card_names_reference_contradiction(seen, tmp_path):
    claim = "It has 3 floors."
    judge = TableJudge({("reference", "3"): ("contradiction", 0.9, "It has 4 floors.")})
    found = rag(claim, contexts=["It has floors."], atoms=[claim], reference="It has 4 floors.", judge=judge)
    page = seen.open(report_of(run_folder(tmp_path / "rag", found, task="rag")), "#overview")
    card = page.locator(".worst-claim")
    expect(card).to_contain_text('the reference contradicts it: "It has 4 floors."')


def test_large_report_loads_data_from_files(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("factreasoner.report.page.EMBEDDED", 1000)
    monkeypatch.setattr("factreasoner.report.page.IN_A_FILE", 6000)
    records = [bridge(f"r{n}", prompt=f"Question {n}? </script>") for n in range(5)]
    path = report_of(run_folder(tmp_path / "a run's #1", *records))
    folder = path.with_name("report_files")
    assert len(list(folder.iterdir())) > 1
    with watched(browser) as seen:
        page = seen.open(path, "#record=5")
        assert page.inner_text("h1") == "Question 4? </script>"
        assert [url.rpartition("/")[2] for url in seen.requests[1:]] == [
            max(p.name for p in folder.iterdir())
        ]
        page.get_by_role("link", name="All records").click()
        page.wait_for_selector(".records")
    moved = shutil.copy(path, tmp_path / "alone.html")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{moved.as_uri()}#record=1")
    expect(page.locator("[role=alert]")).to_contain_text("report_files/records-0001.js is missing")
    context.close()
