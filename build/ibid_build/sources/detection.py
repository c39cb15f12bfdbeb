"""Finds the documentation tool of a folder by the settings files in it or above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ibid_build.sources import anchors
from ibid_build.sources.generator import Generator, read_settings, text_of
from ibid_build.sources.mkdocs import read_mkdocs

_SCRIPTS = ("js", "ts", "mjs", "mts", "cjs", "cts")
_SPHINX = re.compile(r"^(?:extensions|html_theme|project|master_doc|root_doc)\s*=", re.MULTILINE)


def find_generator(root: Path, forced: str = "") -> Generator:
    """The tool of ``root``, from the settings files in it or in its parent; ``forced`` names it instead."""
    for name, locate, read in _TOOLS:
        if forced and forced != name:
            continue
        for folder in (root, root.parent):
            settings = locate(folder)
            if settings is not None:
                return read(root, settings)
        if forced:
            return read(root, None)
    return Generator("markdown", anchors.github(), root)


def _mkdocs_settings(folder: Path) -> Path | None:
    return _first(folder, ("mkdocs.yml", "mkdocs.yaml"))


def _docusaurus_settings(folder: Path) -> Path | None:
    return _first(folder, (f"docusaurus.config.{end}" for end in _SCRIPTS))


def _vitepress_settings(folder: Path) -> Path | None:
    return _first(folder, (f".vitepress/config.{end}" for end in _SCRIPTS))


def _sphinx_settings(folder: Path) -> Path | None:
    """Other programs have a conf.py too: this one must set what Sphinx reads."""
    path = _first(folder, ("conf.py",))
    return path if path and _SPHINX.search(read_settings(path)) else None


def _first(folder: Path, names: Iterable[str]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _docusaurus(root: Path, settings: Path | None) -> Generator:
    text = read_settings(settings)
    docs = root / "docs"
    content = docs if settings and settings.parent == root and docs.is_dir() else root
    prefix = _quoted(text, "routeBasePath", "docs").strip("/")
    site = _quoted(text, "url").rstrip("/")
    base = _quoted(text, "baseUrl").strip("/")
    return Generator(
        "docusaurus",
        anchors.github(),
        content,
        base=f"{prefix}/" if prefix else "",
        site_url=f"{site}/{base}".rstrip("/") if site else "",
        site_name=_quoted(text, "title"),
    )


def _vitepress(root: Path, settings: Path | None) -> Generator:
    text = read_settings(settings)
    return Generator(
        "vitepress",
        anchors.vitepress(),
        root,
        directory_urls=bool(re.search(r"\bcleanUrls\s*:\s*true", text)),
        site_name=_quoted(text, "title"),
    )


def _sphinx(root: Path, settings: Path | None) -> Generator:
    values = _assignments(settings) if settings else {}
    patterns = values.get("exclude_patterns")
    return Generator(
        "sphinx",
        anchors.sphinx(),
        root,
        site_url=text_of(values.get("html_baseurl")),
        site_name=text_of(values.get("project")),
        exclude=tuple(f"/{p}" for p in patterns if isinstance(p, str)) if isinstance(patterns, list) else (),
    )


def _assignments(path: Path) -> dict[str, Any]:
    """Plain literals assigned at the top of a conf.py, which is read and never run."""
    try:
        tree = ast.parse(read_settings(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    values: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
    return values


def _quoted(text: str, key: str, default: str = "") -> str:
    """The first ``key: "value"`` of a JavaScript settings file, which is read and never run."""
    match = re.search(rf"(?<![\w.]){key}\s*:\s*(['\"`])([^'\"`\n]*)\1", text)
    return match.group(2) if match else default


_Locate = Callable[[Path], Path | None]
_Read = Callable[[Path, Path | None], Generator]
_TOOLS: tuple[tuple[str, _Locate, _Read], ...] = (
    ("mkdocs", _mkdocs_settings, read_mkdocs),
    ("docusaurus", _docusaurus_settings, _docusaurus),
    ("vitepress", _vitepress_settings, _vitepress),
    ("sphinx", _sphinx_settings, _sphinx),
)
