"""Serves site/ with the engine (and, where asked, the store) replaced by stand-ins, to look at the page alone.

``python tests/e2e/harness/serve.py [PORT]``; then open the printed address.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
SITE = HERE.parents[2] / "site"
CONFIG = {
    "title": "Gauge",
    "starters": ["How long are raw readings kept?", "How do I export readings as CSV?", "What does the nightly job do?"],
    "accent": "",
    "language": "en",
    "settings": {"base_url": "", "model": ""},
    "build": "harness",
}


class Handler(SimpleHTTPRequestHandler):
    """site/ as it is, but for the stand-ins beside this file."""

    def translate_path(self, path: str) -> str:
        """The stand-in of this name, else the site's own file."""
        stand_in = HERE / Path(urlsplit(path).path).name
        if stand_in.suffix == ".js" and stand_in.is_file():
            return str(stand_in)
        return super().translate_path(path)

    def do_GET(self) -> None:
        """config.json is made here; everything else is a file."""
        if urlsplit(self.path).path != "/config.json":
            super().do_GET()
            return
        body = json.dumps(CONFIG).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Nothing is kept by the browser: the files change under it."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def make_server(port: int = 0) -> ThreadingHTTPServer:
    """A server on 127.0.0.1, not yet running."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(SITE)))


if __name__ == "__main__":
    server = make_server(int(sys.argv[1]) if len(sys.argv) > 1 else 8123)
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()
