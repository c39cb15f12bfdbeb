"""Bounds the nesting of HTML before it is parsed.

The tree builder's own scope checks walk the open elements, so 20,000 nested ``<div>`` take seconds. Browsers
stop nesting at 512 elements; so does this.
"""

from __future__ import annotations

import re

from ibid_build.sources.hidden import VOID_TAGS
from ibid_build.sources.names import names

MAX_DEPTH = 512
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*)([^<>]*)>")
# Elements that may be left open: their number says nothing about depth.
_SELF_ENDING = VOID_TAGS | names(
    "p li dt dd tr td th thead tbody tfoot option optgroup colgroup caption rp rt"
)


def limit_nesting(text: str) -> str:
    """The page without the tags that would nest deeper than ``MAX_DEPTH``; their text stays."""
    if text.count("<") - 2 * text.count("</") <= MAX_DEPTH:
        return text
    depth = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal depth
        closing, name, rest = match.groups()
        if name.lower() in _SELF_ENDING or rest.endswith("/"):
            return match.group() if depth < MAX_DEPTH else " "
        depth = max(depth - 1, 0) if closing else depth + 1
        return match.group() if depth < MAX_DEPTH else " "

    return _TAG.sub(keep, text)
