"""Whether the files of a published site are those that the build wrote, by the list in its service worker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ibid import foreign_json
from ibid.index_parts import FOLDER
from ibid_build.findings import Finding
from ibid_build.wheels import sha256

_RELEASE = re.compile(rb"self\.release = (\{.*\});\n")
_NEXT = "publish the whole folder again; if that does not help, build it again with: ibid build"


def site_findings(folder: Path) -> Iterator[Finding]:
    """Files that are missing or changed. The index is not among them: opening it says more.

    A folder that holds an index alone is no site, and has none.
    """
    if not any((folder / name).exists() for name in ("index.html", "sw.js", "app", "runtime")):
        return
    release = _release(folder / "sw.js")
    if release is None:
        yield _error("sw.js is missing or damaged: what the site consists of is not known")
        return
    for name, entry in release.items():
        if name.startswith(f"{FOLDER}/"):
            continue
        path = folder / name
        try:
            is_same = sha256(path.read_bytes()) in entry["sha256"]
        except FileNotFoundError:
            yield _error(f"{name} is missing")
        except OSError as error:
            yield _error(f"{name} cannot be read: {error.strerror}")
        else:
            if not is_same:
                yield _error(
                    f"{name} is not as the build wrote it; browsers would not keep it for offline use"
                )


def _release(worker: Path) -> dict[str, dict[str, Any]] | None:
    """The worker's list: by name, the hashes that the file may have, packed and unpacked."""
    try:
        found = _RELEASE.match(worker.read_bytes())
        files = foreign_json.loads(found[1])["files"] if found else None
    except (OSError, ValueError, KeyError):
        return None
    is_list = isinstance(files, dict) and all(
        isinstance(entry, dict) and isinstance(entry.get("sha256"), list) for entry in files.values()
    )
    return files if is_list else None


def _error(what: str) -> Finding:
    return Finding("error", "", 0, what, _NEXT)
