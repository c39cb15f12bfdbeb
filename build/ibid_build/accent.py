"""The maintainer's accent colour: used only where it can be read (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ibid_build.findings import Finding

LEAST_CONTRAST = 4.5
"""The accent is the colour of small numbers."""

_GROUNDS = ("paper", "raised", "wash")
_TWO_COLOURS = r"--{}:\s*light-dark\((#[0-9a-f]{{6}}),\s*(#[0-9a-f]{{6}})\)"


def checked_accent(accent: str, tokens: str) -> tuple[str, list[Finding]]:
    """The CSS colour for ``--accent`` ("" = the site's own), and what the maintainer should know.

    ``accent`` is one hex colour, or two with a blank between: for light and for dark. ``tokens`` is the text
    of ``tokens.css``, whose grounds it must stand out from in both themes.
    """
    if not accent:
        return "", []
    light, _, dark = accent.partition(" ")
    colours = (light, dark.strip() or light)
    problems = list(_problems(colours, tokens))
    if not problems:
        return f"light-dark({colours[0]}, {colours[1]})", []
    advice = "set two colours, a dark one for light pages and a light one for dark pages: "
    return "", [
        Finding(
            "warning",
            "",
            0,
            f"the accent {accent!r} is not used: its contrast is {', '.join(problems)}; "
            f"{LEAST_CONTRAST}:1 is needed in both themes",
            f'{advice}accent = "#9a2f14 #f2a17c"',
        )
    ]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two hex colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _problems(colours: tuple[str, str], tokens: str) -> Iterator[str]:
    for theme, colour in enumerate(colours):
        grounds = [re.search(_TWO_COLOURS.format(name), tokens) for name in _GROUNDS]
        worst = min(contrast(colour, ground[theme + 1]) for ground in grounds if ground)
        if worst < LEAST_CONTRAST:
            yield f"{worst:.1f}:1 in the {('light', 'dark')[theme]} theme"


def _luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    digits = colour.lstrip("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    channels = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
