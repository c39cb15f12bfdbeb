"""Patterns of files to leave out, as .gitignore writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable


class Patterns:
    """Matches POSIX paths relative to the root; the last pattern that matches decides, ``!`` takes back."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._rules = [
            (not pattern.startswith("!"), _compile(pattern.removeprefix("!")))
            for pattern in patterns
            if pattern.strip() and not pattern.startswith("#")
        ]

    def match(self, path: str) -> bool:
        """Whether the path is left out."""
        excluded = False
        for excludes, pattern in self._rules:
            if pattern.fullmatch(path):
                excluded = excludes
        return excluded


def _compile(pattern: str) -> re.Pattern[str]:
    """``/a`` only at the root, ``a/`` a folder, ``*`` within a name, ``**`` across folders."""
    anchored = "/" in pattern.rstrip("/")
    folder = pattern.endswith("/")
    parts = []
    for token in re.findall(r"\*\*/?|\*|\?|[^*?]+", pattern.strip("/")):
        match token:
            case "**/":
                parts.append("(?:.*/)?")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case _:
                parts.append(re.escape(token))
    head = "" if anchored else "(?:.*/)?"
    return re.compile(head + "".join(parts) + ("/.*" if folder else "(?:/.*)?"), re.DOTALL)
