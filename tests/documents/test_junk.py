import pytest
from pages import ARTICLE

from factreasoner.documents.extract import junk

# ruff: noqa: E501

KEPT = {
    "article": ARTICLE,
    "copyright line": f"{ARTICLE} © 2024 Example Media. All rights reserved.",
    "a company that sells challenges": "Cloudflare, Inc. is an American company that sells network services. "
    "It offers a replacement for the CAPTCHA called Turnstile. Copyright 2024.",
    "an article about captchas": "A captcha is a test to tell humans from computers. The term was coined in 2003 "
    "at a university. Users complete the captcha before they may post, which many find annoying.",
    "an article on a status code": "The HTTP status 404 Not Found means that a server can't find what was asked "
    "for. It was defined in 1992, and pages that show it are called error pages by most people.",
    "a long article with a consent line": f"We use cookies. Accept all. {ARTICLE} {ARTICLE}",
    "a short fact": "The bridge is 412 metres long.",
    "Chinese": "中国科学院是中国的最高学术机构。它成立于1949年。",
    "Russian": "Мост был открыт для движения 4 мая 1931 года.",
    "a table": "Year | Vehicles a day | Trams a day | Share of lorries\n1950 | 12,000 | 310 | 4 %",
}
DROPPED = {
    "": "no text",
    " \n\t": "no text",
    "\x00\x01\x02abc\x03\x04\x05": "binary",
    "��PNG��� �� abc def ����": "binary",
    "+++ --- *** ;;; ::: !!! ((( ))) a b c": "binary",
    "Home\nAbout us\nContact\nImprint": "no sentence",
    "Loading…": "no sentence",
    "404 Not Found": "no sentence",
    "Just a moment... Enable JavaScript and cookies to continue.": "notice: enable javascript",
    "Please verify you are human by completing the action below.": "notice: verify you are human",
    "Checking your browser before you can see the page.": "notice: checking your browser",
    "Access to this page has been denied because we believe you are using automation tools.": "notice: access to",
    "Access denied. You don't have permission to access this resource on this server.": "notice: you don't have",
    "Our systems have detected unusual traffic from your computer network.": "notice: unusual traffic",
    "Page not found. Sorry, the page you requested could not be found. Try the search.": "notice: page you requested",
    "Please log in to continue reading this article today.": "notice: please log in to continue",
    "We use cookies to give you the best experience on our website. Accept all.": "notice: we use cookies",
    "Sorry, you have been blocked. You are unable to access example.com. Why have I been blocked? This website is "
    "using a security service to protect itself from online attacks. The action you just performed triggered the "
    "security solution. There are several actions that could trigger this block including submitting a certain "
    "word or phrase, a SQL command or malformed data.": "notice: you are unable to access",
}


@pytest.mark.parametrize("name", KEPT)
def test_informative_page_is_kept(name):
    assert junk(KEPT[name]) == ""


@pytest.mark.parametrize(("text", "reason"), DROPPED.items())
def test_empty_page_is_dropped_with_reason(text, reason):
    found = junk(text)
    assert found.startswith(reason)
    assert found == reason or reason.startswith("notice")
