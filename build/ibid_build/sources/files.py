"""The files of a documentation folder that may hold pages, by kind."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from ibid.errors import InputError
from ibid_build.findings import Finding
from ibid_build.sources.patterns import Patterns
from ibid_build.sources.visible import whole

MARKDOWN = frozenset((".md", ".markdown", ".mdx", ".mdown", ".mkd", ".ipynb"))
HTML = frozenset((".html", ".htm", ".xhtml"))
# Kinds that a tool turns into one of the above, and how.
UNREAD = {
    ".rst": "build them with Sphinx first and give the HTML folder",
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
_TOP_FILES = ("objects.inv", "searchindex.js", "sitemap.xml", "search/search_index.json", "genindex.html")
_TOOL_FOLDERS = frozenset(("_modules", "_sources", "_static", "_images", "_templates", "_includes"))
_MAX_BYTES = 30_000_000


@dataclass(slots=True)
class Files:
    """Paths relative to the root (POSIX, NFC), with the file each is read from; sorted by path."""

    markdown: dict[str, Path] = field(default_factory=dict)
    html: dict[str, Path] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    partials: list[str] = field(default_factory=list)
    generated: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def check_folder(root: Path) -> None:
    """Raises InputError when ``root`` is no folder."""
    if not root.exists():
        raise InputError(f"{root} does not exist; give the folder that holds the documentation")
    if not root.is_dir():
        raise InputError(f"{root} is a file; give the folder that holds it")


def list_files(root: Path, exclude: Patterns, leave_out: Path | None = None) -> Files:
    """Walks the folder; dot folders, tools' own folders and links out of the root are left out."""
    files = Files()
    found = _walk(root, leave_out.resolve() if leave_out else None, files)
    for path, file in sorted(found, key=lambda entry: entry[0]):
        if not exclude.match(path):
            _sort_in(path, file, files)
    return files


def _walk(root: Path, leave_out: Path | None, files: Files) -> list[tuple[str, Path]]:
    """All files under the root. A link inside it is no second page; one that leads out is not followed."""
    real_root = root.resolve()
    found: list[tuple[str, Path]] = []
    folders = [root]
    while folders:
        for path in _entries(folders.pop(), root, files):
            if whole(path.name) != path.name:
                what = "the name is not UTF-8: left out"
                _warn(files, whole(_relative(path, root)), what, "rename it: no address leads there")
            elif path.is_symlink():
                if not path.resolve().is_relative_to(real_root):
                    what = "a link that leaves the folder was not followed"
                    _warn(files, _relative(path, root), what, "put a copy there if it should be found")
            elif path.is_dir():
                if path.resolve() != leave_out:
                    folders.append(path)
            elif path.is_file():
                found.append((_relative(path, root), path))
    return found


def _entries(folder: Path, root: Path, files: Files) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        _warn(files, _relative(folder, root), f"the folder cannot be read: {error.strerror}")
        return []
    return [folder / name for name in names if not name.startswith(".") and name not in _SKIPPED_FOLDERS]


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
        if _TOOL_FOLDERS.isdisjoint(parts[:-1]) and not _is_tool_page(file, parts):
            files.html[path] = file
        else:
            files.generated.append(path)
    elif parts[-1].startswith("_") or not _TOOL_FOLDERS.isdisjoint(parts[:-1]):
        files.partials.append(path)
    else:
        files.markdown[path] = file


def _is_tool_page(file: Path, parts: list[str]) -> bool:
    """A page may be called "search" too: such names are the tool's at the top of a site, of each version."""
    if parts[-1].startswith("genindex-"):
        return True
    is_top = len(parts) == 1 or any((file.parent / name).exists() for name in _TOP_FILES)
    return parts[-1] in _TOOL_PAGES and is_top


def _relative(path: Path, root: Path) -> str:
    return unicodedata.normalize("NFC", path.relative_to(root).as_posix())


def _warn(files: Files, page: str, what: str, advice: str = "") -> None:
    files.findings.append(Finding("warning", page, 0, what, advice))
