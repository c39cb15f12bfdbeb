"""``ibid serve``: the right types and headers, on this machine alone, and clear refusals."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ibid.errors import InputError
from ibid_build.headers import CSP, headers_of, read_rules, site_rules, write_rules
from ibid_build.serve import SiteServer, serve_command

FILES = {
    "index.html": b"<!doctype html><title>t</title>",
    "config.json": b"{}",
    "sw.js": b"",
    "runtime/abc/boot.mjs": b"export {}",
    "runtime/abc/worker.py": b"pass",
    "runtime/abc/pyodide.asm.wasm.gz": b"\x1f\x8b...",
    "index/manifest.json": b"{}",
    "index/vectors-abc.npy": b"\x93NUMPY",
    "other.wasm": b"\0asm",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    rules = site_rules(["runtime/*", "index/vectors-abc.npy"], ["", "index.html", "index/manifest.json"])
    (tmp_path / "_headers").write_text(write_rules(rules))
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[SiteServer]:
    with SiteServer(folder, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def get(server: SiteServer, path: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request("GET", path, headers={"Accept-Encoding": "gzip, br"})
    response = connection.getresponse()
    answer = response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
    connection.close()
    return answer


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/config.json", "application/json"),
        ("/sw.js", "text/javascript; charset=utf-8"),
        ("/runtime/abc/boot.mjs", "text/javascript; charset=utf-8"),
        ("/runtime/abc/worker.py", "text/x-python; charset=utf-8"),
        ("/runtime/abc/pyodide.asm.wasm.gz", "application/gzip"),
        ("/index/vectors-abc.npy", "application/octet-stream"),
        ("/other.wasm", "application/wasm"),
    ],
)
def test_files_have_their_types(server: SiteServer, path: str, kind: str) -> None:
    """Browsers refuse scripts and WebAssembly of another type; nothing is compressed on the way."""
    status, headers, body = get(server, path)
    assert (status, headers["content-type"]) == (200, kind)
    assert "content-encoding" not in headers
    assert body == FILES[path.lstrip("/") or "index.html"]


@pytest.mark.parametrize(
    ("path", "caching"),
    [
        ("/", "no-cache"),
        ("/index.html?q=x", "no-cache"),
        ("/index/manifest.json", "no-cache"),
        ("/index/vectors-abc.npy", "public, max-age=31536000, immutable"),
        ("/runtime/abc/boot.mjs", "public, max-age=31536000, immutable"),
    ],
)
def test_headers_are_those_that_are_shipped(server: SiteServer, path: str, caching: str) -> None:
    """The policy on everything; what has a hash in its name is kept for ever, the rest is asked for anew."""
    _, headers, _ = get(server, path)
    assert headers["cache-control"] == caching
    assert headers["content-security-policy"] == CSP
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/runtime/", "/nothing", "/../pyproject.toml", "/%2e%2e/etc/passwd"])
def test_nothing_else_is_served(server: SiteServer, path: str) -> None:
    """No folder is listed, nothing outside is read."""
    assert get(server, path)[0] == 404


def test_it_listens_on_this_machine_alone(server: SiteServer) -> None:
    """And says where."""
    assert server.url == f"http://127.0.0.1:{server.server_address[1]}/"


def test_a_taken_port_is_an_input_error(folder: Path) -> None:
    """With the port and the way out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"port {port} is taken.*--port 0"):
            serve_command(folder, port)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_folder_without_a_site_is_an_input_error(tmp_path: Path, name: str) -> None:
    """It names the command that makes one."""
    with pytest.raises(InputError, match="holds no site; build one first: ibid build"):
        serve_command(tmp_path / name, 0)


def test_rules_read_as_they_were_written() -> None:
    """The one text says the same to hosts and to this server."""
    rules = site_rules(["app/*"], ["index.html"])
    assert read_rules(write_rules(rules)) == rules
    assert headers_of("/app/x/a.js", rules)["Cache-Control"].endswith("immutable")
    assert "Cache-Control" not in headers_of("/other", rules)
