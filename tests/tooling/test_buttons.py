"""The button on every page of a built site."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.errors import InputError
from ibid_build.buttons import add_buttons
from ibid_build.cli import main

PAGE = "<!doctype html><html><body><p>A page.</p></body></html>\n"


def site_of(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_every_page_leads_to_the_app_from_where_it_is(tmp_path: Path) -> None:
    """Relatively, so that the site works under any path; the app's own page has none."""
    names = ("index.html", "a/b/c.HTML", "a/index.html", "my ask/x.html")
    site = site_of(tmp_path, dict.fromkeys((*names, "help/ask/index.html", "404.html", "note.txt"), PAGE))
    assert add_buttons(site, site / "help/ask") == len(names)
    tag = '<script data-ibid src="{}help/ask/embed.js" defer></script>\n</body>'
    for name, up in zip(names, ("", "../../", "../", "../"), strict=True):
        assert tag.format(up) in (site / name).read_text("utf-8")
    for name in ("help/ask/index.html", "404.html", "note.txt"):
        assert (site / name).read_text("utf-8") == PAGE


def test_a_second_time_changes_nothing_and_other_options_replace_it(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"index.html": PAGE})
    add_buttons(site, site / "ask")
    first = (site / "index.html").read_bytes()
    add_buttons(site, site / "ask")
    assert (site / "index.html").read_bytes() == first
    add_buttons(site, site / "ask", {"label": 'Frag "uns" & mehr', "open-key": "/"})
    text = (site / "index.html").read_text("utf-8")
    assert text.count("<script") == 1
    assert 'data-label="Frag &quot;uns&quot; &amp; mehr" data-open-key="/"' in text


@pytest.mark.parametrize(
    "page",
    [
        "<p>A fragment</p>",
        "",
        "<!doctype html><html><head><meta http-equiv=refresh content='0; url=x'></head></html>",
    ],
)
def test_what_has_no_body_is_left_as_it_is(tmp_path: Path, page: str) -> None:
    site = site_of(tmp_path, {"index.html": page})
    assert add_buttons(site, site / "ask") == 0
    assert (site / "index.html").read_text("utf-8") == page


def test_the_last_end_of_a_body_is_the_page_s(tmp_path: Path) -> None:
    """One in a code example or a script comes before; letters of any case, bytes of any encoding."""
    page = b"<body><script>'</body>'</script><pre>&lt;/body></pre>\xe9</BODY ></html>"
    (tmp_path / "a.html").write_bytes(page)
    add_buttons(tmp_path, tmp_path / "ask")
    made = (tmp_path / "a.html").read_bytes()
    assert made.startswith(page[: page.index(b"</BODY")])
    assert made.endswith(b"defer></script>\n</BODY ></html>")


@pytest.mark.parametrize("app", ["../elsewhere", "."])
def test_an_app_beside_the_site_is_refused_before_anything_is_built(
    tmp_path: Path, app: str, capsys: pytest.CaptureFixture[str]
) -> None:
    site = site_of(tmp_path / "site", {"index.html": PAGE})
    with pytest.raises(InputError, match="is not a folder within"):
        add_buttons(site, site / app)
    assert main(["build", str(site), "--out", str(site / app), "--add-button"]) == 2
    assert "is not a folder within" in capsys.readouterr().err
    assert (site / "index.html").read_text("utf-8") == PAGE


def test_an_unknown_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no option 'colour'; known: label, position"):
        add_buttons(tmp_path, tmp_path / "ask", {"colour": "red"})
