"""The files of a published folder, for the commands that run the browser's Python on this machine."""

from __future__ import annotations

from pathlib import Path

from ibid.errors import IndexInvalid
from ibid.index_parts import MANIFEST, REBUILD


class LocalAssets:
    """An AssetLoader over a folder that ``ibid build`` wrote."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, name: str) -> bytes:
        """The file's bytes, as they are. Raises IndexInvalid."""
        path = self._folder / name
        try:
            return path.read_bytes()
        except FileNotFoundError:
            if name == MANIFEST:
                raise IndexInvalid(
                    f"{self._folder} holds no Ibid index: {path} is missing",
                    next="Name a folder that was made with: ibid build SRC --out DIR",
                ) from None
            raise IndexInvalid(
                f"{path} is missing, which the index's manifest names: the folder was copied in part",
                next=REBUILD,
            ) from None
        except OSError as error:
            raise IndexInvalid(
                f"{path} cannot be read: {error.strerror}", next="Check its permissions"
            ) from error
