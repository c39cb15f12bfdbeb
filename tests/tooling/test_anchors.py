"""Heading ids are those that each documentation tool makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from doc_tree import read, read_page
from ibid_build.config import BuildConfig
from ibid_build.sources.anchors import (
    AnchorRule,
    assign_anchors,
    docutils_id,
    github,
    pymdownx,
    python_markdown,
    sphinx,
    vitepress,
)

HEADINGS = ["Setup", "Setup", "Setup 1", "Setup", "A & B", "--flag", "設定", "Ünï 2.0", "it's_ok", "🎈 Up"]

# One column a tool, as the tool itself names these headings on one page.
IDS = {
    "python_markdown": (
        python_markdown(),
        ["setup", "setup_1", "setup-1", "setup_2", "a-b", "-flag", "_1", "uni-20", "its_ok", "up"],
    ),
    "python_markdown unicode": (
        python_markdown(keep_unicode=True),
        ["setup", "setup_1", "setup-1", "setup_2", "a-b", "-flag", "設定", "ünï-20", "its_ok", "up"],
    ),
    "pymdownx lower": (
        pymdownx(case="lower"),
        ["setup", "setup_1", "setup-1", "setup_2", "a--b", "--flag", "設定", "ünï-20", "its_ok", "-up"],
    ),
    "github": (
        github(),
        ["setup", "setup-1", "setup-1-1", "setup-2", "a--b", "--flag", "設定", "ünï-20", "its_ok", "-up"],
    ),
    "vitepress": (
        vitepress(),
        ["setup", "setup-1", "setup-1-1", "setup-2", "a-b", "flag", "設定", "uni-2-0", "it-s-ok", "🎈-up"],
    ),
    "sphinx": (
        sphinx(),
        ["setup", "id1", "setup-1", "id2", "a-b", "flag", "id3", "uni-2-0", "it-s-ok", "up"],
    ),
}


@pytest.mark.parametrize("tool", IDS)
def test_each_tool_has_its_rule(tool: str) -> None:
    """Repeats, other scripts, accents, punctuation and emoji are treated as the tool treats them."""
    rule, expected = IDS[tool]
    assert assign_anchors(rule, [(heading, "") for heading in HEADINGS]) == expected


@pytest.mark.parametrize("rule", [rule for rule, _ in IDS.values()], ids=IDS)
def test_explicit_ids_win(rule: AnchorRule) -> None:
    """An id that the author gave is kept as written."""
    assert assign_anchors(rule, [("Setup", "own-Id"), ("Setup", "")]) == ["own-Id", "setup"]


def test_python_markdown_takes_explicit_ids_before_it_makes_any() -> None:
    """A heading above an explicit id that it would get itself gives way."""
    assert assign_anchors(python_markdown(), [("Setup", ""), ("Other", "setup")]) == ["setup_1", "setup"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("my_label", "my-label"), ("2.0 notes", "notes"), ("Straße", "strasze"), ("設定", ""), ("a__b", "a-b")],
)
def test_docutils_ids(text: str, expected: str) -> None:
    """Labels become ASCII letters, digits and single hyphens."""
    assert docutils_id(text) == expected


@pytest.mark.parametrize(
    ("files", "anchor", "url"),
    [
        ({"mkdocs.yml": "site_name: T\n"}, "a-b", "../guide/start/"),
        ({"mkdocs.yml": "use_directory_urls: false\nsite_url: https://d.example/x\n"}, "a-b", None),
        (
            {
                "mkdocs.yml": "markdown_extensions:\n  - toc:\n      permalink: true\n"
                "      slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}\n"
            },
            "a--b",
            "../guide/start/",
        ),
        (
            {"docusaurus.config.js": "module.exports = {url: 'https://d.example', baseUrl: '/x/'}"},
            "a--b",
            None,
        ),
        ({".vitepress/config.ts": "export default {}"}, "a-b", "../guide/start.html"),
        ({".vitepress/config.mts": "export default {cleanUrls: true}"}, "a-b", "../guide/start"),
        ({"conf.py": "project = 'T'\nextensions = ['myst_parser']\n"}, "a-b", "../guide/start.html"),
        ({}, "a--b", "../guide/start.md"),
    ],
)
def test_the_tool_is_found_by_its_settings_file(
    tmp_path: Path, files: dict[str, str], anchor: str, url: str | None
) -> None:
    """Settings beside the pages or above them decide ids and addresses."""
    result = read(tmp_path, {**files, "guide/start.md": "## A & B\n\nText.\n"})
    (page,) = result.pages
    assert page.sections[0].anchor == anchor
    if url is None:
        assert page.url.startswith("https://d.example/x/")
    else:
        assert page.url == url


def test_settings_in_the_parent_folder_count(tmp_path: Path) -> None:
    """``ibid build docs`` finds the mkdocs.yml that stands above ``docs``."""
    read(tmp_path / "docs", {"../mkdocs.yml": "site_name: Kit\n", "page.md": "# Page\n\nText.\n"})
    result = read(tmp_path / "docs", {})
    assert (result.title, result.pages[0].url) == ("Kit", "../page/")


def test_the_project_folder_of_mkdocs_means_its_docs_folder(tmp_path: Path) -> None:
    """``ibid build .`` reads ``docs_dir``, with paths relative to it."""
    result = read(tmp_path, {"mkdocs.yml": "docs_dir: text\n", "text/a.md": "# A\n", "README.md": "# No\n"})
    assert [page.path for page in result.pages] == ["a.md"]


@pytest.mark.parametrize(
    ("generator", "source", "anchor"),
    [
        ("mkdocs", "## Head {: #own .x }\n", "own"),
        ("docusaurus", "## Head {#own}\n", "own"),
        ("docusaurus", "## Head {/* #own */}\n", "own"),
        ("vitepress", "## Head {#own}\n", "own"),
        ("sphinx", "# T\n\n(own_label)=\n## Head\n", "own-label"),
        ("sphinx", "# T\n\n{#own}\n## Head\n", "own"),
    ],
)
def test_explicit_ids_in_the_source(tmp_path: Path, generator: str, source: str, anchor: str) -> None:
    """The forms in which authors give ids; none of them is left in the heading or in the text."""
    page = read_page(tmp_path, f"{source}\nText.\n", BuildConfig(generator=generator))
    assert (page.sections[-1].heading, page.sections[-1].anchor) == ("Head", anchor)
    assert "own" not in repr([section.blocks for section in page.sections])


@pytest.mark.parametrize(("generator", "name"), [("vitepress", "a.md"), ("markdown", "a.mdx")])
def test_a_badge_is_no_part_of_an_id(tmp_path: Path, generator: str, name: str) -> None:
    """What a component shows from its attributes is no text of the heading to the tool."""
    source = '## Head <Badge text="beta" />\n\nText.\n'
    page = read_page(tmp_path, source, BuildConfig(generator=generator), name=name)
    assert page.sections[0].anchor == "head"


def test_docusaurus_gives_first_headings_no_id(tmp_path: Path) -> None:
    """They open the top of the page, and still count among repeats."""
    page = read_page(tmp_path, "# Head\n\nText.\n\n## Head\n\nMore.\n", BuildConfig(generator="docusaurus"))
    assert [section.anchor for section in page.sections] == ["", "head-1"]


def test_a_brace_in_code_is_no_id(tmp_path: Path) -> None:
    """Only a list at the end of the heading's text gives an id."""
    page = read_page(tmp_path, "## Use `{#x}`\n\nText.\n", BuildConfig(generator="vitepress"))
    assert (page.sections[0].heading, page.sections[0].anchor) == ("Use {#x}", "use-x")


@pytest.mark.parametrize(
    ("path", "slug", "url"),
    [
        ("intro.md", "", "../docs/intro"),
        ("01-guide/02-first-steps.md", "", "../docs/guide/first-steps"),
        ("guide/index.md", "", "../docs/guide/"),
        ("guide/guide.md", "", "../docs/guide/"),
        ("guide/a.md", "/top", "../docs/top"),
        ("guide/a.md", "b", "../docs/guide/b"),
    ],
)
def test_docusaurus_addresses(tmp_path: Path, path: str, slug: str, url: str) -> None:
    """Number prefixes go, index files stand for their folder, ``slug`` decides."""
    front = f"---\nslug: {slug}\n---\n" if slug else ""
    page = read_page(tmp_path, f"{front}# A\n\nText.\n", BuildConfig(generator="docusaurus"), name=path)
    assert page.url == url


def test_addresses_are_percent_encoded(tmp_path: Path) -> None:
    """A path stays as it is on disk; its address is what a browser opens."""
    page = read_page(tmp_path, "# A\n\nText.\n", BuildConfig(generator="mkdocs"), name="über uns#1.md")
    assert (page.path, page.url) == ("über uns#1.md", "../%C3%BCber%20uns%231/")


def test_aliases_in_a_navigation_are_read_once(tmp_path: Path) -> None:
    """Thirteen lines of YAML can say a title 8 ** 13 times."""
    lines = ["nav:", "  - &a0 {Start: page.md}"]
    lines += [f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 14)]
    tree = read(tmp_path, {"mkdocs.yml": "\n".join(lines) + "\n", "docs/page.md": "# Page\n\nText.\n"})
    assert [page.title for page in tree.pages] == ["Start"]
