"""Reads a whole documentation folder: which files, which tool, which address each page has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ibid.errors import InputError
from ibid.models import Page, Section
from ibid_build.config import BuildConfig
from ibid_build.findings import Finding
from ibid_build.sources.boilerplate import drop_boilerplate
from ibid_build.sources.decoding import decode
from ibid_build.sources.detection import find_generator
from ibid_build.sources.files import HTML, UNREAD, Files, check_folder, list_files
from ibid_build.sources.generator import Generator, html_url, title_from
from ibid_build.sources.html import HtmlPage, read_html
from ibid_build.sources.markdown import drop_data_addresses, read_markdown
from ibid_build.sources.notebook import notebook_markdown
from ibid_build.sources.patterns import Patterns
from ibid_build.sources.visible import strip_invisible, whole

Progress = Callable[[int, int], None]

_TEMPLATE = re.compile(r"\{%[-\s]|\{\{")
_PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body|main|article)\b", re.IGNORECASE)
_PRIVATE = ("draft", "noindex", "unlisted")  # whose names are not published with the index either
_LISTED = 50  # names of pages that were left out, of one kind
_HEAD = 4_000  # characters in which a page of HTML says that it is one
_SEPARATORS = re.compile(r"\s+[|\u2014\u2013\u00b7-]\s+")


@dataclass(frozen=True, slots=True)
class ReadResult:
    """``pages`` in order of path, ``title`` and ``source`` as resolved, ``hidden`` counts what was not.

    ``private`` names pages that the public is not to hear of: for the maintainer's eyes, not for the index.
    """

    pages: list[Page]
    warnings: list[Finding]
    title: str
    source: str
    hidden: dict[str, int]
    private: tuple[str, ...] = ()


def read_tree(
    root: Path, config: BuildConfig, progress: Progress | None = None, leave_out: Path | None = None
) -> ReadResult:
    """Reads every page under ``root`` but what is in ``leave_out`` (the folder that is built).

    Raises InputError when ``root`` is no folder, or when no page is left.
    """
    check_folder(root)
    generator = find_generator(root, config.generator)
    files = list_files(generator.content, Patterns((*generator.exclude, *config.exclude)), leave_out)
    reader = _Reader(config, generator, files)
    reader.read(progress)
    if not reader.pages:
        raise InputError(_nothing_left(root, files, reader))
    reader.report()
    folder = generator.content.resolve()
    name = generator.site_name or reader.common_title() or folder.name
    title = whole(config.title or name)
    source = config.source or title
    pages = [replace(page, source=source, title=whole(page.title)) for page in reader.pages]
    pages.sort(key=lambda page: page.path)
    return ReadResult(pages, reader.findings, title, source, reader.counted(), reader.private())


class _Reader:
    def __init__(self, config: BuildConfig, generator: Generator, files: Files) -> None:
        self.pages: list[Page] = []
        self.findings = list(files.findings)
        self._hidden: dict[str, list[str]] = {}
        if files.partials:
            self._hidden["partial"] = files.partials
        if files.generated:
            self._hidden["generated"] = files.generated
        self.not_text = 0
        self._config = config
        self._generator = generator
        self._files = files
        self._invisible: Counter[str] = Counter()
        self._site_names: Counter[str] = Counter()
        self._head_titles: dict[str, str] = {}
        base = config.site_url or generator.site_url or "../"
        self._base = base if base.endswith("/") else f"{base}/"

    def note(self, page: str, what: str, advice: str = "") -> None:
        self.findings.append(Finding("info", page, 0, what, advice))

    def warn(self, page: str, what: str, advice: str = "") -> None:
        self.findings.append(Finding("warning", page, 0, what, advice))

    def read(self, progress: Progress | None) -> None:
        html = self._html_texts()
        markdown = self._markdown_files(html)
        total = len(html) + len(markdown)
        for done, (path, text) in enumerate(html.items(), 1):
            self._html(path, text)
            if progress:
                progress(done, total)
        self._finish_html()
        for done, (path, file) in enumerate(markdown.items(), len(html) + 1):
            text_or_none = self._text(path, file)
            if text_or_none is not None:
                self._markdown(path, text_or_none)
            if progress:
                progress(done, total)

    def _html_texts(self) -> dict[str, str]:
        """Built pages: no templates or fragments that a tool fills in, no HTML beside its sources."""
        if self._generator.name != "markdown" and self._files.markdown:
            built = len(self._files.html) > len(self._files.markdown)
            if not built:
                return {}
        texts: dict[str, str] = {}
        for path, file in self._files.html.items():
            text = self._text(path, file)
            if text is None:
                continue
            head = text[:_HEAD]
            if _PAGE.search(head) and not _TEMPLATE.search(head.partition("<body")[0]):
                texts[path] = text
            else:
                self._hide("template", path)
        return texts

    def _markdown_files(self, html: dict[str, str]) -> dict[str, Path]:
        """Markdown files; beside built HTML only those that no built page was made from."""
        if html and self._generator.name != "markdown":
            return {}
        stems = {PurePosixPath(path).with_suffix("").as_posix() for path in html}
        stems |= {str(PurePosixPath(path).parent) for path in html if path.endswith("index.html")}
        left = {
            path: file
            for path, file in self._files.markdown.items()
            if PurePosixPath(path).with_suffix("").as_posix() not in stems
        }
        if len(left) < len(self._files.markdown):
            self._hidden["source"] = [path for path in self._files.markdown if path not in left]
        return left

    def _text(self, path: str, file: Path) -> str | None:
        try:
            decoded = decode(file.read_bytes(), html=file.suffix.lower() in HTML)
        except OSError as error:
            self.warn(path, f"cannot be read: {error.strerror}", "check its permissions")
            return None
        if decoded is None:
            self.not_text += 1
            self.warn(path, "is not text: left out", "exclude it, or save it as UTF-8 text")
            return None
        if decoded.note:
            self.warn(path, decoded.note, "save it as UTF-8")
        text, removed = strip_invisible(decoded.text)
        if removed:
            self._invisible[path] = removed
        return text

    def _markdown(self, path: str, text: str) -> None:
        if path.lower().endswith(".ipynb"):
            text, findings = notebook_markdown(text, path)
            self.findings += findings
        page = read_markdown(text, path, self._generator)
        if self._is_hidden(page.front_matter.hidden(), path):
            return
        self.findings += page.findings
        nav_title = self._generator.titles.get(path, "")
        title = nav_title or page.title or title_from(path)
        url = self._base + self._generator.url(path, page.front_matter.text("slug"))
        language = page.front_matter.text("lang") or self._config.language
        self._add(path, url, title, page.sections, language)

    def _html(self, path: str, text: str) -> None:
        page: HtmlPage = read_html(drop_data_addresses(text), self._config.content_selector)
        if self._is_hidden(page.hidden, path):
            return
        if page.head_title:
            self._head_titles[path] = page.head_title
            self._site_names.update({_SEPARATORS.split(page.head_title)[-1]})
        url = self._base + html_url(path)
        self._add(path, url, page.title, page.sections, page.language or self._config.language)

    def _is_hidden(self, reason: str, path: str) -> bool:
        if not reason or (self._config.include_unlisted and reason in ("unlisted", "noindex")):
            return False
        self._hide(reason, path)
        return True

    def _hide(self, reason: str, path: str) -> None:
        self._hidden.setdefault(reason, []).append(path)

    def counted(self) -> dict[str, int]:
        """How many pages were left out, by reason."""
        return {reason: len(paths) for reason, paths in sorted(self._hidden.items())}

    def _add(self, path: str, url: str, title: str, sections: tuple[Section, ...], language: str) -> None:
        if not any(section.blocks or section.heading for section in sections):
            self._hide("empty", path)
            return
        self.pages.append(Page("", path, url, title, sections, language))

    def private(self) -> tuple[str, ...]:
        """The paths of drafts and their like."""
        return tuple(path for reason in _PRIVATE for path in self._hidden.get(reason, ()))

    def common_title(self) -> str:
        """What the titles of most built pages end with: the documentation's own name."""
        for suffix, count in self._site_names.most_common(1):
            if count > 1 and 2 * count > len(self._head_titles):
                return suffix
        return ""

    def _finish_html(self) -> None:
        """What only all built pages together show: repeated text, and the site's name in titles.

        A page without a first heading is named by its ``<title>`` less the site's own name.
        """
        self.pages, repeated = drop_boilerplate(self.pages)
        if repeated:
            more = f" and {len(repeated) - 1} more" if len(repeated) > 1 else ""
            self.note("", f"text that stands on most pages was left out: {repeated[0][:60]!r}{more}")
        common = self.common_title()
        for position, page in enumerate(self.pages):
            if not page.title:
                head = self._head_titles.get(page.path, "")
                own = _SEPARATORS.split(head)
                if head == common:
                    head = ""
                if len(own) > 1 and own[-1] == common:
                    head = head[: head.rindex(own[-2]) + len(own[-2])]
                heading = next((s.heading for s in page.sections if s.heading), "")
                self.pages[position] = replace(page, title=head or heading or title_from(page.path))

    def report(self) -> None:
        """Adds the findings that count over the whole tree."""
        for suffix, count in sorted(self._files.unread.items()):
            self.warn("", f"{_files(count, suffix)} not read", UNREAD[suffix])
        names = {
            "draft": "marked as drafts",
            "unlisted": "marked as unlisted",
            "noindex": "marked as not to be indexed",
            "redirect": "that only lead elsewhere",
            "template": "that are templates or fragments of HTML",
            "empty": "without text",
            "source": "of Markdown that stand beside an HTML page of the same name",
            "partial": "that others include (_name)",
            "generated": "that a tool makes for itself (its index, its search, listings of code)",
        }
        for reason, paths in sorted(self._hidden.items()):
            listed = "" if reason in _PRIVATE else f": {_listed(paths)}"
            self.note("", f"{_files(len(paths), '')} {names[reason]} left out{listed}")
        for path, count in sorted(self._invisible.items()):
            self.warn(path, f"{count} invisible character(s) removed", "look for hidden text in the file")


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _LISTED} more" if len(paths) > _LISTED else ""
    return ", ".join(sorted(paths)[:_LISTED]) + more


def _files(count: int, suffix: str) -> str:
    noun = f"{suffix} file" if suffix else "file"
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _nothing_left(root: Path, files: Files, reader: _Reader) -> str:
    found = [(_files(count, suffix), UNREAD[suffix]) for suffix, count in sorted(files.unread.items())]
    if found:
        return f"nothing readable in {root}: found {', '.join(name for name, _ in found)}; {found[0][1]}"
    left_out = {**reader.counted(), "not text": reader.not_text}
    counted = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count)
    if counted:
        return f"nothing left to index in {root}: all pages were left out ({counted}); publish or list one"
    return f"nothing readable in {root}: no .md, .mdx, .ipynb or .html file; give the documentation's folder"
