"""Texts in several languages: translated documentation and the catalogues of translated programs."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ibid_build.encoder.archives import Archive
from ibid_build.encoder.prose import Line

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "en": ("en", "en-US"),
    "de": ("de", "de-DE"),
    "fr": ("fr", "fr-FR"),
    "es": ("es", "es-ES"),
    "pt": ("pt", "pt-BR", "pt-br", "pt_BR"),
    "ru": ("ru", "ru-RU"),
    "zh": ("zh", "zh-CN", "zh-cn", "zh-Hans", "zh_CN"),
    "ja": ("ja", "ja-JP"),
    "ko": ("ko", "ko-KR"),
}
"""The languages, and what the sources call them; their order is that of the bits in ``frequent.npy``."""

_SCRIPTS = {
    "ru": re.compile("[\u0400-\u04ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
}
_HOLE = re.compile(r"\$\{[^{}]*\}|\{\{?[^{}]*\}?\}|%\(\w+\)[sd]|%[sd]|\$t\([^()]*\)|\[%[^%]*%\]")
_TAG = re.compile(r"<[^<>]{0,200}>|[*_`]{1,3}|&&(?=\w)|\((?:&&?\w)\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_END = re.compile(r"(?<=[.!?])\s+(?=\W*[^\W\d_a-z])|(?<=[。!?])")
_BLOCKS = "h1, h2, h3, h4, h5, h6, p, li, td"
_LONGEST, _SHORTEST = 300, 4
_LABEL_WORDS = 6
_LABEL_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Catalogue:
    """An archive, and where in it which language stands: patterns with ``{}`` for the language's name."""

    archive: Archive
    patterns: tuple[str, ...]


def catalogues(listing: Path) -> list[Catalogue]:
    """The list: a source a line, columns parted by blanks, ``#`` starts a comment."""
    found = []
    for row in listing.read_text("utf-8").splitlines():
        if row.strip() and not row.startswith("#"):
            name, sha256, licence, patterns = row.split()
            registry, pin = name.split(":")
            found.append(Catalogue(Archive(registry, pin, sha256, licence), tuple(patterns.split(","))))
    return found


def lines_by_language(catalogue: Catalogue, archive: Path) -> dict[str, list[Line]]:
    """The different texts of each language; those that stand in English there too are left out."""
    files = _files(archive)
    found: dict[str, list[Line]] = {}
    for language, names in LANGUAGES.items():
        texts: dict[str, Line] = {}
        for name in names:
            for pattern in catalogue.patterns:
                wanted = pattern.format(name)
                for path in sorted(path for path in files if fnmatchcase(path, wanted)):
                    value = _decoded(files[path])
                    pages = value.get(name) if "{}" not in pattern else None
                    for line in _lines(value) if "{}" in pattern else _page_lines(pages):
                        if language not in _SCRIPTS or _SCRIPTS[language].search(line.text):
                            texts.setdefault(line.text.lower(), line)
        found[language] = list(texts.values())
    english = {line.text.lower() for line in found["en"]}
    return {
        language: lines if language == "en" else [line for line in lines if line.text.lower() not in english]
        for language, lines in found.items()
    }


def _files(archive: Path) -> dict[str, bytes]:
    """Its JSON, also where that is the argument of a function in a script."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as whole:
            return {name: whole.read(name) for name in whole.namelist() if name.endswith(".json")}
    with tarfile.open(archive) as tar:
        return {
            member.name: stream.read()
            for member in tar.getmembers()
            if member.name.endswith((".json", ".js")) and (stream := tar.extractfile(member)) is not None
        }


def _decoded(raw: bytes) -> Any:
    text = raw.decode("utf-8")
    start = re.search(r"^\s*[\[{]", text) or re.search(r"\[(?=\s*\")", text)
    return json.JSONDecoder().raw_decode(text, start.end() - 1)[0] if start else []


def _lines(value: Any) -> Iterator[Line]:
    """The strings of a catalogue: short ones are labels, the others are cut into sentences."""
    if isinstance(value, str):
        text = _clean(value)
        if _is_label(text):
            yield Line("heading", text, "")
        else:
            yield from (Line("sentence", part, "") for part in _sentences(text))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _lines(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _lines(inner)


def _page_lines(pages: Mapping[str, Mapping[str, str]] | None) -> Iterator[Line]:
    """Pages of documentation by address, their text under ``html``."""
    for _, page in sorted((pages or {}).items()):
        heading = ""
        for block in LexborHTMLParser(page["html"]).css(_BLOCKS):
            text = _clean(block.text(separator=" "))
            if block.tag in ("p", "li", "td"):
                yield from (Line("sentence", part, heading) for part in _sentences(text))
            elif _SHORTEST <= len(text) <= _LABEL_CHARACTERS:
                heading = text
                yield Line("heading", text, "")


def _clean(text: str) -> str:
    for pattern, by in ((_LINK, r"\1"), (_HOLE, " "), (_TAG, " ")):
        text = pattern.sub(by, text)
    return " ".join(text.split()).strip(" :-\u2013\u2026.,") if len(text) < 20_000 else ""


def _is_label(text: str) -> bool:
    return (
        _SHORTEST <= len(text) <= _LABEL_CHARACTERS
        and len(text.split()) <= _LABEL_WORDS
        and not re.search(r"[.!?。]", text)
    ) or (2 <= len(text) <= 24 and not text.isascii() and not re.search(r"[\s。]", text))


def _sentences(text: str) -> Iterator[str]:
    for part in _END.split(text):
        sentence = part.strip()
        if _SHORTEST < len(sentence) <= _LONGEST and any(char.isalpha() for char in sentence):
            yield sentence
