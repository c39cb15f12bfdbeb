"""``ibid serve``: the right types and headers, on this machine alone, and clear refusals."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ibid.errors import InputError
from ibid_build.headers import content_policy, headers_of, read_rules, site_rules, write_rules
from ibid_build.serve import SiteServer, serve_command

POLICY = content_policy()
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
    (tmp_path / "secret.txt").write_text("SECRET")
    site = tmp_path / "site"
    for name, data in FILES.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    rules = site_rules(
        POLICY, ["runtime/*", "index/vectors-abc.npy"], ["", "index.html", "index/manifest.json"]
    )
    (site / "_headers").write_text(write_rules(rules))
    return site


@pytest.fixture
def packed(folder: Path) -> Iterator[SiteServer]:
    """With rules for what is packed, and one of them gone."""
    names = ["runtime/abc/pyodide.asm.wasm.gz", "runtime/abc/gone.wasm.gz", "index/terms-abc.bin.gz"]
    (folder / "index" / "terms-abc.bin.gz").write_bytes(FILES[names[0]])
    (folder / "_headers").write_text(write_rules(site_rules(POLICY, ["runtime/*"], [""], names)))
    with SiteServer(folder, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


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
    ("path", "status", "kind", "encoding"),
    [
        ("/runtime/abc/pyodide.asm.wasm.gz", 200, "application/wasm", "gzip"),
        ("/index/terms-abc.bin.gz", 200, "application/gzip", "gzip"),
        ("/runtime/abc/gone.wasm.gz", 404, "text/html;charset=utf-8", None),
    ],
)
def test_what_is_packed_is_sent_as_what_it_is(
    packed: SiteServer, path: str, status: int, kind: str, encoding: str | None
) -> None:
    """The bytes as they are, under headers that let the browser undo gzip; an error is no WebAssembly."""
    answer, headers, body = get(packed, path)
    assert (answer, headers["content-type"], headers.get("content-encoding")) == (status, kind, encoding)
    assert (body == FILES["runtime/abc/pyodide.asm.wasm.gz"]) is (status == 200)


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
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"


def asked(server: SiteServer, line: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by lower-case name, and body of the answer to this request line, sent as it is."""
    with socket.create_connection(("127.0.0.1", server.server_address[1])) as connection:
        connection.sendall(line + b"\r\nHost: x\r\nConnection: close\r\n\r\n")
        head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return int(first.split()[1]), {name.lower(): value for name, value in pairs}, body


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET /runtime/ HTTP/1.1", 404),
        (b"GET /nothing HTTP/1.1", 404),
        (b"GET /runtime/abc/nothing.js HTTP/1.1", 404),
        (b"GET /../secret.txt HTTP/1.1", 404),
        (b"GET /%2e%2e/secret.txt HTTP/1.1", 404),
        (b"GET /..%2fsecret.txt HTTP/1.1", 404),
        (b"GET /runtime/../../secret.txt HTTP/1.1", 404),
        (b"GET //secret.txt HTTP/1.1", 404),
        (b"GET /..\\secret.txt HTTP/1.1", 404),
        (b"GET /%ff%fe HTTP/1.1", 404),
        (b"GET http://[/ HTTP/1.1", 404),
        (b"GET /%00 HTTP/1.1", 400),
        (b"GET /index.html%00.txt HTTP/1.1", 400),
        (b"GET / / HTTP/1.1", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1", 414),
        (b"POST / HTTP/1.1", 501),
    ],
)
def test_nothing_else_is_served(
    server: SiteServer, capfd: pytest.CaptureFixture[str], line: bytes, status: int
) -> None:
    """No folder is listed, nothing outside is read; a refusal is never kept, and prints no traceback."""
    answer, headers, body = asked(server, line)
    assert answer == status
    assert "cache-control" not in headers
    assert b"SECRET" not in body
    assert capfd.readouterr().err == ""


def test_heads_alone_can_be_asked_for(server: SiteServer) -> None:
    """As those of the file, without it."""
    status, headers, body = asked(server, b"HEAD /index.html HTTP/1.1")
    assert (status, body) == (200, b"")
    assert headers["content-length"] == str(len(FILES["index.html"]))
    assert headers["cache-control"] == "no-cache"


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
    rules = site_rules(POLICY, ["app/*"], ["index.html"])
    assert read_rules(write_rules(rules)) == rules
    assert headers_of("/app/x/a.js", rules)["Cache-Control"].endswith("immutable")
    assert "Cache-Control" not in headers_of("/other", rules)
