"""``python -m ibid_build.demo``: Starlette's documentation, to build the demonstration from.

It comes from the package's own source distribution; its folder, in the user's cache, is printed.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from ibid.errors import InputError
from ibid_build.wheels import Report, cache_folder, fetch

VERSION = "1.10.0"
SHA256 = "b8399098d4c1e3522734f7235dc79b1fc967f96cf139c81e0fa30479e0685f9b"

_NAME = f"starlette-{VERSION}"
_PARTS = (f"{_NAME}/docs/", f"{_NAME}/mkdocs.yml", f"{_NAME}/LICENSE.md")


def fetch_documentation(report: Report) -> Path:
    """The folder with the Markdown sources; ``mkdocs.yml`` is beside it. Raises InputError."""
    target = cache_folder("demo") / _NAME
    if not target.is_dir():
        source = {"requirement": f"starlette=={VERSION}"}
        archive = fetch(f"{_NAME}.tar.gz", SHA256, [source], report)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder, tarfile.open(archive) as sdist:
            members = [member for member in sdist.getmembers() if member.name.startswith(_PARTS)]
            sdist.extractall(folder, members, filter="data")
            (Path(folder) / _NAME).rename(target)
    return target / "docs"


if __name__ == "__main__":
    try:
        print(fetch_documentation(lambda line: print(line, file=sys.stderr)))
    except InputError as error:
        sys.exit(f"ibid: {error}")
