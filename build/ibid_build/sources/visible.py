"""Takes out characters that readers cannot see, and counts them.

They carry hidden orders to a model (tag characters), break words in two (zero-width blanks) or turn text
around (direction marks). Joiners stay where scripts and emoji need them.
"""

from __future__ import annotations

import re

# Variation selectors 17 and up choose a glyph of a Chinese character; anywhere else they are a hiding place.
_IDEOGRAPH = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls but tab, line feed, return, next line
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e00ff]"
    f"|(?<![{_IDEOGRAPH}])[\U000e0100-\U000e01ef]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]"  # a joiner joins only what is not ASCII
    "|[\u200c\u200d](?![^\x00-\x7f])"
)


def strip_invisible(text: str) -> tuple[str, int]:
    """The text without invisible characters, and how many were taken out."""
    if text.isascii() and text.isprintable():
        return text, 0
    return _INVISIBLE.subn("", text)


def whole(text: str) -> str:
    """The text without half characters: an escape can write one, and a file's name can hold one."""
    return (
        text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )
