"""Addresses of an endpoint: what is called, and why a call may get no response.

Error texts name hosts, never whole addresses: a query string may hold a secret.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ibid.errors import Unreachable

_PASTED = re.compile(r"/chat/completions$", re.IGNORECASE)
_ALLOWED_BY_POLICY = ("localhost", "127.0.0.1")
"""The hosts that the site's Content-Security-Policy allows over plain http (SPEC 6)."""

_LOCAL_SERVERS = {
    11434: ("Ollama", "OLLAMA_ORIGINS={origin} ollama serve"),
    1234: ("LM Studio", "lms server start --cors"),
    8000: ("vLLM", "vllm serve MODEL --allowed-origins '[\"{origin}\"]'"),
    8080: ("llama.cpp", "llama-server -m MODEL.gguf --port 8080"),
}
"""Default port: (server, the line that lets a page of ``origin`` call it)."""


def chat_url(base_url: str) -> str:
    """The address that completions are asked of. Raises Unreachable for what is no web address."""
    return _join(base_url, "chat/completions")


def models_url(base_url: str) -> str:
    """The address of the list of models, built by the same rules."""
    return _join(base_url, "models")


def _join(base_url: str, operation: str) -> str:
    parts = _split(base_url)
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    path = _PASTED.sub("", path).rstrip("/")
    if not path:
        path = "/v1"  # a bare origin; any other path is taken as it was given
    return urlunsplit((parts.scheme, parts.netloc, f"{path}/{operation}", parts.query, ""))


def _split(base_url: str) -> SplitResult:
    text = base_url.strip()
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\\]", text):
        shown = f"{text[:80]!r} is not a web address" if text else "no base URL is set"
        raise Unreachable(
            f"The endpoint cannot be called: {shown}.",
            "Enter a base URL in Settings that begins with https:// (or http:// for a server on this "
            "machine), such as http://localhost:11434/v1.",
        )
    if "@" in parts.netloc:
        raise Unreachable(
            f"The base URL for {host} holds a user name or password, which browsers do not send.",
            "Take the part before the @ out of the base URL and use the API key field in Settings.",
        )
    return parts


def host_of(base_url: str) -> str:
    """Host and port as the reader knows them; "the endpoint" for what is no address."""
    try:
        return _split(base_url).netloc.lower()
    except Unreachable:
        return "the endpoint"


def is_local(base_url: str) -> bool:
    """True if the endpoint is on this machine: it works offline, and browsers allow http to it."""
    try:
        host = _split(base_url).hostname or ""
    except Unreachable:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def blocked_as_mixed_content(base_url: str, page_origin: str) -> bool:
    """True if a browser refuses the call without sending it: from an https page to http elsewhere."""
    return (
        page_origin.startswith("https:")
        and base_url.strip().lower().startswith("http:")
        and not is_local(base_url)
    )


def unreachable_advice(base_url: str, page_origin: str) -> tuple[str, str]:
    """(message, next step) for a call that got no response.

    ``page_origin`` is the page's own origin, "" outside a browser. A browser does not tell a page which
    of the causes it was, so all that fit are named, the likeliest first.
    """
    host = host_of(base_url)
    if not page_origin:
        return (
            f"No response from {host}: nothing answers at this address, or there is no network.",
            f"Check that the server behind {host} runs and that the base URL is right.",
        )
    if blocked_as_mixed_content(base_url, page_origin):
        return (
            f"The browser blocks {host}: this page is on https, and the base URL is plain http on another "
            "machine (mixed content).",
            f"Give {host} an https address, or run the model server on this machine and use "
            "http://localhost.",
        )
    parts = _split(base_url)
    if parts.scheme == "http" and parts.hostname not in _ALLOWED_BY_POLICY:
        return (
            f"No response from {host}: this site's security policy allows plain http only to localhost and "
            "127.0.0.1.",
            f"Give {host} an https address, or use http://localhost for a server on this machine.",
        )
    if is_local(base_url):
        return (
            f"No response from {host} on this machine: the server is not running, it does not allow this "
            f"page's origin {page_origin} (CORS), or the browser was denied access to the local network.",
            f"{_local_setting(base_url, page_origin)} Allow access to the local network if the browser asks, "
            "then press Retry.",
        )
    return (
        f"No response from {host}: there is no network, the address is wrong, or {host} does not allow "
        f"calls from the page's origin {page_origin} (CORS).",
        f"Check the network and the base URL; if both are right, {host} must be set to allow the origin "
        f"{page_origin}, or another endpoint be chosen in Settings.",
    )


def _local_setting(base_url: str, page_origin: str) -> str:
    port = _split(base_url).port
    known = [_LOCAL_SERVERS[port]] if port in _LOCAL_SERVERS else list(_LOCAL_SERVERS.values())
    lines = "; ".join(f"{name}: {line.format(origin=page_origin)}" for name, line in known)
    return f"Start the server so that it allows this page ({lines})."
