"""Built HTML to pages: main content only, without navigation, buttons and what is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ibid.models import Section
from ibid_build.sources.hidden import hiding_selectors, is_hidden, visible_attributes
from ibid_build.sources.html_headings import BLOCKS, anchor_of, heading_text, object_name, squeeze
from ibid_build.sources.html_main import find_main, is_chrome, tab_labels
from ibid_build.sources.html_text import code_language, code_text, inline_code, table_rows
from ibid_build.sources.names import names
from ibid_build.sources.nesting import limit_nesting
from ibid_build.sources.sections import SectionBuilder, join_rows

_HEADING = re.compile(r"h[1-6]")
# What Sphinx's object descriptions say they describe; a glossary or a field list is none of them.
_OBJECTS = names(
    "py c cpp js rst std function class method attribute data exception module staticmethod classmethod "
    "property decorator describe option cmdoption envvar confval macro type member enum struct"
)
_LINE_BREAK = "\x00"


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """``hidden`` says why the page is not for the public ("noindex", "redirect"), else ""."""

    title: str
    head_title: str
    language: str
    hidden: str
    sections: tuple[Section, ...]
    ids: frozenset[str]


def read_html(text: str, content_selector: str = "") -> HtmlPage:
    """Reads a whole page. Every anchor of its sections is an id (or name) that the page has."""
    tree = LexborHTMLParser(limit_nesting(text))
    root = tree.root
    if root is None:
        return HtmlPage("", "", "", "", (), frozenset())
    ids = frozenset(
        value
        for node in tree.css("[id], a[name]")
        for value in (node.attributes.get("id"), node.attributes.get("name"))
        if value
    )
    head_title = squeeze(title.text()) if (title := tree.css_first("title")) else ""
    language = (root.attributes.get("lang") or "") if root.tag == "html" else ""
    builder = SectionBuilder()
    hiding = hiding_selectors("\n".join(style.text() for style in tree.css("style")))
    walker = _Walker(builder, 0, ids, hiding)
    walker.walk(find_main(tree, content_selector))
    title_text = walker.first_h1 or ""
    return HtmlPage(title_text, head_title, language, _why_hidden(tree), builder.build(), ids)


def read_fragment(markup: str, builder: SectionBuilder, line: int) -> None:
    """Reads HTML that stands in Markdown into the builder; its tags need not be balanced."""
    tree = LexborHTMLParser(limit_nesting(f"<body>{markup}"))
    if tree.body is not None:
        _Walker(builder, line, None).walk(tree.body)


def _why_hidden(tree: LexborHTMLParser) -> str:
    for meta in tree.css("meta[name], meta[http-equiv]"):
        attributes = meta.attributes
        content = (attributes.get("content") or "").lower()
        if (attributes.get("name") or "").lower() in ("robots", "googlebot") and re.search(
            r"\b(?:noindex|none)\b", content
        ):
            return "noindex"
        refreshes = (attributes.get("http-equiv") or "").lower() == "refresh" and "url" in content
        if refreshes and (meta.parent is None or meta.parent.tag != "noscript"):
            return "redirect"
    return ""


class _Walker:
    """Walks the tree without recursion (nesting is the page's, not ours) and feeds the builder."""

    def __init__(
        self,
        builder: SectionBuilder,
        line: int,
        ids: frozenset[str] | None,
        hiding: frozenset[str] = frozenset(),
    ) -> None:
        self.first_h1 = ""
        self._builder = builder
        self._line = line
        self._ids = ids  # None: a fragment in Markdown, whose headings count only with an id of their own
        self._hiding = hiding
        self._parts: list[str] = []
        self._lists: list[int | None] = []
        self._marker = ""
        self._term = False
        self._objects: list[tuple[int, int]] = []  # (mark, level) around each object description
        self._labels: dict[int, str] = {}
        self._opened: set[str] = set()

    def walk(self, root: LexborNode) -> None:
        self._labels = tab_labels(root)
        node: LexborNode | None = root.first_child
        while node is not None:
            if self._enter(node) and node.first_child is not None:
                node = node.first_child
                continue
            while node.next is None:
                parent = node.parent
                if parent is None or parent.mem_id == root.mem_id:
                    self._flush()
                    return
                node = parent
                self._leave(node)
            node = node.next

    def _enter(self, node: LexborNode) -> bool:
        """Handles a node; True to go on to its children."""
        tag = node.tag
        if tag == "-text":
            self._parts.append(node.text_content or "")
            return False
        if tag is None or tag.startswith(("-", "!")):
            return False
        attributes = node.attributes
        if is_hidden(tag, attributes) or is_chrome(node, tag, attributes) or self._is_styled_away(attributes):
            return False
        if tag == "br":
            self._parts.append(_LINE_BREAK)
        elif tag == "img":
            self._parts.append(visible_attributes("img", {"alt": attributes.get("alt") or ""}))
        elif tag in ("code", "tt", "samp", "kbd"):
            self._parts.append(inline_code(node) if tag != "kbd" else squeeze(node.text()))
            return False
        elif tag == "math":
            self._parts.append(attributes.get("alttext") or squeeze(node.text()))
            return False
        elif _HEADING.fullmatch(tag):
            self._flush()
            return self._heading(node, int(tag[1]))
        elif tag == "pre":
            self._flush()
            self._marker = ""
            self._builder.block("code", code_text(node), code_language(node), self._line)
            return False
        elif tag in BLOCKS:
            self._flush()
            return self._open_block(node, tag, attributes)
        return True

    def _is_styled_away(self, attributes: dict[str, str | None]) -> bool:
        if not self._hiding or attributes.get("role") == "tabpanel":
            return False
        names = [f".{name}" for name in (attributes.get("class") or "").split()]
        return not self._hiding.isdisjoint([*names, f"#{attributes.get('id')}"])

    def _open_block(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        label = self._labels.get(node.mem_id)
        if label:
            self._builder.block("paragraph", label, line=self._line)
        if tag in ("ul", "ol"):
            start = attributes.get("start") or "1"
            self._lists.append(None if tag == "ul" else int(start) if start.isdecimal() else 1)
        elif tag == "li":
            self._open_item()
        elif tag == "dl" and not _OBJECTS.isdisjoint((attributes.get("class") or "").split()):
            self._objects.append((self._builder.mark(), self._builder.level))
        elif tag == "dt":
            if self._objects and attributes.get("id") and self._is_object(node):
                self._object(node, attributes["id"] or "")
                return False
            self._term = True
        elif tag == "table":
            rows = table_rows(node)
            if rows is not None:
                caption = node.css_first("caption")
                if caption is not None:
                    self._builder.block("paragraph", heading_text(caption), line=self._line)
                self._builder.block("table", join_rows(rows), line=self._line)
                return False
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag
        if tag not in BLOCKS:
            return
        self._flush()
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._marker = ""
        elif tag == "li":
            self._marker = ""
        elif tag == "dt":
            self._term = False
        elif tag == "dl" and self._objects:
            classes = (node.attributes.get("class") or "").split()
            if not _OBJECTS.isdisjoint(classes):
                self._builder.resume(self._objects.pop()[0])

    def _open_item(self) -> None:
        number = self._lists[-1] if self._lists else None
        indent = "  " * max(len(self._lists) - 1, 0)
        self._marker = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _flush(self) -> None:
        if not self._parts:
            return
        lines = [squeeze(line) for line in "".join(self._parts).split(_LINE_BREAK)]
        self._parts.clear()
        text = "\n".join(line for line in lines if line)
        if not text:
            return
        if self._marker:
            self._builder.block("item", self._marker + text.replace("\n", " "), line=self._line)
            self._marker = ""
        elif self._term:
            self._builder.block("term", text.replace("\n", " "), line=self._line)
        else:
            self._builder.block("paragraph", text, line=self._line)

    def _heading(self, node: LexborNode, level: int) -> bool:
        text = heading_text(node)
        if self._ids is None and not node.attributes.get("id"):
            self._builder.block("paragraph", text, line=self._line)
            return False
        if text:
            self._marker = ""
            anchor = anchor_of(node, self._ids or frozenset())
            if anchor in self._opened:  # an id that stands twice opens the first
                anchor = ""
            self._opened.add(anchor)
            self._builder.heading(text, level, anchor or self._builder.anchor, self._line)
            if level == 1 and not self.first_h1:
                self.first_h1 = text
        return False

    def _is_object(self, node: LexborNode) -> bool:
        parent = node.parent
        classes = (parent.attributes.get("class") or "").split() if parent is not None else []
        return not _OBJECTS.isdisjoint(classes)

    def _object(self, node: LexborNode, anchor: str) -> None:
        """A described function, class or option is a section of its own, one level below its place."""
        signature = heading_text(node)
        name = object_name(node) or signature.partition("(")[0]
        level = self._objects[-1][1] + 1
        self._builder.heading(name, level, anchor, self._line)
        self._builder.block("term", signature, line=self._line)
