"""What in a built page is content, and what is the site around it."""

from __future__ import annotations

from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ibid.errors import InputError
from ibid_build.sources.names import names

# The content element of each tool, the most exact first.
_MAIN = (
    "body.manpage",  # AsciiDoc, whose name and purpose of a command stand in the header
    "article.md-content__inner",  # Material for MkDocs
    ".theme-doc-markdown",  # Docusaurus
    ".vp-doc",  # VitePress
    "[itemprop=articleBody]",  # Read the Docs' theme
    "article[role=main]",  # Furo
    "div.documentwrapper div.body",  # alabaster, classic and other Sphinx themes
    "div.body[role=main]",
    "article.bd-article",  # PyData
    "[role=main]",  # MkDocs' own themes
    "#content main",  # mdBook
)
_GENERIC = ("main", "article", "#content", "#main-content", "#main", ".content")
_MOST = 0.5  # share of the body's text that a generic main element must hold
_CHROME_TAGS = names("nav input select textarea audio video map datalist menu")
_CHROME_ROLES = frozenset(("navigation", "search", "menu", "menubar", "toolbar", "tablist"))
_CHROME_CLASSES = names(
    "headerlink hash-link header-anchor anchor-link anchorjs-link heading-anchor permalink breadcrumb "
    "breadcrumbs theme-doc-breadcrumbs wy-breadcrumbs bd-breadcrumbs edit-this-page theme-edit-this-page "
    "edit-link edit-page-link md-source-file md-content__button md-feedback md-footer md-header "
    "md-sidebar md-tags pagination-nav pager prev-next prev-next-area prev-next-bottom related-pages "
    "rst-footer-buttons related sphinxsidebar sphinxsidebarwrapper toc toc-tree toc-drawer "
    "toctree-wrapper table-of-contents page-toc on-this-page theme-doc-toc-mobile theme-doc-footer "
    "theme-last-updated last-updated copybtn copy-button copy-btn clipboard linenos lineno linenodiv "
    "viewcode-link viewcode-back bottom-of-page page-info content-icon-container back-to-top "
    "back-to-top-button vp-doc-footer VPDocFooter tabbed-labels sphinx-tabs-tab sd-tab-label "
    "admonition-anchor footer-article footer-content article-header-buttons bd-header-article bd-footer "
    "mobile-header navheader navfooter announcement footnote-reference footnote-ref footnote-backref "
    "fn-backref"
)
# Names that mean the site only inside another: a footnote's number, a code block's language, its tabs.
_CHROME_INSIDE = {"label": "footnote", "lang": "language-", "tabs": "vp-code-group"}
_ANCHOR_CLASSES = frozenset(
    ("anchor", "anchor-link", "pilcrow", "direct-link", "heading-link", "octicon-link")
)


def find_main(tree: LexborHTMLParser, content_selector: str = "") -> LexborNode:
    """The element that holds the page's content; the body when no part of it stands out.

    Raises InputError for a ``content_selector`` that is no CSS selector.
    """
    body = tree.body if tree.body is not None else tree.root
    if body is None:
        raise InputError("an HTML page without any element cannot be read; remove it or exclude it")
    if content_selector:
        try:
            chosen = tree.css_first(content_selector)
        except SelectolaxError:
            raise InputError(
                f"content_selector {content_selector!r} is no CSS selector; write one, such as .content"
            ) from None
        if chosen is not None:
            return chosen
    for selector in _MAIN:
        node = tree.css_first(selector)
        if node is not None and node.text().strip():
            return node
    whole = _length(body) or 1
    for selector in _GENERIC:
        nodes = tree.css(selector)
        if len(nodes) == 1 and _length(nodes[0]) >= _MOST * whole:
            return nodes[0]
    return body


def _length(node: LexborNode) -> int:
    """Characters of text outside navigation, header and footer."""
    total = len("".join(node.text().split()))
    for part in node.css("nav, script, style, footer, [role=navigation], .sphinxsidebar"):
        if not _inside_skipped(part, node):
            total -= len("".join(part.text().split()))
    return total


def _inside_skipped(part: LexborNode, root: LexborNode) -> bool:
    parent = part.parent
    while parent is not None and parent.mem_id != root.mem_id:
        if parent.tag in ("nav", "footer"):
            return True
        parent = parent.parent
    return False


def is_chrome(node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether the element belongs to the site and not to the page's text."""
    if tag in _CHROME_TAGS or (attributes.get("role") or "") in _CHROME_ROLES:
        return True
    if tag == "button":
        return True
    classes = (attributes.get("class") or "").split()
    if classes and not _CHROME_CLASSES.isdisjoint(classes):
        # a page whose whole content sits under such a name is no chrome: bodies and sections keep theirs
        return tag not in ("body", "main", "section", "h1", "h2", "h3", "h4", "h5", "h6")
    if tag == "a":
        return (attributes.get("rel") or "") in ("next", "prev", "edit") or not _ANCHOR_CLASSES.isdisjoint(
            classes
        )
    if tag == "h1":
        return node.parent is not None and node.parent.attributes.get("id") == "header"
    if tag == "footer":
        return node.parent is None or node.parent.tag != "blockquote"
    if tag == "header":
        return node.parent is not None and node.parent.tag == "body"
    if len(classes) == 1 and classes[0] in _CHROME_INSIDE:
        outer = (node.parent.attributes.get("class") or "") if node.parent is not None else ""
        return _CHROME_INSIDE[classes[0]] in outer
    if tag == "aside":
        return any("toc" in name or "nav" in name for name in classes)
    return (attributes.get("id") or "") in ("footer", "sidebar", "toc", "navigation", "footer-text")


def tab_labels(root: LexborNode) -> dict[int, str]:
    """The label of each tab's panel, by the panel's ``mem_id``; labels stand apart from panels in HTML."""
    labels: dict[int, str] = {}
    for tab_set in root.css(".tabbed-set"):  # Material for MkDocs
        _pair(tab_set.css(".tabbed-labels > label"), tab_set.css(".tabbed-content > .tabbed-block"), labels)
    for tab_set in root.css(".vp-code-group"):  # VitePress
        _pair(tab_set.css(".tabs > label"), tab_set.css(".blocks > div"), labels)
    for tab_list in root.css("[role=tablist]"):
        parent = tab_list.parent
        if parent is not None:
            _pair(tab_list.css("[role=tab]"), parent.css("[role=tabpanel]"), labels)
    for label in root.css("label.sd-tab-label"):  # sphinx-design
        panel = label.next
        while panel is not None and panel.tag == "-text":
            panel = panel.next
        if panel is not None:
            labels[panel.mem_id] = " ".join(label.text().split())
    return labels


def _pair(tabs: list[LexborNode], panels: list[LexborNode], labels: dict[int, str]) -> None:
    if len(tabs) == len(panels):
        for tab, panel in zip(tabs, panels, strict=True):
            labels.setdefault(panel.mem_id, " ".join(tab.text().split()))
