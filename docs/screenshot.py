"""Makes docs/report.png, the README's picture, from the run of `make demo`.

    python docs/screenshot.py [RUN_DIR]

It needs a Chromium on PATH and the package `playwright`, which `make install` brings.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from factreasoner.report.page import write_report
from factreasoner.runs.finished import FinishedRun

NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1180, 760
COLOURS = 256
"""The picture is kept small by a palette."""


def main(run_dir: Path, picture: Path) -> None:
    """Take a picture of the worst claim of a run with its evidence."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        sys.exit(f"no Chromium on PATH: one of {', '.join(NAMES)}")
    page_path = write_report([FinishedRun.of_any_task(run_dir)], run_dir / "report.html").path
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(page_path.resolve().as_uri())
        page.locator(".worst-claim a").first.click()
        page.wait_for_selector("#evidence-head")
        page.screenshot(path=picture)
        browser.close()
    Image.open(picture).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        picture, optimize=True
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else "runs/demo"), Path(__file__).parent / "report.png")
