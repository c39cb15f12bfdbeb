"""The Chromium that the tests drive."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from types import TracebackType
from typing import Self

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


class PlainChromium:
    """Chromium as a reader has it, in a fresh profile; drive it with ``connect_over_cdp(address)``.

    Playwright's own flags switch the partitioning of third-party storage off, and so deny it to frames.
    """

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def __enter__(self) -> Self:
        window = ["--headless=new", "--window-size=1280,800", f"--user-data-dir={self._profile.name}"]
        command = [chromium_path(), *FLAGS, *window, "--remote-debugging-port=0", "about:blank"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if found := re.search(r"ws://(\S+?)/", line):
                self.address = f"http://{found[1]}"
                return self
        raise AssertionError("Chromium ended without naming its debugging port")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.communicate()
        self._profile.cleanup()
