"""Goes through a Markdown parser's tokens and feeds a section builder."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ibid_build.findings import Finding
from ibid_build.sources.anchors import assign_anchors, docutils_id
from ibid_build.sources.block_rules import add_block_rules
from ibid_build.sources.generator import Generator
from ibid_build.sources.hidden import HiddenSpan
from ibid_build.sources.html import read_fragment
from ibid_build.sources.inline import (
    Heading,
    parse_inline,
    plain_text,
    read_heading,
    strip_attribute_lists,
)
from ibid_build.sources.rst_fragment import read_rst_fragment
from ibid_build.sources.sections import SectionBuilder, join_rows

_LABEL = re.compile(r"\(([^()\n]{1,200})\)=")
_ID_LIST = re.compile(r"\{[^{}#]*#([\w-]+)[^{}]*\}")
_LANGUAGE = re.compile(r"\s*\{?\s*\.?([\w+#./-]*)")
_ATTRIBUTE_LISTS = frozenset(
    f"{prefix}{name}" for prefix in ("", "markdown.extensions.") for name in ("attr_list", "extra")
)
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")  # GitHub's, in quotes
_MAX_NESTING = 60
_FENCE_TITLE = re.compile(r"(?:title|filename|caption)=(?:\"([^\"]*)\"|'([^']*)')|\[([^\[\]]+)\]")


class MarkdownWalker:
    """Reads the text of one file; ``builder``, ``findings`` and ``first_title`` are the result.

    ``first_line`` is how many lines of the file stand before the text (its front matter).
    """

    def __init__(self, generator: Generator, path: str, first_line: int, *, indented_code: bool) -> None:
        self.builder = SectionBuilder()
        self.findings: list[Finding] = []
        self.first_title = ""
        self._generator = generator
        self._path = path
        self._first_line = first_line
        self._md = _parser(generator, indented_code=indented_code)
        self._env: dict[str, Any] = {}  # the link definitions of the page
        self._lines: list[str] = []
        self._headings: list[Heading] = []
        self._anchors: list[str] = []
        self._has_h1 = False
        self._hidden = HiddenSpan()
        self._lists: list[int | None] = []  # next number of each open list, None for bullets
        self._marker = ""
        self._rows: list[list[str]] = []
        self._in_table = False

    def read(self, text: str) -> None:
        """Reads the whole text."""
        tokens = self._md.parse(text, self._env)
        self._lines = text.split("\n")
        self._read_headings(tokens)
        headings = 0
        for position, token in enumerate(tokens):
            if token.type == "heading_open":
                if not self._hidden.open:
                    self._heading(token, headings)
                headings += 1
            elif token.type == "html_block":
                self._html(token)
            elif not self._hidden.open and not (position and tokens[position - 1].type == "heading_open"):
                handle = _HANDLERS.get(token.type)
                if handle:
                    handle(self, token)

    def _read_headings(self, tokens: list[Token]) -> None:
        """Ids are given over the whole page, also to headings that are not shown."""
        in_mkdocs = self._generator.name == "mkdocs"
        options = self._generator.options
        has_attributes = not in_mkdocs or not options or not options.isdisjoint(_ATTRIBUTE_LISTS)
        for position, token in enumerate(tokens):
            if token.type != "heading_open":
                continue
            children = parse_inline(self._md, tokens[position + 1].content, self._env)
            heading = read_heading(children, attributes=has_attributes, alt_in_slug=not in_mkdocs)
            explicit = heading.explicit or self._target_above(tokens, position)
            self._headings.append(Heading(heading.text, heading.slug_text, explicit))
        self._anchors = assign_anchors(
            self._generator.rule, [(h.slug_text, h.explicit) for h in self._headings]
        )

    def _target_above(self, tokens: list[Token], position: int) -> str:
        """MyST's ``(label)=`` or ``{#id}`` on the line above a heading."""
        if self._generator.name != "sphinx" or position < 3 or tokens[position - 1].type != "paragraph_close":
            return ""
        content = tokens[position - 2].content.strip()
        label = _LABEL.fullmatch(content) or _ID_LIST.fullmatch(content)
        return docutils_id(label.group(1)) if label else ""

    def _heading(self, token: Token, index: int) -> None:
        heading = self._headings[index]
        level = int(token.tag[1])
        is_title = level == 1 and not self._has_h1
        # MkDocs names a page without a first heading by its file
        if is_title or not (self.first_title or self._generator.name == "mkdocs"):
            self.first_title = heading.text or self.first_title
        self._has_h1 = self._has_h1 or level == 1
        self._marker = ""
        # Docusaurus gives first headings no id
        anchor = "" if level == 1 and self._generator.name == "docusaurus" else self._anchors[index]
        self.builder.heading(heading.text, level, anchor, self._line(token))

    def _line(self, token: Token) -> int:
        return self._first_line + token.map[0] + 1 if token.map else 0

    def _text(self, content: str) -> str:
        return plain_text(parse_inline(self._md, content, self._env))

    def _warn(self, token: Token, what: str, advice: str) -> None:
        self.findings.append(Finding("warning", self._path, self._line(token), what, advice))

    def _inline(self, token: Token) -> None:
        if self._in_table:
            self._rows[-1].append(self._text(token.content).replace("\n", " "))
            return
        content = token.content.strip()
        is_target = self._generator.name == "sphinx" and _LABEL.fullmatch(content)
        if is_target or not strip_attribute_lists(content).strip():
            return
        alert = _ALERT.match(content)
        if alert:
            self._label(alert.group(1).capitalize(), token)
        text = self._text(content[alert.end() :] if alert else token.content)
        if self._marker:
            self.builder.block("item", self._marker + text.replace("\n", " "), line=self._line(token))
            self._marker = ""
        else:
            self.builder.block("paragraph", text, line=self._line(token))

    def _code(self, token: Token) -> None:
        if token.type == "fence" and not self._is_closed(token):
            what = "a code fence is never closed: all that follows is code"
            self._warn(token, what, "close it with a line of the same marks")
        titled = _FENCE_TITLE.search(token.info)
        if titled:
            self._label(next(group for group in titled.groups() if group is not None), token)
        language = _LANGUAGE.match(token.info)
        self._marker = ""
        self.builder.block(
            "code", token.content.strip("\n"), language.group(1) if language else "", self._line(token)
        )

    def _is_closed(self, token: Token) -> bool:
        if "closed" in token.meta:
            return bool(token.meta["closed"])
        if not token.map or token.map[1] - token.map[0] < 2:
            return False
        last = self._lines[token.map[1] - 1].strip(" \t>")
        return last.startswith(token.markup) and not last.strip(token.markup[0])

    def _html(self, token: Token) -> None:
        was_hidden = self._hidden.open
        start = token.content.lstrip()[:8].lower()
        if start.startswith("<!--") and "-->" not in token.content and not was_hidden:
            what = "an HTML comment is never closed: all that follows is hidden"
            self._warn(token, what, "close it with -->")
        if not start.startswith(("<!", "<?", "<script", "<style")):
            self._hidden.feed(token.content)
        if not was_hidden:
            read_fragment(token.content, self.builder, self._line(token))

    def _rst(self, token: Token) -> None:
        read_rst_fragment(token.content, self.builder, self._line(token))

    def _autodoc(self, token: Token) -> None:
        self.builder.block("paragraph", f"`{token.content}`", line=self._line(token))

    def _container(self, token: Token) -> None:
        self._label(str(token.meta["label"]), token)

    def _label(self, label: str, token: Token) -> None:
        self.builder.block("paragraph", self._text(label), line=self._line(token))

    def _open_list(self, token: Token) -> None:
        self._lists.append(int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None)

    def _close_list(self, _token: Token) -> None:
        self._lists.pop()
        self._marker = ""

    def _open_item(self, _token: Token) -> None:
        number = self._lists[-1]
        indent = "  " * (len(self._lists) - 1)
        self._marker = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _open_table(self, _token: Token) -> None:
        self._in_table = True
        self._rows = []

    def _open_row(self, _token: Token) -> None:
        self._rows.append([])

    def _close_table(self, _token: Token) -> None:
        self._in_table = False
        self.builder.block("table", join_rows(self._rows))


def _parser(generator: Generator, *, indented_code: bool) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": True, "maxNesting": _MAX_NESTING}).enable(
        ["table", "strikethrough"]
    )
    md.core.ruler.disable(["inline", "text_join"])  # inline text is parsed where it is read, in pieces
    add_block_rules(md, python_markdown=generator.name == "mkdocs")
    if not indented_code:
        md.disable("code")
    setattr(md, "validateLink", _any_address)  # noqa: B010  # assigning a method is no type error this way
    return md


def _any_address(_url: str) -> bool:
    """No link is ever made of an address here, so none has to be refused and shown as text."""
    return True


_HANDLERS: dict[str, Callable[[MarkdownWalker, Token], None]] = {
    "inline": MarkdownWalker._inline,
    "fence": MarkdownWalker._code,
    "code_block": MarkdownWalker._code,
    "eval_rst": MarkdownWalker._rst,
    "autodoc": MarkdownWalker._autodoc,
    "container_open": MarkdownWalker._container,
    "bullet_list_open": MarkdownWalker._open_list,
    "ordered_list_open": MarkdownWalker._open_list,
    "bullet_list_close": MarkdownWalker._close_list,
    "ordered_list_close": MarkdownWalker._close_list,
    "list_item_open": MarkdownWalker._open_item,
    "table_open": MarkdownWalker._open_table,
    "tr_open": MarkdownWalker._open_row,
    "table_close": MarkdownWalker._close_table,
}
