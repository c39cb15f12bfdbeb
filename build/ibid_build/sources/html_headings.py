"""Headings and signatures of a built page: their visible text, and the id that opens the page there."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from ibid_build.sources.hidden import is_hidden
from ibid_build.sources.html_main import is_chrome
from ibid_build.sources.names import names

BLOCKS = names(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hr legend li main ol p section summary table tbody td tfoot th thead tr ul"
)


def squeeze(text: str) -> str:
    """Blanks and line breaks as HTML draws them: one blank."""
    return " ".join(text.split())


def object_name(signature: LexborNode) -> str:
    """The name in a signature that Sphinx has made, with its module or class, "" where it is not marked."""
    parts = signature.css(".sig-prename, .sig-name, .descclassname, .descname")
    outer = [part for part in parts if part.parent is not None and part.parent.tag == "dt"] or parts
    return "".join(squeeze(part.text()) for part in {part.mem_id: part for part in outer}.values())


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
            attributes = current.attributes
            descend = not is_hidden(tag, attributes) and not is_chrome(current, tag, attributes)
            if descend and tag in BLOCKS:
                parts.append(" ")
        if descend and current.first_child is not None:
            current = current.first_child
            continue
        while current is not None and current.next is None:
            current = current.parent
            if current is None or current.mem_id == node.mem_id:
                return squeeze("".join(parts)).removesuffix("¶").removesuffix("#").rstrip()
        current = current.next if current is not None else None
    return squeeze("".join(parts))


def anchor_of(heading: LexborNode, ids: frozenset[str]) -> str:
    """The id that opens the page at this heading, "" when there is none."""
    own = heading.attributes.get("id")
    if own:
        return own
    first, parent = heading, heading.parent
    while parent is not None and parent.tag in ("section", "div", "header", "article", "hgroup"):
        if not _is_first(first, parent):
            break
        named = parent.attributes.get("id")
        if named:
            return named
        first, parent = parent, parent.parent
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
