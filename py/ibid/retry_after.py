"""How long an endpoint asks to wait."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_LONGEST = 31 * 24 * 3600.0
"""Seconds; a longer wait is nonsense, and counts as none stated."""

_IN_WORDS = re.compile(
    r"(?:try again|retry|wait)\s*(?:in|after|for|about)?\s*"
    r"(?:(?P<h>\d{1,4})\s*h(?:ours?)?\s*)?(?:(?P<m>\d{1,5})\s*m(?:in(?:ute)?s?)?(?![a-z])\s*)?"
    r"(?:(?P<s>\d{1,7}(?:\.\d{1,9})?)\s*(?P<unit>ms|s)(?:ec(?:ond)?s?)?)?",
    re.IGNORECASE,
)


def retry_after(headers: Mapping[str, str], body: str, now: float) -> float | None:
    """Seconds to wait, None when nothing readable was said.

    ``headers`` by lower-case name (a browser shows ``Retry-After`` only if the service exposes it), then
    the words of the error in ``body``. A date is measured against the answer's own ``Date`` where that can
    be read, else against ``now`` (seconds since the epoch), so that a wrong clock here does no harm.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _sane(milliseconds / 1000)
    stated = headers.get("retry-after", "").strip()
    seconds = _number(stated)
    if seconds is None:
        at, sent = _date(stated), _date(headers.get("date", ""))
        seconds = at - (now if sent is None else sent) if at is not None else None
    return _sane(seconds) if seconds is not None else _in_words(body)


def in_words(seconds: float) -> str:
    """``7 seconds``, ``2 minutes``, ``24 hours``, ``3 days``: rounded up, never less than one second."""
    for unit, size, limit in (("second", 1, 120), ("minute", 60, 120), ("hour", 3600, 48)):
        count = max(1, math.ceil(seconds / size))
        if count < limit:
            return f"{count} {unit}{'s' if count != 1 else ''}"
    return f"{math.ceil(seconds / 86400)} days"


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,15}(\.\d{1,15})?", text.strip(), re.ASCII) else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _sane(seconds: float) -> float | None:
    return seconds if 0 <= seconds <= _LONGEST else None


def _in_words(body: str) -> float | None:
    for found in _IN_WORDS.finditer(body):
        hours, minutes, seconds, unit = found.group("h", "m", "s", "unit")
        if hours or minutes or seconds:
            last = float(seconds or 0) / (1000 if unit == "ms" else 1)
            return _sane(int(hours or 0) * 3600 + int(minutes or 0) * 60 + last)
    return None
