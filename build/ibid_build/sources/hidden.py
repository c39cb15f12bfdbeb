"""What a browser would not show: hidden elements, and what their tags say about it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from ibid_build.sources.names import names

_TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>")
_ATTRIBUTE = re.compile(r"([A-Za-z_:@][\w:.@-]*)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?")
VOID_TAGS = names("area base br col embed hr img input link meta param source track wbr")
UNSEEN_TAGS = names("script style template noscript iframe object head title svg canvas")
_UNSEEN_CLASSES = names("sr-only visually-hidden screen-reader-text screenreader skip-link skip-to-content")
_OFF_CLASSES = frozenset(("hidden", "d-none"))  # unless another class shows it on wider screens
_ZERO = re.compile(r"0+(?:\.0+)?(?:px|pt|r?em|%|vh|vw)?")
_WHITE = frozenset(("white", "#fff", "#ffffff", "rgb(255,255,255)", "transparent", "rgba(0,0,0,0)"))
_AWAY = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|r?em|pt|vw|vh|%)?")
# Attributes of components that readers see as text.
_VISIBLE = names(
    "label title text command cmd code description caption summary alt heading header question answer "
    "content placeholder message tip note"
)
_NEVER_VISIBLE = names("class classname style d viewbox srcset sizes points transform rel content")


def parse_attributes(tag_body: str) -> dict[str, str]:
    """Attributes of a tag, names in lower case, entities undone; the first of a name counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(tag_body):
        value = match.group(2) or ""
        if value[:1] in ("'", '"'):
            value = value[1:-1]
        found.setdefault(match.group(1).lower(), html.unescape(value))
    return found


def is_hidden(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether the element is never drawn. A closed tab panel is: the reader opens it by its tab."""
    if tag in UNSEEN_TAGS:
        return True
    if "hidden" in attributes:
        revealable = attributes.get("role") == "tabpanel" or attributes["hidden"] == "until-found"
        if not revealable:
            return True
    if attributes.get("aria-hidden") == "true" and attributes.get("role") != "tabpanel":
        return True
    classes = attributes.get("class")
    if classes and attributes.get("role") != "tabpanel" and _classes_hide(classes.split()):
        return True
    if tag == "font" and (attributes.get("color") or "").lower() in _WHITE:
        return True
    style = attributes.get("style")
    return bool(style) and _style_hides(style or "")


def _classes_hide(classes: list[str]) -> bool:
    if not _UNSEEN_CLASSES.isdisjoint(classes):
        return True
    shown_later = any(":" in name or (name.startswith("d-") and name != "d-none") for name in classes)
    return not _OFF_CLASSES.isdisjoint(classes) and not shown_later


def hiding_selectors(css: str) -> frozenset[str]:
    """Plain ``.class`` and ``#id`` selectors of a page's own style sheet that hide what they select.

    Rules inside ``@media`` and the like hold only sometimes, and do not count.
    """
    found: set[str] = set()
    if "{" not in css:
        return frozenset()
    depth, selector = 0, ""
    for match in re.finditer(r"([^{}]*)([{}])", css):
        text, brace = match.groups()
        if brace == "{":
            depth += 1
            selector = text if depth == 1 else ""
            continue
        if depth == 1 and selector and _style_hides(text):
            names = (part.strip() for part in selector.rpartition("*/")[2].split(","))
            found.update(name for name in names if re.fullmatch(r"[.#][\w-]+", name))
        depth, selector = max(depth - 1, 0), ""
    return frozenset(found)


def _style_hides(style: str) -> bool:
    rules: dict[str, str] = {}
    for declaration in style.lower().split(";"):
        name, _, value = declaration.partition(":")
        rules[name.strip()] = "".join(value.replace("!important", "").split())
    background = rules.get("background-color", rules.get("background", ""))
    color = rules.get("color", "")
    return (
        rules.get("display") == "none"
        or rules.get("visibility") in ("hidden", "collapse")
        or bool(_ZERO.fullmatch(rules.get("opacity", "1")))
        or bool(_ZERO.fullmatch(rules.get("font-size", "1")))
        or (color != "" and color == background)
        or (color in _WHITE and (not background or background in _WHITE))
        or any(_AWAY.fullmatch(rules.get(side, "")) for side in ("left", "top", "right", "text-indent"))
        or rules.get("clip", "").startswith(("rect(0", "rect(1px,1px"))
        or rules.get("clip-path") in ("inset(50%)", "inset(100%)", "circle(0)")
        or (
            "hidden" in rules.get("overflow", "")
            and any(
                _ZERO.fullmatch(rules.get(side, "1")) or rules.get(side) == "1px"
                for side in ("width", "height")
            )
        )
    )


def visible_attributes(tag: str, attributes: Mapping[str, str]) -> str:
    """The text that a picture or a component shows from its attributes."""
    if tag == "img":
        return attributes.get("alt", "")
    if tag.lower() == tag and "-" not in tag:
        return ""  # a plain HTML element shows its children
    shown = []
    for name, value in attributes.items():
        is_text = name in _VISIBLE or (name not in _NEVER_VISIBLE and any(c.isspace() for c in value.strip()))
        if is_text and any(c.isalnum() for c in value) and "://" not in value.split()[0]:
            shown.append(value.strip())
    return " ".join(shown)


class HiddenSpan:
    """Follows tags through text that is parsed in pieces, and knows whether a hidden element is open."""

    def __init__(self) -> None:
        self._tag = ""
        self._depth = 0

    @property
    def open(self) -> bool:
        """True inside a hidden element."""
        return self._depth > 0

    def feed(self, markup: str) -> None:
        """Reads the tags of a piece of HTML, in order."""
        for match in _TAG.finditer(markup):
            closing, name, body = match.group(1), match.group(2).lower(), match.group(3)
            if self._depth:
                if name == self._tag and not body.endswith("/"):
                    self._depth += -1 if closing else 1
            elif not closing and name not in VOID_TAGS and is_hidden(name, parse_attributes(body)):
                self._tag, self._depth = name, 1


def read_tag(markup: str) -> tuple[str, bool, dict[str, str]]:
    """(name, is a closing tag, attributes) of one tag; name "" for comments and other markup."""
    match = _TAG.match(markup)
    if not match:
        return "", False, {}
    return match.group(2), bool(match.group(1)), parse_attributes(match.group(3))
