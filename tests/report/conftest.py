"""Run folders of every task to report on, and a browser to look at the report with."""

import pytest
from browser import chromium, watched
from reported import of_every_task


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium. Its event loop runs in this thread until it is closed, before other tests."""
    path = chromium()
    if path is None:
        pytest.skip(
            "no Chromium on PATH (chromium, chromium-browser or google-chrome): apt-get install chromium"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Its sandbox needs rights that containers do not have.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def seen(browser):
    """A page in a wide window, watched."""
    with watched(browser) as seen:
        yield seen


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The report of a run of each task."""
    return of_every_task(tmp_path_factory.mktemp("tasks"))
