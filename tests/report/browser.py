"""A page in the system's Chromium, watched: nothing may leave, nothing may go wrong in it."""

import contextlib
import shutil

DRAWN = "#page > *:not(noscript)"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium():
    """The path of a Chromium, if one is installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Watched:
    """A page with what it asked for and what went wrong in it."""

    def __init__(self, page):
        self.page = page
        self.requests = []
        self.errors = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.errors.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))

    def open(self, path, place=""):
        """Open a page from disk, at a place in it, and wait until it is drawn."""
        self.page.goto("about:blank")  # else another place in the same page is no new document
        self.page.goto(path.as_uri() + place)
        self.page.wait_for_selector(DRAWN)
        return self.page


OPEN_ALL = """() => Promise.all([...document.querySelectorAll('details:not([open])')].map(
    (details) => new Promise((drawn) => {
        details.addEventListener('toggle', drawn, {once: true});
        details.open = true;
    })))"""


def open_all(page):
    """Open all parts that are closed, and wait until they are drawn."""
    page.evaluate(OPEN_ALL)


def reloaded(page, kept):
    """Whether what a page kept is there when it is loaded anew; a browser writes that down when it likes."""
    for _ in range(40):
        page.reload()
        page.wait_for_selector(DRAWN)
        if kept():
            return True
        page.wait_for_timeout(250)
    return False


@contextlib.contextmanager
def watched(browser, width=1280, height=900, **settings):
    """A page of its own; at the end nothing but files of this disk was asked for, and nothing went wrong."""
    context = browser.new_context(viewport={"width": width, "height": height}, **settings)
    try:
        seen = Watched(context.new_page())
        yield seen
        assert seen.errors == []
        assert [url for url in seen.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    finally:
        context.close()
