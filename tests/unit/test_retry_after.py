"""How long an endpoint asks to wait, and how it is said."""

from __future__ import annotations

import pytest

from ibid.endpoint_errors import status_error
from ibid.errors import RateLimited
from ibid.models import Endpoint
from ibid.retry_after import in_words, retry_after

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "86400"}, 86400),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:20 GMT"}, 20),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:20 GMT", "date": "Fri, 15 Jan 2027 08:00:15 GMT"}, 5),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "9" * 14}, None),
        ({"retry-after": "\u0667"}, None),
    ],
)
def test_reads_the_header(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, a date against the answer's own clock, or nonsense, which counts as none."""
    assert retry_after(headers, "", NOW) == seconds


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ("Please try again in 20s.", 20),
        ("Please try again in 1m30.5s.", 90.5),
        ("Please retry after 6 seconds", 6),
        ("Please wait 2 minutes", 120),
        ("try again in 1h2m3s", 3723),
        ("try again in 250ms", 0.25),
        ("Please wait and retry.", None),
        ("retry later: 5 requests", None),
    ],
)
def test_reads_the_words_where_no_header_can_be_read(body: str, seconds: float | None) -> None:
    """A browser shows ``Retry-After`` only where the service exposes it."""
    assert retry_after({}, body, NOW) == seconds


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "1 second"),
        (0.2, "1 second"),
        (7, "7 seconds"),
        (90, "90 seconds"),
        (600, "10 minutes"),
        (7200, "2 hours"),
        (86400, "24 hours"),
        (200_000, "3 days"),
    ],
)
def test_says_it_in_words(seconds: float, words: str) -> None:
    """Rounded up, so that coming back in time is never too early."""
    assert in_words(seconds) == words


def test_the_reader_is_told_how_long() -> None:
    """In the message, in the next step, and as a number."""
    error = status_error(Endpoint("https://a.example/v1", "m"), 429, {"retry-after": "7"}, b"", NOW)
    assert isinstance(error, RateLimited)
    assert error.retry_after == 7
    assert "wait 7 seconds" in str(error)
    assert error.next == "Wait 7 seconds, then press Retry."
    unknown = status_error(Endpoint("https://a.example/v1", "m"), 429, {}, b"", NOW)
    assert isinstance(unknown, RateLimited)
    assert unknown.retry_after is None
