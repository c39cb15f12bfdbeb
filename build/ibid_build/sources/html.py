"""Built HTML to pages: main content only, without navigation, buttons and what is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ibid.models import Section
from ibid_build.sources.hidden import is_hidden, visible_attributes
from ibid_build.sources.html_main import find_main, is_chrome, tab_labels
from ibid_build.sources.html_text import cell_text, code_language, code_text, inline_code, node_attributes
from ibid_build.sources.sections import SectionBuilder

_HEADING = re.compile(r"h[1-6]")
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer "
    "form header hr legend li main ol p section summary table tbody td tfoot th thead tr ul".split()
)
# What Sphinx's object descriptions say they describe; a glossary or a field list is none of them.
_OBJECTS = frozenset(
    "py c cpp js rst std function class method attribute data exception module staticmethod classmethod "
    "property decorator describe option cmdoption envvar confval macro type member enum struct".split()
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
    tree = LexborHTMLParser(text)
    root = tree.root
    if root is None:
        return HtmlPage("", "", "", "", (), frozenset())
    ids = frozenset(
        value
        for node in tree.css("[id], a[name]")
        for value in (node.attributes.get("id"), node.attributes.get("name"))
        if value
    )
    head_title = _squeeze(title.text()) if (title := tree.css_first("title")) else ""
    language = (root.attributes.get("lang") or "") if root.tag == "html" else ""
    builder = SectionBuilder()
    walker = _Walker(builder, 0, ids)
    walker.walk(find_main(tree, content_selector))
    title_text = walker.first_h1 or ""
    return HtmlPage(title_text, head_title, language, _why_hidden(tree), builder.build(), ids)


def read_fragment(markup: str, builder: SectionBuilder, line: int) -> None:
    """Reads HTML that stands in Markdown into the builder; its tags need not be balanced."""
    tree = LexborHTMLParser(f"<body>{markup}")
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
        if (attributes.get("http-equiv") or "").lower() == "refresh" and "url" in content:
            return "redirect"
    return ""


def _squeeze(text: str) -> str:
    return " ".join(text.split())


class _Walker:
    """Walks the tree without recursion (nesting is the page's, not ours) and feeds the builder."""

    def __init__(self, builder: SectionBuilder, line: int, ids: frozenset[str] | None) -> None:
        self.first_h1 = ""
        self._builder = builder
        self._line = line
        self._ids = ids  # None: a fragment in Markdown, whose headings count only with an id of their own
        self._parts: list[str] = []
        self._lists: list[int | None] = []
        self._marker = ""
        self._term = False
        self._objects: list[tuple[int, int]] = []  # (mark, level) around each object description
        self._labels: dict[int, str] = {}

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
        attributes = node_attributes(node)
        if is_hidden(tag, attributes) or is_chrome(node, tag, attributes):
            return False
        if tag == "br":
            self._parts.append(_LINE_BREAK)
        elif tag == "img":
            self._parts.append(visible_attributes("img", {"alt": attributes.get("alt") or ""}))
        elif tag in ("code", "tt", "samp", "kbd"):
            self._parts.append(inline_code(node) if tag != "kbd" else _squeeze(node.text()))
            return False
        elif tag == "math":
            self._parts.append(attributes.get("alttext") or _squeeze(node.text()))
            return False
        elif _HEADING.fullmatch(tag):
            self._flush()
            return self._heading(node, int(tag[1]))
        elif tag == "pre":
            self._flush()
            self._marker = ""
            self._builder.block("code", code_text(node), code_language(node), self._line)
            return False
        elif tag in _BLOCKS:
            self._flush()
            return self._open_block(node, tag, attributes)
        return node.first_child is not None or self._childless(node)

    def _childless(self, _node: LexborNode) -> bool:
        return False

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
            rows = cell_text(node)
            if rows is not None:
                self._builder.block("table", "\n".join(rows), line=self._line)
                return False
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag
        if tag not in _BLOCKS:
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
        lines = [_squeeze(line) for line in "".join(self._parts).split(_LINE_BREAK)]
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
            anchor = _anchor_of(node, self._ids or frozenset())
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
        names = node.css(".sig-prename, .sig-name, .descclassname, .descname")
        outer = [n for n in names if n.parent is not None and n.parent.tag == "dt"] or names
        name = "".join(_squeeze(n.text()) for n in _unique(outer)) or signature.partition("(")[0]
        level = self._objects[-1][1] + 1
        self._builder.heading(name, level, anchor, self._line)
        self._builder.block("term", signature, line=self._line)


def _unique(nodes: list[LexborNode]) -> list[LexborNode]:
    return list({node.mem_id: node for node in nodes}.values())


def heading_text(node: LexborNode) -> str:
    """Visible text of a heading or signature without its link mark."""
    parts: list[str] = []
    current: LexborNode | None = node.first_child
    while current is not None:
        tag = current.tag
        descend = False
        if tag == "-text":
            parts.append(current.text_content or "")
        elif tag == "br":
            parts.append(" ")
        elif tag == "img":
            parts.append(current.attributes.get("alt") or "")
        elif tag is not None and not tag.startswith(("-", "!")):
            attributes = node_attributes(current)
            descend = not is_hidden(tag, attributes) and not is_chrome(current, tag, attributes)
            if descend and tag in _BLOCKS:
                parts.append(" ")
        if descend and current.first_child is not None:
            current = current.first_child
            continue
        while current is not None and current.next is None:
            current = current.parent
            if current is None or current.mem_id == node.mem_id:
                return _squeeze("".join(parts)).removesuffix("¶").removesuffix("#").rstrip()
        current = current.next if current is not None else None
    return _squeeze("".join(parts))


def _anchor_of(heading: LexborNode, ids: frozenset[str]) -> str:
    """The id that opens the page at this heading, "" when there is none."""
    own = heading.attributes.get("id")
    if own:
        return own
    parent = heading.parent
    while parent is not None and parent.tag in ("section", "div", "header", "article", "hgroup"):
        if not _is_first(heading, parent):
            break
        named = parent.attributes.get("id")
        if named and parent.tag in ("section", "div", "article"):
            return named
        heading, parent = parent, parent.parent
    for inner in heading.css("[id], a[name]"):
        named = inner.attributes.get("id") or inner.attributes.get("name")
        if named:
            return named
    for link in heading.css("a[href^='#']"):
        target = (link.attributes.get("href") or "")[1:]
        if target in ids:
            return target
    before = heading.prev
    while before is not None and before.tag == "-text" and not (before.text_content or "").strip():
        before = before.prev
    if before is not None and before.tag in ("a", "span"):
        return before.attributes.get("id") or before.attributes.get("name") or ""
    return ""


def _is_first(node: LexborNode, parent: LexborNode) -> bool:
    """Whether nothing but empty targets stands before the node."""
    current = parent.first_child
    while current is not None and current.mem_id != node.mem_id:
        if (current.tag not in ("-comment", "span", "a")) and current.text().strip():
            return False
        if current.tag in ("span", "a") and current.text().strip():
            return False
        current = current.next
    return True
