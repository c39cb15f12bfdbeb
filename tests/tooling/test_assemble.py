"""The published folder: plain files, relative addresses, one policy, whole versions, the same bytes again."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ibid.settings import Settings
from ibid_build import assemble
from ibid_build.accent import checked_accent, contrast
from ibid_build.assemble import SITE, assemble_site
from ibid_build.config import BuildConfig
from ibid_build.headers import content_policy, headers_of, read_rules
from ibid_build.runtime import Runtime

PYSCRIPT = ("pyscript/core.js", "pyscript/core-abc.js")
TOKENS = (SITE / "css" / "tokens.css").read_text()
CONFIG = BuildConfig(
    settings=Settings(base_url="https://models.example/v1", model="small"),
    language="de",
    starters=("Where is <it>?",),
)


@pytest.fixture(autouse=True)
def small_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A runtime of a few bytes in place of the real one."""
    folder = tmp_path / "runtime"
    for name in ("boot.mjs", "worker.py", "pyodide.mjs", "pyodide.asm.js", "licenses/numpy.txt", *PYSCRIPT):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (folder / "numpy.zip.gz").write_bytes(gzip.compress(b"numpy", mtime=0))
    monkeypatch.setattr(assemble, "prepare_runtime", lambda _: Runtime("0123456789abcdef", folder))


def with_index(folder: Path) -> Path:
    index = folder / "index"
    index.mkdir(parents=True)
    parts = {name: {"file": f"{name}-abc.bin"} for name in ("vectors", "texts-000", "report")}
    for part in parts.values():
        (index / part["file"]).write_text(part["file"])
    (index / "manifest.json").write_text(json.dumps({"title": "Docs", "parts": parts}))
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = with_index(tmp_path / "site")
    assert assemble_site(folder, CONFIG, title='"Docs" & <more>', report=print) == []
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def release(site: Path) -> dict[str, Any]:
    first = (site / "sw.js").read_text().partition("\n")[0]
    return json.loads(first.removeprefix("self.release = ").removesuffix(";"))


class Page(HTMLParser):
    """The attributes of every element, and the text of each kind."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open, data)


@pytest.fixture
def page(site: Path) -> Page:
    return Page((site / "index.html").read_text())


def test_same_input_same_bytes(site: Path, tmp_path: Path) -> None:
    """Built twice, in two places."""
    again = with_index(tmp_path / "elsewhere" / "again")
    assemble_site(again, CONFIG, title='"Docs" & <more>', report=print)
    assert tree(again) == tree(site)


def test_every_address_of_the_page_is_relative_and_there(site: Path, page: Page) -> None:
    """So it works from any path of any host; and what it loads carries a hash in its path."""
    addresses = [a[name] for _, a in page.elements for name in ("src", "href") if a.get(name)]
    own = [address for address in addresses if address and not address.startswith("data:")]
    assert own
    for address in own:
        assert re.match(r"\./(app|runtime)/[0-9a-f]{16}/", address)
        assert (site / address).is_file()


def test_the_policy_is_in_the_page_and_in_the_headers(site: Path, page: Page) -> None:
    """The same text, for hosts that send no headers of ours."""
    policies = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == [content_policy()]
    assert f"Content-Security-Policy: {content_policy()}" in (site / "_headers").read_text()


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://models.example/v1", "https://models.example"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("https://modèles.example/v1", "https://xn--modles-5ua.example"),
    ],
)
def test_the_policy_allows_one_host_where_the_endpoint_is_fixed(
    tmp_path: Path, base_url: str, origin: str
) -> None:
    """In the page and in the headers; the page's settings know it too (SPEC 6)."""
    out = with_index(tmp_path / "site")
    config = replace(CONFIG, settings=Settings(base_url=base_url), endpoint_fixed=True)
    assemble_site(out, config, title="", report=print)
    assert f"connect-src 'self' {origin};" in content_policy(base_url)
    for name in ("index.html", "_headers"):
        assert content_policy(base_url) in (out / name).read_text()
    assert json.loads((out / "config.json").read_bytes())["endpoint_fixed"] is True


def test_the_headers_say_what_is_packed(site: Path) -> None:
    """All of it and nothing else; WebAssembly by its own type too, which the browser keeps compiled."""
    rules = read_rules((site / "_headers").read_text())
    files = [path for path in site.rglob("*") if path.is_file()]
    packed = {path for path in files if path.read_bytes().startswith(b"\x1f\x8b")}
    assert packed
    for path in files:
        headers = headers_of(f"/{path.relative_to(site).as_posix()}", rules)
        assert headers.get("Content-Encoding") == ("gzip" if path in packed else None)
        assert headers.get("Content-Type") == ("application/wasm" if path.name.endswith(".wasm.gz") else None)


def test_no_script_or_style_is_inline(page: Page) -> None:
    """The policy allows none; data blocks are no scripts."""
    for tag, attributes in page.elements:
        assert tag != "style"
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        if tag == "script":
            assert attributes.get("src") or attributes["type"] == "application/json"


def test_the_configuration_is_in_a_file_and_in_the_page(site: Path, page: Page) -> None:
    """The same values; text of the documentation cannot end the element that it stands in."""
    config = json.loads((site / "config.json").read_bytes())
    html = (site / "index.html").read_text()
    inside = re.search(r'<script type="application/json" id="config">(.*?)</script>', html)
    assert inside
    assert json.loads(inside[1]) == config
    assert config["title"] == '"Docs" & <more>'
    assert config["starters"] == ["Where is <it>?"]
    assert config["settings"]["base_url"] == "https://models.example/v1"
    assert "<it>" not in inside[1]
    assert page.texts["title"] == '"Docs" & <more>'
    assert ("html", "de") in [(tag, a.get("lang")) for tag, a in page.elements]


def test_the_release_lists_every_file_that_is_needed_offline(site: Path) -> None:
    """With size and hashes, packed and unpacked; texts join it later; licences and the report never."""
    files = release(site)["files"]
    expected = set(tree(site)) - {"embed.js", "sw.js", "_headers", "index/report-abc.bin"}
    assert set(files) == {name for name in expected if "/licenses/" not in name}
    assert [name for name, listed in files.items() if listed.get("later")] == ["index/texts-000-abc.bin"]
    for name, listed in files.items():
        data = (site / name).read_bytes()
        assert (listed["bytes"], listed["sha256"][0]) == (len(data), hashlib.sha256(data).hexdigest())
    packed = files["runtime/0123456789abcdef/numpy.zip.gz"]
    assert packed["sha256"][1] == hashlib.sha256(b"numpy").hexdigest()
    assert packed["type"] == "application/gzip"


def test_a_change_anywhere_is_another_build(site: Path, tmp_path: Path) -> None:
    """The id in the page, in the configuration and in the service worker is one, and changes with a text."""
    build = json.loads((site / "config.json").read_bytes())["build"]
    assert release(site)["build"] == build
    other = with_index(tmp_path / "other")
    (other / "index" / "texts-000-abc.bin").write_text("another text")
    assemble_site(other, CONFIG, title='"Docs" & <more>', report=print)
    assert release(other)["build"] != build


def test_the_shell_imports_nothing_by_bare_name(site: Path) -> None:
    """Browsers resolve files only: the one library is a file beside its user."""
    for path in site.glob("app/*/js/*.js"):
        imports = re.findall(r"^import\b[^;(]*?'([^']+)';$", path.read_text(), re.MULTILINE)
        for source in imports:
            assert (path.parent / source).is_file(), (path.name, source)


def test_what_starts_python_is_loaded_first(site: Path, page: Page) -> None:
    """``start.js`` and all that it imports, and PyScript's core."""
    loaded = [Path(a["href"] or "").name for _, a in page.elements if a.get("rel") == "modulepreload"]
    wanted, seen = ["start.js"], set()
    while wanted:
        name = wanted.pop()
        seen.add(name)
        text = (SITE / "js" / name).read_text()
        wanted += [
            Path(found).name
            for found in re.findall(r"(?:from|import) '\./([^']+)'", text)
            if found not in seen
        ]
    assert seen <= set(loaded)
    assert {"core.js", "core-abc.js", "boot.mjs"} <= set(loaded)


@pytest.mark.parametrize(
    ("accent", "used"),
    [
        ("", ""),
        ("#9a2f14 #f2a17c", "light-dark(#9a2f14, #f2a17c)"),
        ("#7a1f3d", "light-dark(#7a1f3d, #f2a17c)"),
        ("#ff0", "light-dark(#9a2f14, #ff0)"),
        ("#f2a17c #9a2f14", ""),
    ],
    ids=["none", "one for each theme", "dark alone", "light alone", "the wrong way round"],
)
def test_an_accent_is_used_only_where_it_can_be_read(accent: str, used: str) -> None:
    """4.5:1 on every ground of a theme; else the site's own stays there, and the build says why."""
    colour, findings = checked_accent(accent, TOKENS)
    assert colour == used
    assert bool(findings) == (len(accent.split()) == 1 or accent.startswith("#f2"))
    for finding in findings:
        assert finding.severity == "warning"
        assert ":1 in the" in finding.what
        assert "two colours" in finding.next


def test_contrast_is_that_of_wcag() -> None:
    """Black on white is 21; the order does not matter; three digits are six."""
    assert contrast("#000000", "#fff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.01)


def test_a_file_that_hosts_refuse_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its size and what can be done."""
    monkeypatch.setattr(assemble, "LARGEST_FILE", 10)
    folder = with_index(tmp_path / "large")
    told: list[str] = []
    findings = assemble_site(folder, CONFIG, title="Docs", report=told.append)
    assert "index/vectors-abc.bin has 0 MiB; some hosts refuse files above 25 MiB" in [
        f.what for f in findings
    ]
    assert len(told) == len(findings)
