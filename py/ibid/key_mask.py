"""Keeps the API key out of everything that is shown, stored or exported (SPEC 6)."""

from __future__ import annotations

import re

MASK = "[key]"
_PIECE = 8
"""Characters; a shared run of this length or more is taken for a piece of the key."""

_STARRED = re.compile(r"[^\s\"'`<>(),;:=]*(?:\*{2,}|\.{3,}|…|•{2,}|x{4,})[^\s\"'`<>(),;:=]*", re.IGNORECASE)
_ANY_KEY = re.compile(r"\bsk-[A-Za-z0-9_-]{8,}|(?<=\bbearer )\S{8,}", re.IGNORECASE)


def mask_key(text: str, key: str) -> str:
    """``text`` without the key, without any piece of it, and without whatever else looks like a key.

    Services echo a refused key whole, its first or last part, or both with stars between.
    """
    key = key.strip()
    text = _ANY_KEY.sub(MASK, text)
    if not key:
        return text
    text = _STARRED.sub(lambda found: MASK if _shows_ends(found[0], key) else found[0], text)
    if len(key) < 4:  # too short to be told from words: only as a word of its own
        return re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", MASK, text)
    return _without_pieces(text, key, min(_PIECE, len(key)))


def _shows_ends(word: str, key: str) -> bool:
    first, last = word[:3].lower(), word.rstrip(".")[-3:].lower()
    return first == key[:3].lower() or last == key[-3:].lower()


def _without_pieces(text: str, key: str, size: int) -> str:
    low_text, low_key = text.lower(), key.lower()
    if len(low_text) != len(text) or len(low_key) != len(key):  # a few letters grow when lowered
        low_text, low_key = text, key
    pieces = {low_key[i : i + size] for i in range(len(key) - size + 1)}
    covered = bytearray(len(text))
    for i in range(len(text) - size + 1):
        if low_text[i : i + size] in pieces:
            covered[i : i + size] = b"\1" * size
    kept = []
    for i, character in enumerate(text):
        if not covered[i]:
            kept.append(character)
        elif i == 0 or not covered[i - 1]:
            kept.append(MASK)
    return "".join(kept)
