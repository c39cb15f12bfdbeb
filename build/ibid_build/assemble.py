"""The folder to publish: shell, runtime, index, configuration, and the list the service worker keeps.

::

    index.html  config.json  embed.js  sw.js  _headers      stable names, asked for at every visit
    app/<hash>/{js,css}/…                                   the shell
    runtime/<hash>/…                                        Python, numpy, PyScript (ibid_build.runtime)
    index/manifest.json, index/<part>-<hash>.…              the index (ibid.index_format)

Plain files with relative addresses: it works from any path of any static host. Same input, same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ibid.index_parts import MANIFEST
from ibid_build.accent import checked_accent
from ibid_build.config import BuildConfig
from ibid_build.findings import Finding
from ibid_build.headers import HEADERS_FILE, OTHER_TYPE, TYPES, content_policy, site_rules, write_rules
from ibid_build.runtime import MODULES, PROJECT, prepare_runtime
from ibid_build.wheels import Report, sha256

SITE = PROJECT / "site"
LARGEST_FILE = 20 * 2**20
"""Bytes; hosts refuse files from 25 MiB on."""

_NOT_KEPT_OFFLINE = ("embed.js", "sw.js", HEADERS_FILE)
_STABLE = ("config.json", "embed.js", "index.html", "sw.js")
_FIRST = ("start.js", "bridge.js", "config.js", "package_cache.js", "policy.js", "trusted.js")
"""``start.js`` with all that it imports."""

_GZIP_MAGIC = b"\x1f\x8b"
_POLICY = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")[^"]*(">)')
_SHELL_ADDRESS = re.compile(r'((?:href|src)=")\./((?:css|js)/)')

Files = dict[str, bytes]
"""By path relative to the site, POSIX."""


def assemble_site(folder: Path, config: BuildConfig, *, title: str, report: Report) -> list[Finding]:
    """Puts the site around the index that ``folder`` holds; returns, and reports, what should be known.

    ``title`` is the documentation's own, for where the maintainer set none. Raises InputError when the
    runtime cannot be had.
    """
    runtime = prepare_runtime(report)
    files = _tree(runtime.folder, f"runtime/{runtime.id}/")
    shell = _shell()
    app = f"app/{_digest(shell)}/"
    files |= {f"{app}{name}": data for name, data in shell.items()}
    index = _tree(folder / "index", "index/")
    manifest = json.loads(index[MANIFEST])
    accent, findings = checked_accent(config.accent, shell["css/tokens.css"].decode())
    about: dict[str, Any] = {
        "title": config.title or title,
        "language": config.language or "en",
        "accent": accent,
        "starters": list(config.starters),
        "site_url": config.site_url,
        "settings": config.settings.as_dict(),
        "endpoint_fixed": config.endpoint_fixed,
        "app": app,
        "runtime": f"runtime/{runtime.id}/",
    }
    files["embed.js"] = (SITE / "embed.js").read_bytes()
    about["build"] = _digest({**files, **index, "config.json": _json(about)})
    files["config.json"] = _json(about)
    policy = content_policy(config.settings.base_url if config.endpoint_fixed else "")
    files["index.html"] = _page(about, policy, files).encode()
    files["sw.js"] = _service_worker(about["build"], {**files, **index}, manifest)
    files[HEADERS_FILE] = _headers(policy, files, index).encode()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    findings += _large({**files, **index})
    for finding in findings:
        report(str(finding))
    return findings


def _shell() -> Files:
    """The page's scripts and styles. ``idb`` is the one bare import: it becomes a file beside them."""
    shell = {
        f"{folder}/{path.name}": path.read_bytes()
        for folder, suffix in (("css", "*.css"), ("js", "*.js"))
        for path in sorted((SITE / folder).glob(suffix))
    }
    database = shell["js/store_database.js"]
    shell["js/store_database.js"] = database.replace(b"from 'idb'", b"from './idb.js'")
    shell["js/idb.js"] = (MODULES / "idb" / "build" / "index.js").read_bytes()
    return shell


def _page(about: Mapping[str, Any], policy: str, files: Mapping[str, bytes]) -> str:
    page = (SITE / "index.html").read_text("utf-8")
    page = page.replace('<html lang="en"', f'<html lang="{escape(about["language"])}"', 1)
    page = re.sub(
        r"<title>[^<]*</title>", lambda _: f"<title>{escape(about['title'])}</title>", page, count=1
    )
    page = _POLICY.sub(lambda element: f"{element[1]}{policy}{element[2]}", page, count=1)
    page = _SHELL_ADDRESS.sub(lambda address: f"{address[1]}./{about['app']}{address[2]}", page)
    # What starts Python, at once instead of one round trip for each level of imports; the rest can wait.
    modules = [f"{about['app']}js/{name}" for name in _FIRST]
    modules += [name for name in sorted(files) if re.search(r"/pyscript/core[^/]*\.js$", name)]
    modules += [f"{about['runtime']}{name}" for name in ("boot.mjs", "pyodide.mjs")]
    links = "".join(f'    <link rel="modulepreload" href="./{name}">\n' for name in modules)
    config = json.dumps(about, ensure_ascii=False).replace("<", "\\u003c")
    data = f'    <script type="application/json" id="config">{config}</script>\n'
    return page.replace("    <title>", f"{data}{links}    <title>", 1)


def _service_worker(build: str, files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> bytes:
    """``sw.js`` with the release it keeps; the texts of passages it fetches when they are first asked for."""
    texts = {f"index/{part['file']}" for name, part in manifest["parts"].items() if name.startswith("texts-")}
    report = f"index/{manifest['parts']['report']['file']}"  # for ``ibid check`` alone
    listed = {
        name: {
            "bytes": len(data),
            "sha256": list(dict.fromkeys((sha256(data), sha256(_unpacked(data))))),
            "type": _type(name).partition(";")[0],
            **({"later": True} if name in texts else {}),
        }
        for name, data in sorted(files.items())
        if name not in (*_NOT_KEPT_OFFLINE, report) and "/licenses/" not in name
    }
    release = json.dumps({"build": build, "files": listed}, separators=(",", ":"))
    return f"self.release = {release};\n".encode() + (SITE / "sw.js").read_bytes()


def _headers(policy: str, files: Mapping[str, bytes], index: Mapping[str, bytes]) -> str:
    parts = [name for name in sorted(index) if name != MANIFEST]
    packed = [name for name in sorted({*files, *index}) if name.endswith(".gz")]
    return write_rules(site_rules(policy, ["app/*", "runtime/*", *parts], ["", *_STABLE, MANIFEST], packed))


def _large(files: Mapping[str, bytes]) -> Iterator[Finding]:
    for name, data in files.items():
        if len(data) > LARGEST_FILE:
            yield Finding(
                "warning",
                "",
                0,
                f"{name} has {len(data) / 2**20:.0f} MiB; some hosts refuse files above 25 MiB",
                "leave pages out with exclude in ibid.toml, or choose a host that takes it",
            )


def _unpacked(data: bytes) -> bytes:
    """As a host that undoes gzip would send it."""
    return gzip.decompress(data) if data.startswith(_GZIP_MAGIC) else data


def _type(name: str) -> str:
    return TYPES.get(Path(name).suffix, OTHER_TYPE)


def _tree(folder: Path, prefix: str) -> Files:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{prefix}{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}


def _digest(files: Mapping[str, bytes]) -> str:
    """16 hex digits over names and contents."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{sha256(data)}\n".encode())
    return digest.hexdigest()[:16]


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"
