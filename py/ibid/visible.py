"""What of a text may reach the page: no control, private-use or misleading invisible character."""

from __future__ import annotations

import re

WORD_JOINER = "\u2060"
"""Drawn as nothing. Behind a ``[`` it keeps a documentation's own ``[1]`` from posing as a mark."""

# Some models mark their sources as U+E200 "cite" U+E202 id … U+E201, with ids that only their provider knows.
_PROVIDER_MARK = re.compile("\ue200[^\ue200\ue201]{0,200}\ue201")
_OPEN_PROVIDER_MARK = "\ue200[^\ue200\ue201]{0,200}"

# Controls (but tab and newline), soft hyphen, zero-width space, direction marks, embeddings and isolates,
# invisible operators, byte order mark, annotations, tags and further variation selectors, private use.
# Kept: joiners and variation selectors, which Persian, Indic scripts and emoji are written with.
_DROPPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2061-\u206f"
    "\ufeff\ufff9-\ufffb\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
_LINE_END = re.compile("\r\n?|\u2028|\u2029")
_SURROGATE = re.compile("[\ud800-\udfff]")
# What cannot be judged before more text comes: half a line end, half a character, an open provider mark.
_UNDECIDED = re.compile(f"(?:\r|[\ud800-\udbff]|{_OPEN_PROVIDER_MARK})$")


def clean(text: str) -> str:
    """The text without what must not reach the page; its line ends are ``\\n``. Idempotent."""
    if _SURROGATE.search(text):
        # JSON may part a character into two escapes, even in two deltas; half of one alone becomes U+FFFD.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _DROPPED.sub("", _PROVIDER_MARK.sub("", _LINE_END.sub("\n", text)))


def undecided_tail(text: str) -> int:
    """The offset from which :func:`clean` needs more text to decide; ``len(text)`` when there is no such."""
    match = _UNDECIDED.search(text, max(0, len(text) - 201))
    return match.start() if match else len(text)
