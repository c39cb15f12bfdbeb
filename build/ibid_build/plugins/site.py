"""What every plugin does once the site is built: index it, put the app into it, the button on its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path

from ibid_build.build import build_command
from ibid_build.buttons import add_buttons, check_within
from ibid_build.progress import Progress


def add_ibid(
    site: Path,
    *,
    app: str,
    config_file: Path | None,
    options: Mapping[str, str],
    environment: Mapping[str, str],
    say: Callable[[str], None],
) -> None:
    """``app`` is the folder within ``site``; ``options`` are the button's. Raises IbidError."""
    target = site / app
    check_within(site, target)
    build_command(
        site,
        target,
        config_file=config_file,
        index_only=False,
        environment=environment,
        progress=_Log(say),
    )
    count = add_buttons(site, target, options)
    say(f"{count} pages have the button")


class _Log(Progress):
    """What a build tells, as lines of the generator's own log."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(StringIO())
        self._tell = say

    def say(self, line: str) -> None:
        """One line."""
        self._tell(line)
