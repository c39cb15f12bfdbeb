"""``ibid serve`` in a process of its own, so that a test can kill it: offline means that it is gone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self


def ibid_build(docs: Path, out: Path) -> None:
    """Builds a site as a maintainer does."""
    subprocess.run([sys.executable, "-m", "ibid_build", "build", str(docs), "--out", str(out)], check=True)


class SiteServer:
    """Serves a built folder on a free port of 127.0.0.1 while the context is open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "ibid_build", "serve", str(self._folder), "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert address, f"ibid serve printed {line!r}"
        self.url = address[0]
        return self

    def kill(self) -> None:
        """The server is gone at once; safe to call twice."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
