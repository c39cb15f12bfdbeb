"""Serves site/ with the engine replaced by a stand-in, to look at the page alone.

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
ROOT = HERE.parents[2]
SITE = ROOT / "site"
IDB = ROOT / "node_modules" / "idb" / "build" / "index.js"
CONFIG = {
    "title": "Gauge",
    "starters": [
        "How long are raw readings kept?",
        "How do I export readings as CSV?",
        "What does the nightly job do?",
    ],
    "accent": "",
    "language": "en",
    "settings": {"base_url": "", "model": ""},
    "build": "harness",
}


class Handler(SimpleHTTPRequestHandler):
    """site/ as it is, but for the stand-in beside this file and what `ibid build` adds."""

    def translate_path(self, path: str) -> str:
        """The stand-in of this name, else the site's own file."""
        stand_in = HERE / Path(urlsplit(path).path).name
        if stand_in.suffix == ".js" and stand_in.is_file():
            return str(stand_in)
        return super().translate_path(path)

    def do_GET(self) -> None:
        """What the build would make is made here; everything else is a file."""
        match urlsplit(self.path).path:
            case "/config.json":
                self._send("application/json", json.dumps(CONFIG).encode())
            case "/js/idb.js":
                self._send("text/javascript", IDB.read_bytes())
            case "/js/store_database.js":
                text = (SITE / "js" / "store_database.js").read_text(encoding="utf-8")
                self._send("text/javascript", text.replace("from 'idb'", "from './idb.js'").encode())
            case _:
                super().do_GET()

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Nothing is kept by the browser: the files change under it."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


def make_server(port: int = 0) -> ThreadingHTTPServer:
    """A server on 127.0.0.1, not yet running."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(SITE)))


if __name__ == "__main__":
    server = make_server(int(sys.argv[1]) if len(sys.argv) > 1 else 8123)
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()
