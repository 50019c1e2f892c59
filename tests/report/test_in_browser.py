"""The report as a reader meets it, in a real browser."""

from __future__ import annotations

import pytest
from browser import watched
from reported import VERDICTS, bridge, report_of, run_of


@pytest.fixture
def two_records(tmp_path):
    silent = {key: said for key, said in VERDICTS.items() if key[1] != "1930"}
    return report_of(
        run_of(tmp_path / "run", bridge(version=3), bridge("quiet", silent, prompt="And the other?"))
    )


def test_what_to_distrust_is_seen_first_and_leads_to_its_evidence(browser, two_records):
    with watched(browser) as seen:
        page = seen.open(two_records)
        assert page.inner_text("h1") == "1 contradicted and 3 unverified of 8 atoms."
        first = page.locator(".worst-claim").first
        assert "The bridge opened in 1930." in first.inner_text()
        assert "The bridge opened in 1932." in first.locator("blockquote").inner_text()
        first.locator("a").click()
        page.wait_for_selector("#evidence-head:focus")
        evidence = page.locator("#evidence")
        assert evidence.locator("h2").inner_text() == "The bridge opened in 1930."
        assert evidence.locator(".entry mark").all_inner_texts() == [
            "The bridge opened in 1932.",
            "In 1930 the bridge was opened",
        ]
        # the other context alone: 0.9 x 0.7 + 0.1 x 0.5
        assert "Without this context P would be 0.68" in evidence.inner_text()
        assert "history and old contradict each other" in evidence.inner_text()
