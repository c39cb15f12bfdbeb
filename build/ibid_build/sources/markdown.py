"""One Markdown file to a page: MkDocs with Material, MyST, Docusaurus, VitePress, plain."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ibid.models import Section
from ibid_build.findings import Finding
from ibid_build.sources.anchors import assign_anchors, docutils_id
from ibid_build.sources.block_rules import add_block_rules
from ibid_build.sources.front_matter import FrontMatter, split_front_matter
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
from ibid_build.sources.mdx import strip_mdx
from ibid_build.sources.rst_fragment import read_rst_fragment
from ibid_build.sources.sections import SectionBuilder

_DATA_ADDRESS = re.compile(r"data:[\w.+-]+/[\w.+-]+[;,][^\s()\"'<>]{64,}")
_SNIPPET = re.compile(r"^[ \t]*-+8<-+.*$", re.MULTILINE)
_LABEL = re.compile(r"\(([^()\n]{1,200})\)=")
_FENCE_TITLE = re.compile(r"(?:title|filename|caption)=(?:\"([^\"]*)\"|'([^']*)')|\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """What a Markdown file holds; ``title`` is "" when neither front matter nor a heading gives one."""

    title: str
    sections: tuple[Section, ...]
    front_matter: FrontMatter
    findings: tuple[Finding, ...]


def read_markdown(text: str, path: str, generator: Generator) -> MarkdownPage:
    """Reads decoded text; never raises on malformed input. ``path`` names the file in findings."""
    front_matter, body, findings = split_front_matter(text, path)
    body = drop_data_addresses(body)
    is_mdx = path.lower().endswith(".mdx") or generator.name == "docusaurus"
    if is_mdx:
        body, warnings = strip_mdx(body, path)
        findings += warnings
    if generator.name == "mkdocs":
        body = _SNIPPET.sub("", body)
    walker = _Walker(generator, path, front_matter.lines, indented_code=not is_mdx)
    walker.read(body)
    title = front_matter.title or walker.first_title
    return MarkdownPage(title, walker.builder.build(), front_matter, (*findings, *walker.findings))


def drop_data_addresses(text: str) -> str:
    """Text without pictures written into it as ``data:`` addresses; their alt text stays."""
    return _DATA_ADDRESS.sub("", text) if "data:" in text else text


def _parser(generator: Generator, *, indented_code: bool) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": True, "maxNesting": 60}).enable(["table", "strikethrough"])
    md.core.ruler.disable(["inline", "text_join"])
    add_block_rules(md, autodoc=generator.name == "mkdocs")
    if not indented_code:
        md.disable("code")
    md.validateLink = lambda _url: True  # type: ignore[method-assign]  # no link is ever made of it
    return md


class _Walker:
    """Goes through a parser's flat token list and feeds a section builder."""

    def __init__(self, generator: Generator, path: str, first_line: int, *, indented_code: bool) -> None:
        self.builder = SectionBuilder()
        self.findings: list[Finding] = []
        self.first_title = ""
        self._generator = generator
        self._path = path
        self._first_line = first_line
        self._md = _parser(generator, indented_code=indented_code)
        self._lines: list[str] = []
        self._hidden = HiddenSpan()
        self._lists: list[int | None] = []  # next number of each open list, None for bullets
        self._marker = ""
        self._rows: list[str] = []
        self._cells: list[str] | None = None
        self._anchors: list[str] = []
        self._headings: list[Heading] = []

    def read(self, text: str) -> None:
        env: dict[str, object] = {}
        tokens = self._md.parse(text, env)
        self._env = env
        self._lines = text.split("\n")
        self._read_headings(tokens)
        seen = 0
        for position, token in enumerate(tokens):
            if token.type == "html_block":
                self._html(token)
            elif token.type == "heading_open":
                if not self._hidden.open:
                    self._heading(token, seen)
                seen += 1
            elif token.type == "inline" and tokens[position - 1].type == "heading_open":
                continue
            elif not self._hidden.open:
                handle = _HANDLERS.get(token.type)
                if handle:
                    handle(self, token)

    def _children(self, token: Token) -> list[Token]:
        return parse_inline(self._md, token.content, self._env)

    def _read_headings(self, tokens: list[Token]) -> None:
        """Ids are given over the whole page, also to headings that are not shown."""
        generator = self._generator
        lists = (
            generator.name != "mkdocs"
            or not generator.options
            or bool(
                generator.options
                & {"attr_list", "markdown.extensions.attr_list", "extra", "markdown.extensions.extra"}
            )
        )
        alt_in_slug = generator.name != "mkdocs"
        for position, token in enumerate(tokens):
            if token.type != "heading_open":
                continue
            children = self._children(tokens[position + 1])
            heading = read_heading(children, attributes=lists, alt_in_slug=alt_in_slug)
            explicit = heading.explicit or self._target_before(tokens, position)
            self._headings.append(Heading(heading.text, heading.slug_text, explicit))
        self._anchors = assign_anchors(generator.rule, [(h.slug_text, h.explicit) for h in self._headings])

    def _target_before(self, tokens: list[Token], position: int) -> str:
        """MyST's ``(label)=`` or ``{#id}`` on the line above a heading."""
        if self._generator.name != "sphinx" or position < 3 or tokens[position - 1].type != "paragraph_close":
            return ""
        content = tokens[position - 2].content.strip()
        label = _LABEL.fullmatch(content)
        if label:
            return docutils_id(label.group(1))
        attributes = re.fullmatch(r"\{[^{}]*#([\w-]+)[^{}]*\}", content)
        return docutils_id(attributes.group(1)) if attributes else ""

    def _line(self, token: Token) -> int:
        return self._first_line + token.map[0] + 1 if token.map else 0

    def _heading(self, token: Token, index: int) -> None:
        heading = self._headings[index]
        level = int(token.tag[1])
        if not self.first_title or (level == 1 and not self._has_h1):
            self.first_title = heading.text or self.first_title
            self._has_h1 = level == 1
        self._marker = ""
        self.builder.heading(heading.text, level, self._anchors[index], self._line(token))

    _has_h1 = False

    def _inline(self, token: Token) -> None:
        text = plain_text(self._children(token))
        if self._cells is not None:
            self._cells.append(text.replace("\n", " "))
            return
        if self._generator.name == "sphinx" and _LABEL.fullmatch(token.content.strip()):
            return
        if not strip_attribute_lists(token.content).strip():
            return
        if self._marker:
            self.builder.block("item", self._marker + text.replace("\n", " "), line=self._line(token))
            self._marker = ""
        else:
            self.builder.block("paragraph", text, line=self._line(token))

    def _code(self, token: Token) -> None:
        info = token.info.strip()
        if token.type == "fence" and not self._is_closed(token):
            what = "a code fence is never closed: all that follows is code"
            self.findings.append(
                Finding(
                    "warning", self._path, self._line(token), what, "close it with a line of the same marks"
                )
            )
        if info in ("{.mermaid}", "{}"):
            info = ""
        titled = _FENCE_TITLE.search(info)
        if titled:
            self._label(next(group for group in titled.groups() if group is not None), token)
        word = re.match(r"\{?\s*\.?([\w+#./-]*)", info)
        self._marker = ""
        self.builder.block(
            "code", token.content.rstrip("\n"), word.group(1) if word else "", self._line(token)
        )

    def _is_closed(self, token: Token) -> bool:
        if "closed" in token.meta:
            return bool(token.meta["closed"])
        if not token.map or token.map[1] - token.map[0] < 2:
            return False
        last = self._lines[token.map[1] - 1].strip(" \t>")
        return last.startswith(token.markup) and not last.strip(token.markup[0])

    def _html(self, token: Token) -> None:
        was_open = self._hidden.open
        if not was_open and token.content.lstrip().startswith("<!--") and "-->" not in token.content:
            what = "an HTML comment is never closed: all that follows is hidden"
            self.findings.append(Finding("warning", self._path, self._line(token), what, "close it with -->"))
        if not token.content.lstrip().lower().startswith(("<!--", "<script", "<style", "<?", "<!")):
            self._hidden.feed(token.content)
        if not was_open:
            read_fragment(token.content, self.builder, self._line(token))

    def _rst(self, token: Token) -> None:
        read_rst_fragment(token.content, self.builder, self._line(token))

    def _autodoc(self, token: Token) -> None:
        self.builder.block("paragraph", f"`{token.content}`", line=self._line(token))

    def _container(self, token: Token) -> None:
        self._label(str(token.meta["label"]), token)

    def _label(self, label: str, token: Token) -> None:
        self.builder.block(
            "paragraph", plain_text(parse_inline(self._md, label, self._env)), line=self._line(token)
        )

    def _open_list(self, token: Token) -> None:
        start = token.attrs.get("start", 1) if token.type == "ordered_list_open" else None
        self._lists.append(int(start) if start is not None else None)

    def _close_list(self, _token: Token) -> None:
        self._lists.pop()
        self._marker = ""

    def _open_item(self, _token: Token) -> None:
        number = self._lists[-1]
        indent = "  " * (len(self._lists) - 1)
        self._marker = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _open_row(self, _token: Token) -> None:
        self._cells = []

    def _close_row(self, _token: Token) -> None:
        self._rows.append(" | ".join(self._cells or ()))
        self._cells = None

    def _close_table(self, token: Token) -> None:
        self.builder.block("table", "\n".join(row for row in self._rows if row.strip(" |")), line=0)
        self._rows = []


_HANDLERS: dict[str, Callable[[_Walker, Token], None]] = {
    "inline": _Walker._inline,
    "fence": _Walker._code,
    "code_block": _Walker._code,
    "eval_rst": _Walker._rst,
    "autodoc": _Walker._autodoc,
    "container_open": _Walker._container,
    "bullet_list_open": _Walker._open_list,
    "ordered_list_open": _Walker._open_list,
    "bullet_list_close": _Walker._close_list,
    "ordered_list_close": _Walker._close_list,
    "list_item_open": _Walker._open_item,
    "tr_open": _Walker._open_row,
    "tr_close": _Walker._close_row,
    "table_close": _Walker._close_table,
}
