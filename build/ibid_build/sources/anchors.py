"""Heading ids, by the rule of each documentation tool.

Every rule was compared with the ids that the tool itself makes (Python-Markdown ``toc``, pymdownx slugs,
github-slugger for GitHub and Docusaurus, markdown-it-anchor for VitePress, docutils for Sphinx).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

Slugify = Callable[[str], str]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """How a tool names headings: ``slugify`` a heading's visible text, then make it ``unique``."""

    name: str
    slugify: Slugify
    unique: Callable[[str, set[str], dict[str, int]], str]
    explicit_first: bool = False
    """All explicit ids of the page are taken before the first generated one (Python-Markdown)."""


def assign_anchors(
    rule: AnchorRule, headings: Sequence[tuple[str, str]], taken: Iterable[str] = ()
) -> list[str]:
    """One id a heading. ``headings`` are (visible text, explicit id or ""); explicit ids win.

    ``taken`` are the ids that other elements of the page have.
    """
    used = set(taken)
    if rule.explicit_first:
        used.update(explicit for _, explicit in headings if explicit)
    counters: dict[str, int] = {}
    anchors = []
    for text, explicit in headings:
        anchor = explicit or rule.unique(rule.slugify(text), used, counters)
        used.add(anchor)
        anchors.append(anchor)
    return anchors


def python_markdown(separator: str = "-", *, keep_unicode: bool = False) -> AnchorRule:
    """MkDocs' default: ASCII words, repeats get ``_1``; a heading without ASCII is ``_1`` itself."""
    blanks = re.compile(rf"[{re.escape(separator)}\s]+")

    def slugify(text: str) -> str:
        if not keep_unicode:
            text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
        return blanks.sub(separator, re.sub(r"[^\w\s-]", "", text).strip().lower())

    return AnchorRule("python-markdown", slugify, _unique_underscore, explicit_first=True)


def pymdownx(
    separator: str = "-", *, case: str = "none", percent: bool = False, normalize: Form = "NFC"
) -> AnchorRule:
    """``pymdownx.slugs``: keeps scripts and repeated hyphens; ``case``: none, lower, lower-ascii, fold."""

    def slugify(text: str) -> str:
        text = unicodedata.normalize(normalize, text).strip()
        if case == "lower":
            text = text.lower()
        elif case == "lower-ascii":
            text = re.sub("[A-Z]+", lambda m: m.group().lower(), text)
        elif case == "fold":
            text = text.casefold()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", separator)
        return quote(slug) if percent else slug

    return AnchorRule("pymdownx", slugify, _unique_underscore, explicit_first=True)


def github() -> AnchorRule:
    """github-slugger, as GitHub and Docusaurus use it: punctuation goes, letters of any script stay."""

    def slugify(text: str) -> str:
        kept = (c for c in text.lower() if c in " -" or _is_word(c))
        return "".join(kept).replace(" ", "-")

    return AnchorRule("github", slugify, _unique_counted)


def vitepress() -> AnchorRule:
    """markdown-it-anchor with the slugs of VitePress: punctuation to hyphens, accents off."""
    special = re.compile("[\\s~`!@#$%^&*()\\-_+=[\\]{}|\\\\;:\"'\u201c\u201d\u2018\u2019<>,.?/]+")

    def slugify(text: str) -> str:
        text = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
        text = special.sub("-", re.sub("[\x00-\x1f]", "", text)).strip("-")
        return re.sub(r"^(\d)", r"_\1", text).lower()

    return AnchorRule("vitepress", slugify, _unique_from_one)


def sphinx() -> AnchorRule:
    """docutils ids: ASCII letters, digits and hyphens; a repeat or an empty id becomes ``id1``, ``id2``."""
    return AnchorRule("sphinx", docutils_id, _unique_numbered)


# Letters that have no decomposition but that docutils writes in ASCII.
_DIGRAPHS = str.maketrans(
    {
        "ß": "sz",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "đ": "d",
        "ħ": "h",
        "\u0131": "i",
        "ł": "l",
        "ŧ": "t",
        "ƒ": "f",
    }
)


def docutils_id(text: str) -> str:
    """An id as docutils makes it from a name or label, "" when nothing is left."""
    text = unicodedata.normalize("NFKD", text.lower().translate(_DIGRAPHS))
    text = re.sub("[^a-z0-9]+", "-", text.encode("ascii", "ignore").decode("ascii"))
    return re.sub("^[-0-9]+|-+$", "", text)


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc")


def _unique_underscore(slug: str, used: set[str], _counters: dict[str, int]) -> str:
    match = re.fullmatch(r"(.*)_([0-9]+)", slug, re.DOTALL)
    base, count = (match.group(1), int(match.group(2))) if match and slug in used else (slug, 0)
    while slug in used or not slug:
        count += 1
        slug = f"{base}_{count}"
    return slug


def _unique_counted(slug: str, used: set[str], counters: dict[str, int]) -> str:
    result = slug
    while result in used:
        counters[slug] = counters.get(slug, 0) + 1
        result = f"{slug}-{counters[slug]}"
    return result


def _unique_from_one(slug: str, used: set[str], _counters: dict[str, int]) -> str:
    result, count = slug, 0
    while result in used:
        count += 1
        result = f"{slug}-{count}"
    return result


def _unique_numbered(slug: str, used: set[str], counters: dict[str, int]) -> str:
    result = slug
    while not result or result in used:
        counters["id"] = counters.get("id", 0) + 1
        result = f"id{counters['id']}"
    return result
