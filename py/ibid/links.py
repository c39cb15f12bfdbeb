"""Which addresses in a model's text may become links, decided after parsing them as a browser would."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\]")
# Browsers drop or rewrite these before they read an address ("java\tscript:", "\\host").
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\\\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")


@dataclass(frozen=True)
class Target:
    """Where a link leads. ``host`` is in ASCII (punycode), "" for relative addresses and mail."""

    href: str
    host: str


def target(address: str) -> Target | None:
    """The target of an address, None when it is to stay text.

    http, https, mailto and relative addresses are links. A name and password before the host are dropped, and
    the host of ``href`` is the very one that is shown, so that neither can pretend to be another site.
    """
    if not address or _UNSAFE.search(address):
        return None
    scheme = _SCHEME.match(address)
    if scheme is None:
        return _absolute(address, "") if address.startswith("//") else Target(address, "")
    name = scheme[0].lower()
    if name == "mailto:":
        return Target(address, "")
    rest = address[scheme.end() :]
    if name in ("http:", "https:") and rest.startswith("//"):
        return _absolute(rest, name)
    return None


def _absolute(rest: str, scheme: str) -> Target | None:
    """``rest`` begins with ``//``; ``scheme`` is "" for an address relative to the page's scheme."""
    try:
        parts = urlsplit(rest)
        port = parts.port
        host = _ascii_host(parts.hostname or "")
    except ValueError:  # a port or an IPv6 address that is none, or a name that no host can have
        return None
    if not _HOST.fullmatch(host):
        return None
    authority = host if port is None else f"{host}:{port}"
    return Target(f"{scheme}//{authority}{rest[2 + len(parts.netloc) :]}", host)


def _ascii_host(host: str) -> str:
    """The host in punycode, in lower case. Raises ValueError (UnicodeError) when it has none."""
    if ":" in host:
        return f"[{host}]"
    return host if host.isascii() else host.encode("idna").decode("ascii").lower()
