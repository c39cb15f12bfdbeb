"""The maintainer's accent colour: used only where it can be read (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import re

from ibid_build.findings import Finding

LEAST_CONTRAST = 4.5
"""The accent is the colour of small numbers."""

_GROUNDS = ("paper", "raised", "wash")
_TWO_COLOURS = r"--{}:\s*light-dark\((#[0-9a-f]{{6}}),\s*(#[0-9a-f]{{6}})\)"


def checked_accent(accent: str, tokens: str) -> tuple[str, list[Finding]]:
    """The CSS colour for ``--accent`` ("" = the site's own), and what the maintainer should know.

    ``accent`` is one hex colour, or two with a blank between: for light and for dark. ``tokens`` is the text
    of ``tokens.css``, whose grounds it must stand out from. In a theme where it does not, the site's own
    stays: no one colour can be read on both light and dark grounds.
    """
    if not accent:
        return "", []
    own = _two_colours("accent", tokens)
    given = accent.split()
    wanted = (given[0], given[-1])
    worst = [min(contrast(wanted[theme], ground) for ground in _grounds(theme, tokens)) for theme in (0, 1)]
    colours = [wanted[theme] if worst[theme] >= LEAST_CONTRAST else own[theme] for theme in (0, 1)]
    problems = [
        f"{worst[theme]:.1f}:1 in the {name} theme"
        for theme, name in enumerate(("light", "dark"))
        if worst[theme] < LEAST_CONTRAST
    ]
    used = f"light-dark({colours[0]}, {colours[1]})" if len(problems) < 2 else ""
    if not problems:
        return used, []
    advice = "set two colours, a dark one for light pages and a light one for dark pages: "
    return used, [
        Finding(
            "warning",
            "",
            0,
            f"the accent {accent!r} has a contrast of {' and '.join(problems)}, where the site's own "
            f"is used; {LEAST_CONTRAST}:1 is needed",
            f'{advice}accent = "#9a2f14 #f2a17c"',
        )
    ]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two hex colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _two_colours(name: str, tokens: str) -> tuple[str, str]:
    found = re.search(_TWO_COLOURS.format(name), tokens)
    if found is None:
        raise ValueError(f"tokens.css gives --{name} no two colours")
    return found[1], found[2]


def _grounds(theme: int, tokens: str) -> list[str]:
    return [_two_colours(name, tokens)[theme] for name in _GROUNDS]


def _luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    digits = colour.lstrip("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    channels = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
