"""Opening a published folder for the commands: its index, and the settings it was published with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from ibid import foreign_json
from ibid.errors import InputError, SettingError
from ibid.index import Index
from ibid.index_format import open_index
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid_build.local_assets import LocalAssets


def open_published(folder: Path) -> Index:
    """The index in ``folder``. Raises InputError, IndexInvalid."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name one that was made with: ibid build SRC --out DIR")
    return asyncio.run(open_index(LocalAssets(folder)))


def published_settings(folder: Path, environment: Mapping[str, str]) -> Settings:
    """The settings in the folder's ``config.json``, overridden by ``IBID_<NAME>``.

    Raises InputError for a file that is not JSON, SettingError for a value out of its range.
    """
    path = folder / "config.json"
    values: object = {}
    if path.is_file():
        try:
            config = foreign_json.loads(path.read_bytes())
            values = config.get("settings", {}) if isinstance(config, dict) else None
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read: {error}; build the folder again: ibid build") from error
    if not isinstance(values, dict):
        raise InputError(f"{path} holds no table of settings; build the folder again: ibid build")
    known = {field.name for field in fields(Settings)}
    try:
        settings = Settings.from_mapping({name: value for name, value in values.items() if name in known})
    except SettingError as error:
        raise SettingError(f"{path}: {error}") from None
    return settings.with_environment(environment)


def open_retriever(folder: Path, environment: Mapping[str, str]) -> Retriever:
    """A retriever over a published folder, with its own settings."""
    index = open_published(folder)
    return Retriever(index, published_settings(folder, environment))
