"""Bytes of a documentation file to text with LF line ends; never raises on foreign encodings."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

# UTF-32 before UTF-16: the little-endian UTF-32 mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_PYTHONS_OWN = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7")
_PRESCAN = 4096  # bytes in which a browser looks for <meta charset> are 1024; real pages are sloppier
_SAMPLE = 8192


@dataclass(frozen=True, slots=True)
class Decoded:
    """``note`` is "" for UTF-8, else a sentence that names the encoding that was read."""

    text: str
    note: str = ""


def decode(data: bytes, *, html: bool = False) -> Decoded | None:
    """The file's text with LF line ends and without a byte order mark; None when it is not text.

    UTF-8, marked or recognisable UTF-16/32, an HTML page's own ``charset``, else Windows-1252, which
    reads any Western legacy file and is what browsers assume.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, errors="replace")
            return Decoded(
                _unify_line_ends(text), "" if encoding == "utf-8" else f"read as {encoding.upper()}"
            )
    wide = _unmarked_utf16(data)
    if wide:
        text = data.decode(wide, errors="replace")
        return Decoded(_unify_line_ends(text), f"read as {wide.upper()} without a byte order mark")
    if b"\0" in data or _mostly_control(data[:_SAMPLE]):
        return None
    try:
        return Decoded(_unify_line_ends(data.decode("utf-8")))
    except UnicodeDecodeError:
        encoding = (_declared(data) if html else None) or "cp1252"
        text = data.decode(encoding, errors="replace")
        return Decoded(_unify_line_ends(text), f"not UTF-8; read as {encoding}")


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _unmarked_utf16(data: bytes) -> str | None:
    """Text of mostly ASCII letters has a NUL in every other byte."""
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if half < 2 or len(data) % 2:
        return None
    low, high = sample[0::2].count(0), sample[1::2].count(0)
    if high > half * 0.6 and low == 0:
        return "utf-16-le"
    if low > half * 0.6 and high == 0:
        return "utf-16-be"
    return None


def _mostly_control(sample: bytes) -> bool:
    control = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in sample)
    return control * 20 > len(sample)


def _declared(data: bytes) -> str | None:
    match = _META_CHARSET.search(data[:_PRESCAN])
    if not match:
        return None
    try:
        name = codecs.lookup(match.group(1).decode("ascii")).name
        data.decode(name, errors="replace")
    except (LookupError, ValueError):  # unknown, no encoding of text ("hex"), or one that refuses all text
        return None
    # It said UTF-8 and was not; the others are Python's own, which no browser knows.
    return None if name in ("utf-8", *_PYTHONS_OWN) else name
