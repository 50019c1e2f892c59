"""Links that lead to one page."""

import pytest

from factreasoner.text.links import page_of, same_site


@pytest.mark.parametrize(
    "link",
    [
        "https://x.example.org/a/b?id=7&p=2",
        "http://x.example.org/a/b/?id=7&p=2#part",
        "https://X.example.org:443/a/b?p=2&id=7",
        "https://x.example.org/a/b?id=7&utm_source=news&p=2&utm_campaign=x",
        "https://x.example.org/a/b?fbclid=IwAR0&id=7&p=2&gclid=1&mc_eid=2",
        "https://www.x.example.org/a/b?id=7&p=2",
        "https://m.x.example.org/a/b?id=7&p=2",
        "https://x.m.example.org/a/b?id=7&p=2",
        "https://amp.x.example.org/a/b?id=7&p=2",
        "https://x.example.org/a/b/amp/?id=7&p=2",
        "https://x.example.org/a/b.amp.html?id=7&p=2",
        "https://x.example.org/a/b?id=7&p=2&amp=1&outputType=amp",
        "https://x.example.org/a/b/index.html?id=7&p=2",
    ],
)
def test_forms_of_one_page(link):
    assert page_of(link) == "x.example.org/a/b?id=7&p=2"


@pytest.mark.parametrize(
    "link",
    [
        "https://x.example.org/a/b?id=8&p=2",
        "https://x.example.org/a/b?id=7",
        "https://x.example.org/a/B?id=7&p=2",
        "https://y.example.org/a/b?id=7&p=2",
        "https://x.example.org:8443/a/b?id=7&p=2",
        "https://x.example.org/amp/s/a.example/b?id=7&p=2",
        "https://x.example.org/a/b?id=7&p=2&reference=1",
        "https://m.org/a/b?id=7&p=2",
        "",
        "#top",
    ],
)
def test_other_pages(link):
    assert page_of(link) != "x.example.org/a/b?id=7&p=2"


def test_no_link_is_no_page():
    assert page_of("") == page_of("#top") == ""
    assert page_of("http://[bad") == "http://[bad"
    assert page_of("http://x.example?q=\ud800") == "http://x.example?q=\ud800"


def test_one_site_in_several_forms():
    assert same_site("https://m.x.example.org/a", "http://www.x.example.org/b?c")
    assert not same_site("https://x.example.org/a", "https://evil.example/?u=x.example.org/a")
    assert not same_site("", "https://x.example.org/a")
