"""Sets of names, written as text so that a reader sees them at a glance."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """The words of ``text`` as a set."""
    return frozenset(text.split())
