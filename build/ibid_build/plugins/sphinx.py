"""Sphinx: ``extensions = ["ibid_build.plugins.sphinx"]`` in conf.py.

Options: ``ibid_path`` (folder within the site, ``ask``), ``ibid_config`` (an ``ibid.toml``; default: beside
conf.py), ``ibid_button`` (a dictionary: label, position, theme, open-key). Builders that make no HTML files
are left alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from ibid import __version__
from ibid.errors import IbidError
from ibid_build.plugins.site import add_ibid

_LOG = logging.getLogger(__name__)
_LAST = 900  # after all that still writes pages


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_config_value("ibid_path", "ask", "", types=(str,))
    app.add_config_value("ibid_config", "", "", types=(str,))
    app.add_config_value("ibid_button", {}, "", types=(dict,))
    app.connect("build-finished", _index, priority=_LAST)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _index(app: Sphinx, exception: Exception | None) -> None:
    """Raises ExtensionError, which Sphinx tells in a sentence."""
    if exception is not None or app.builder.format != "html" or app.builder.name not in ("html", "dirhtml"):
        return
    named = app.config.ibid_config
    beside = Path(app.confdir) / (named or "ibid.toml")
    try:
        add_ibid(
            Path(app.outdir),
            app=app.config.ibid_path,
            config_file=beside if named or beside.is_file() else None,
            options=app.config.ibid_button,
            environment=os.environ,
            say=lambda line: _LOG.info("ibid: %s", line),
        )
    except IbidError as error:
        raise ExtensionError(f"ibid: {error}") from error
