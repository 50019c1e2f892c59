"""How long a service asks to wait."""

import time
from email.utils import formatdate

import pytest

from factreasoner.text.retry_after import retry_after_of


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_of(headers) == seconds


@pytest.mark.parametrize(
    ("message", "seconds"),
    [("Please try again in 1.2s.", 1.2), ("retry in 250ms", 0.25), ("try again in 6m0s", None), ("", None)],
)
def test_wait_in_words_is_read(message, seconds):
    assert retry_after_of({}, message) == seconds


def test_retry_after_as_a_date():
    wait = retry_after_of({"retry-after": formatdate(time.time() + 30, usegmt=True)})
    assert 25 < wait <= 30
