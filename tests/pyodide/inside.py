"""pytest inside Pyodide, on a loop that needs no sockets."""

from __future__ import annotations

import plain_loop
import pytest


def main(arguments: list[str]) -> int:
    """pytest's exit code."""
    plain_loop.install()
    return int(pytest.main(arguments))
