"""Run folders of every task to report on, and a browser to look at the report with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, started once by a worker that needs it."""
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
