"""The response headers of a published site: one text, ``_headers``, that hosts and ``ibid serve`` read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

HEADERS_FILE = "_headers"

_ANY_ENDPOINT = "https: http://127.0.0.1:* http://localhost:*"


def content_policy(endpoint: str = "") -> str:
    """The site's Content-Security-Policy (SPEC 6).

    ``endpoint`` is the base URL of the one endpoint that readers may ask; empty: any of their choice.
    PyScript evaluates its hooks (``'unsafe-eval'``, which allows WebAssembly too) and makes its worker from
    a blob; everything else that the page loads is the site's own.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self' 'unsafe-eval'",
            "worker-src 'self' blob:",
            "style-src 'self'",
            "img-src 'self' data:",
            f"connect-src 'self' {_origin(endpoint) if endpoint else _ANY_ENDPOINT}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types default",
        )
    )


def _origin(address: str) -> str:
    """``https://llm.example:8443``; names beyond ASCII as browsers send them."""
    parts = urlsplit(address)
    host = (parts.hostname or "").encode("idna").decode()
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".npy": "application/octet-stream",
    ".py": "text/x-python; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
}
OTHER_TYPE = "application/octet-stream"

_ALWAYS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_HASHED = "public, max-age=31536000, immutable"  # the name changes with the content
_STABLE = "no-cache"  # kept, but asked for anew at every visit

Rules = Mapping[str, Mapping[str, str]]
"""Headers by path pattern, ``*`` at its end; a path gets those of every pattern that it meets."""


def site_rules(
    policy: str, hashed: Iterable[str], stable: Iterable[str], packed: Iterable[str] = ()
) -> dict[str, dict[str, str]]:
    """The rules for a site, by patterns of paths without the first slash; ``policy`` holds everywhere.

    ``packed`` are the files that end in ``.gz``: the browser undoes gzip as they arrive, beside the page, and
    WebAssembly that comes as what it is it keeps compiled.
    """
    rules = {"/*": {"Content-Security-Policy": policy, **_ALWAYS}}
    rules |= {f"/{path}": {"Cache-Control": _HASHED} for path in hashed}
    rules |= {f"/{path}": {"Cache-Control": _STABLE} for path in stable}
    for path in packed:
        rule = rules.setdefault(f"/{path}", {})
        rule["Content-Encoding"] = "gzip"
        if path.endswith(".wasm.gz"):
            rule["Content-Type"] = TYPES[".wasm"]
    return rules


def write_rules(rules: Rules) -> str:
    """As ``_headers``, the form that Netlify and Cloudflare Pages read."""
    blocks = (
        "\n".join([path, *(f"  {name}: {value}" for name, value in headers.items())])
        for path, headers in rules.items()
    )
    return "\n".join(blocks) + "\n"


def read_rules(text: str) -> dict[str, dict[str, str]]:
    """The inverse of :func:`write_rules`; lines that are neither a path nor a header are skipped."""
    rules: dict[str, dict[str, str]] = {}
    headers: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.strip().partition(": ")
        if line.startswith("/"):
            headers = rules.setdefault(line.strip(), {})
        elif line.startswith(" ") and colon:
            headers[name] = value
    return rules


def headers_of(path: str, rules: Rules) -> dict[str, str]:
    """The headers of one file; ``path`` starts with a slash."""
    found: dict[str, str] = {}
    for pattern, headers in rules.items():
        if fnmatchcase(path, pattern):
            found |= headers
    return found
