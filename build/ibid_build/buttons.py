"""The "Ask" button on every page of a built site: a script tag at the end of each body."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from ibid.errors import InputError

_OURS = re.compile(rb'\n?<script data-ibid src="[^"]*"[^>]*></script>')
_BODY_END = re.compile(rb"</body\s*>", re.IGNORECASE)
_OPTIONS = ("label", "position", "theme", "open-key")
# Served at addresses of any depth, where a relative address leads astray.
_ANYWHERE = frozenset(("404.html", "50x.html"))


def add_buttons(site: Path, app: Path, options: Mapping[str, str] | None = None) -> int:
    """Puts the button on the pages of ``site`` that opens the app in ``app``, a folder of it; how many pages.

    ``options`` are ``embed.js``'s own: label, position, theme, open-key. A page that has the button gets it
    anew; one without a ``</body>`` is left as it is. Raises InputError when the app is not within the site,
    and for an option that is none.
    """
    check_within(site, app)
    for name in options or {}:
        if name not in _OPTIONS:
            raise InputError(f"the button has no option {name!r}; known: {', '.join(_OPTIONS)}")
    attributes = "".join(f' data-{n}="{html.escape(v)}"' for n, v in (options or {}).items())
    count = 0
    for page in _pages(site, app):
        data = page.read_bytes()
        bare = _OURS.sub(b"", data)
        ends = list(_BODY_END.finditer(bare))
        if not ends:
            continue
        source = quote(Path(os.path.relpath(app / "embed.js", page.parent)).as_posix())
        tag = f'\n<script data-ibid src="{source}" defer{attributes}></script>'.encode()
        end = ends[-1].start()
        made = bare[:end].rstrip(b"\n") + tag + b"\n" + bare[end:]
        count += 1
        if made != data:
            page.write_bytes(made)
    return count


def check_within(site: Path, app: Path) -> None:
    """Raises InputError when ``app`` is not a folder of the site."""
    if not app.resolve().is_relative_to(site.resolve()) or app.resolve() == site.resolve():
        raise InputError(
            f"{app} is not a folder within {site}: its pages could not lead there; build into {site / 'ask'}"
        )


def _pages(site: Path, app: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(site):
        if Path(folder).resolve() == app.resolve():
            folders.clear()
            continue
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix.lower() in (".html", ".htm") and name not in _ANYWHERE and not path.is_symlink():
                yield path
