"""The Chromium that the tests drive."""

from __future__ import annotations

import os
import shutil

# Without these Chromium asks hosts of its own at every start.
FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path() -> str:
    """The browser to drive; a missing one fails, it never skips."""
    path = os.environ.get("IBID_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "no Chromium found: install the system's package chromium, or name one in IBID_CHROMIUM"
    return path
