"""MkDocs: ``plugins: [ibid]`` in mkdocs.yml.

Options: ``path`` (folder in the site, ``ask``), ``config`` (an ``ibid.toml``; default: beside mkdocs.yml),
``serve`` (also under ``mkdocs serve``; off, as it takes a moment at every change), and the button's
``label``, ``position``, ``theme``, ``open_key``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger

from ibid.errors import IbidError
from ibid_build.plugins.site import add_ibid

_LOG = get_plugin_logger("ibid")
_LAST = -100  # after all that still writes pages


class Options(base.Config):  # type: ignore[no-untyped-call]
    """What mkdocs.yml may say."""

    path = c.Type(str, default="ask")
    config = c.Type(str, default="")
    serve = c.Type(bool, default=False)
    label = c.Type(str, default="")
    position = c.Type(str, default="")
    theme = c.Type(str, default="")
    open_key = c.Type(str, default="")


class IbidPlugin(BasePlugin[Options]):  # type: ignore[no-untyped-call]
    """Indexes the site that was just built."""

    def __init__(self) -> None:
        self._serves = False

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Notes what MkDocs was started for."""
        del dirty
        self._serves = command == "serve"

    @event_priority(_LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Raises PluginError, which MkDocs tells in a sentence."""
        if self._serves and not self.config.serve:
            _LOG.info("left out under mkdocs serve; set serve: true to have it there")
            return
        project = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
        named = self.config.config
        beside = project / (named or "ibid.toml")
        options = {
            "label": self.config.label,
            "position": self.config.position,
            "theme": self.config.theme,
            "open-key": self.config.open_key,
        }
        try:
            add_ibid(
                Path(config.site_dir),
                app=self.config.path,
                config_file=beside if named or beside.is_file() else None,
                options={name: value for name, value in options.items() if value},
                environment=os.environ,
                say=_LOG.info,
            )
        except IbidError as error:
            raise PluginError(f"ibid: {error}") from error
