"""The files of a documentation folder that may hold pages, by kind."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from ibid.errors import InputError
from ibid_build.findings import Finding
from ibid_build.sources.patterns import Patterns

MARKDOWN = frozenset((".md", ".markdown", ".mdx", ".mdown", ".mkd"))
HTML = frozenset((".html", ".htm", ".xhtml"))
# Kinds that a tool turns into one of the above, and how.
UNREAD = {
    ".rst": "build them with Sphinx first and give the HTML folder",
    ".ipynb": "convert them with `jupyter nbconvert --to markdown` or build the site and give the HTML folder",
    ".adoc": "build them with Asciidoctor first and give the HTML folder",
    ".asciidoc": "build them with Asciidoctor first and give the HTML folder",
    ".org": "export them to HTML first and give the HTML folder",
    ".typ": "export them to HTML first and give the HTML folder",
}
_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "bower_components"))
# Pages that a tool makes for itself.
_TOOL_PAGES = frozenset(
    ("genindex.html", "search.html", "py-modindex.html", "404.html", "print_page.html", "searchindex.html")
)
_TOOL_FOLDERS = frozenset(("_modules", "_sources", "_static", "_images", "_templates", "_includes"))
_MAX_BYTES = 30_000_000


@dataclass(slots=True)
class Files:
    """Paths relative to the root (POSIX, NFC), with the file each is read from; sorted by path."""

    markdown: dict[str, Path] = field(default_factory=dict)
    html: dict[str, Path] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    partials: int = 0
    findings: list[Finding] = field(default_factory=list)


def list_files(root: Path, exclude: Patterns) -> Files:
    """Walks the folder; dot folders, tools' own folders and links out of the root are left out.

    Raises InputError when ``root`` is no readable folder.
    """
    if not root.exists():
        raise InputError(f"{root} does not exist; give the folder that holds the documentation")
    if not root.is_dir():
        raise InputError(f"{root} is a file; give the folder that holds it")
    files = Files()
    real_root = root.resolve()
    entries = sorted(_walk(root, real_root, files), key=lambda entry: entry[0])
    for path, file in entries:
        if not exclude.match(path):
            _sort_in(path, file, files)
    return files


def _walk(root: Path, real_root: Path, files: Files) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    seen: set[Path] = set()
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            _warn(files, _relative(folder, root), f"the folder cannot be read: {error.strerror}", "")
            continue
        for entry in entries:
            path = folder / entry.name
            if entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS:
                continue
            if entry.is_symlink():
                real = path.resolve()
                if not real.is_relative_to(real_root) or real in seen:
                    _warn(files, _relative(path, root), "a link that leaves the folder was not followed", "")
                    continue
                seen.add(real)
            if path.is_dir():
                if not entry.is_symlink():
                    pending.append(path)
                elif not root.resolve().is_relative_to(path.resolve()):
                    pending.append(path)
            elif path.is_file():
                found.append((_relative(path, root), path))
    return found


def _sort_in(path: str, file: Path, files: Files) -> None:
    suffix = file.suffix.lower()
    if suffix in UNREAD:
        files.unread[suffix] = files.unread.get(suffix, 0) + 1
        return
    if suffix not in MARKDOWN and suffix not in HTML:
        return
    if file.stat().st_size > _MAX_BYTES:
        _warn(files, path, f"larger than {_MAX_BYTES // 1_000_000} MB: left out", "split it, or exclude it")
        return
    parts = path.split("/")
    if suffix in HTML:
        if parts[-1] not in _TOOL_PAGES and not parts[-1].startswith("genindex-"):
            if _TOOL_FOLDERS.isdisjoint(parts[:-1]):
                files.html[path] = file
    elif parts[-1].startswith("_") or not _TOOL_FOLDERS.isdisjoint(parts[:-1]):
        files.partials += 1
    else:
        files.markdown[path] = file


def _relative(path: Path, root: Path) -> str:
    return unicodedata.normalize("NFC", path.relative_to(root).as_posix())


def _warn(files: Files, page: str, what: str, advice: str) -> None:
    files.findings.append(Finding("warning", page, 0, what, advice))
