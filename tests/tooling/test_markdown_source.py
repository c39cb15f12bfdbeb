"""Markdown files as their tools read them: what is text, what is code, what is not there at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doc_tree import blocks, code, everything, headings, prose, read, read_page, write_tree
from ibid.errors import InputError
from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.sources import read_tree
from ibid_build.sources.detection import find_generator
from ibid_build.sources.markdown import read_markdown

MKDOCS = BuildConfig(generator="mkdocs")
SPHINX = BuildConfig(generator="sphinx")


class TestFences:
    """Code is code, whatever it looks like."""

    def test_comments_in_code_are_no_headings(self, tmp_path: Path) -> None:
        """Lines with ``#`` in a fence, and a rule of dashes, stay where they are."""
        page = read_page(
            tmp_path, "# A\n\n~~~sh\n# note\nx\n---\n~~~\n\n```py\n# two\n```\n\n## B\n\nText.\n"
        )
        assert headings(page) == ["A", "B"]
        assert code(page) == ["# note\nx\n---", "# two"]

    def test_longer_fences_hold_shorter_ones(self, tmp_path: Path) -> None:
        """A fence closes with at least as many of its own marks, and nothing else on the line."""
        page = read_page(
            tmp_path, "````md\n```py\n# no\n```\n````\n\n```sh\n``` py\n`````\n\n## After\n\nText.\n"
        )
        assert code(page) == ["```py\n# no\n```", "``` py"]
        assert headings(page) == ["After"]

    def test_an_open_fence_is_reported_and_its_text_found(self, tmp_path: Path) -> None:
        """All after it is code, by the standard; the warning names file and line."""
        result = read(tmp_path, {"a.md": "# A\n\n```\nls\nOptions\n-------\n\n## Limits\n\nTen a day.\n"})
        assert headings(result.pages[0]) == ["A"]
        assert "Ten a day." in code(result.pages[0])[0]
        assert [(f.severity, f.page, f.line) for f in result.warnings] == [("warning", "a.md", 3)]

    def test_four_blanks_after_a_paragraph_are_code(self, tmp_path: Path) -> None:
        """Also where admonitions are indented by four."""
        assert code(read_page(tmp_path, "Text:\n\n    real()\n", MKDOCS)) == ["real()"]

    @pytest.mark.parametrize(
        ("info", "language", "label"),
        [
            ("python", "python", ""),
            ('py title="app.py" hl_lines="2 3"', "py", "app.py"),
            ("js {1-999999999}", "js", ""),
            ("{ .yaml .annotate }", "yaml", ""),
            ("js [config.js]", "js", "config.js"),
            ('"><img src=x onerror=alert(1)>', "", ""),
        ],
    )
    def test_info_strings(self, tmp_path: Path, info: str, language: str, label: str) -> None:
        """The language is a word; a title is text above the code; options are dropped."""
        page = read_page(tmp_path, f"```{info}\nx\n```\n")
        assert blocks(page, "code")[0].language == language
        assert prose(page) == label


class TestWhatIsNotSeen:
    """Comments, scripts, hidden elements and characters are in no passage."""

    def test_comments_scripts_and_styles(self, tmp_path: Path) -> None:
        """Headings in them are none either."""
        hidden = "<!--\n## Draft\nask Kim\n-->\n\n<style>\nb {}\n---\n</style>\n\n<script>\n# x\n</script>"
        source = f"# A\n\n{hidden}\n\n## B\n\nEnd.\n"
        page = read_page(tmp_path, source)
        assert headings(page) == ["A", "B"]
        assert prose(page) == "End."

    @pytest.mark.parametrize(
        "source",
        [
            "[//]: # (SECRET)\n\nText.",
            '[unused]: https://x.example "SECRET"\n\nText.',
            "<!-- SECRET -->\n\nText.",
            "Text. <!-- SECRET -->",
            '<div style="display:none">\n\nSECRET\n\n</div>\n\nText.',
            "<div hidden>SECRET</div>\n\nText.",
            'Text. <span style="color:#fff;background:#fff">SECRET</span>',
            "Text. <span hidden><b>SECRET</b></span>",
            "<template>\n\nSECRET\n\n</template>\n\nText.",
            '[Text.](https://x.example "SECRET")',
        ],
    )
    def test_hidden_text(self, tmp_path: Path, source: str) -> None:
        """Orders to a model that no reader sees do not get in; what is seen stays."""
        result = read(tmp_path, {"a.md": f"# A\n\n{source}\n"}, BuildConfig(source="docs"))
        assert "SECRET" not in everything(result)
        assert "Text." in prose(result.pages[0])

    def test_invisible_characters_are_removed_and_counted(self, tmp_path: Path) -> None:
        """Tag characters, zero-width blanks and direction marks; joiners that scripts need stay."""
        hidden = "\U000e0041\u200b\u202e\u2066\u00ad"
        result = read(tmp_path, {"a.md": f"# H\u200bead\n\nPo{hidden}rt 80. \U0001f469\u200d\U0001f4bb\n"})
        assert headings(result.pages[0]) == ["Head"]
        assert prose(result.pages[0]) == "Port 80. \U0001f469\u200d\U0001f4bb"
        assert [f.what for f in result.warnings] == ["6 invisible character(s) removed"]

    def test_pictures_in_the_text_leave_their_alt_text(self, tmp_path: Path) -> None:
        """A data: address of any length is no text."""
        page = read_page(tmp_path, f"Before. ![a dial](data:image/svg+xml;base64,{'QUJD' * 50_000}) After.\n")
        assert prose(page) == "Before. a dial After."

    def test_tags_give_their_text_only(self, tmp_path: Path) -> None:
        """Raw HTML never gets into a passage as markup."""
        page = read_page(
            tmp_path, 'Press <kbd>Esc</kbd> or <a href="javascript:x">leave</a>.<br>Then wait.\n'
        )
        assert prose(page) == "Press Esc or leave.\nThen wait."


class TestFrontMatter:
    """Titles as written; a broken block loses no page."""

    @pytest.mark.parametrize(
        ("source", "title"),
        [
            ("---\ntitle: Cache\n---\nText.", "Cache"),
            ("\ufeff---\ntitle: Cache\nauthor: K\n---\n\nText.", "Cache"),
            ("---\ntitle: 2030-01-01\n---\nText.", "2030-01-01"),
            ("---\ntitle: 1.10\n---\nText.", "1.10"),
            ("---\ntitle: Notes: Admin\nid: 3\n---\nText.", "Notes: Admin"),
            ("---\ntitle: [a]\n---\n# Real\n\nText.", "Real"),
            ("---\ntitle: null\n---\n# Real\n\nText.", "Real"),
            ("---\ntitle: No\n---\n# Real\n\nText.", "No"),
            ('+++\ntitle = "Toml"\n+++\nText.', "Toml"),
            ("---\nother: 1\n---\n## Sub\n\nText.", "Sub"),
            ("Text without any heading.", "Page"),
        ],
    )
    def test_titles(self, tmp_path: Path, source: str, title: str) -> None:
        """Front matter, then the first heading, then the file's name."""
        assert read_page(tmp_path, source).title == title

    def test_a_broken_block_is_cut_off_with_a_warning(self, tmp_path: Path) -> None:
        """The finding names the line; none of the block is text."""
        result = read(tmp_path, {"a.md": "---\nid: 1\ntitle: Notes: Admin\n---\n\nText.\n"})
        assert prose(result.pages[0]) == "Text."
        assert [(f.page, f.line) for f in result.warnings] == [("a.md", 3)]

    def test_a_leading_rule_is_no_front_matter(self, tmp_path: Path) -> None:
        """No text is lost."""
        page = read_page(tmp_path, "---\n\nIntro stays.\n\n---\n\nMore.\n")
        assert prose(page) == "Intro stays.\nMore."

    def test_lines_are_counted_in_the_file(self, tmp_path: Path) -> None:
        """Not in what is left without front matter."""
        page = read_page(tmp_path, "---\ntitle: T\n---\n\n## Head\n\nText.\n")
        assert (page.sections[0].line, page.sections[0].blocks[0].line) == (5, 7)

    def test_hidden_pages_are_left_out_and_counted(self, tmp_path: Path) -> None:
        """Drafts, unlisted and unsearchable pages, and partials, leave no trace but their number."""
        hidden = {
            "a.md": "---\ndraft: true\n---\n# SECRET\n",
            "b.md": '---\ndraft: "true"\n---\nSECRET\n',
            "c.md": "---\nunlisted: true\n---\nSECRET\n",
            "d.md": "---\nsearch:\n  exclude: true\n---\nSECRET\n",
            "e.md": "---\nrobots: noindex, nofollow\n---\nSECRET\n",
            "f.md": "---\ntitle: a: b\ndraft: true\n---\nSECRET\n",
            "_g.mdx": "SECRET\n",
        }
        result = read(tmp_path, {**hidden, "z.md": "# Open\n\nText.\n"}, BuildConfig(source="docs"))
        assert [page.path for page in result.pages] == ["z.md"]
        assert "SECRET" not in everything(result)
        assert result.hidden == {"draft": 3, "noindex": 2, "partial": 1, "unlisted": 1}
        assert result.private == ("a.md", "b.md", "f.md", "d.md", "e.md", "c.md")
        assert not [f for f in result.warnings if any(path in f.what + f.page for path in result.private)]

    def test_a_switch_takes_unlisted_pages_in_but_no_drafts(self, tmp_path: Path) -> None:
        """``include_unlisted`` is for documentation that is not public itself."""
        files = {"a.md": "---\ndraft: true\n---\nA.\n", "b.md": "---\nunlisted: true\n---\nB.\n"}
        result = read(tmp_path, files, BuildConfig(include_unlisted=True))
        assert [page.path for page in result.pages] == ["b.md"]


class TestMaterial:
    """The blocks of Material for MkDocs."""

    def test_admonitions_and_tabs_are_prose(self, tmp_path: Path) -> None:
        """Titles stand before their bodies; fences and headings inside count."""
        source = (
            '# Use\n\n!!! note "Mind this"\n\n    Plain.\n\n    ```sh\n    # no\n    go\n    ```\n\n'
            '=== "Linux"\n\n    Use apt.\n\n    ??? tip\n        Deep.\n\n    ## Inside\n\n'
            '=== "Mac"\n\n    Use brew.\n\n'
            "!!! danger\n    Hot.\n\n/// warning | Careful\n    type: x\n\nBlock.\n///\n\nEnd.\n"
        )
        page = read_page(tmp_path, source, MKDOCS)
        assert headings(page) == ["Use", "Inside"]
        assert code(page) == ["# no\ngo"]
        expected = "Mind this|Plain.|Linux|Use apt.|Tip|Deep.|Mac|Use brew.|Danger|Hot.|Careful|Block.|End."
        assert prose(page).split("\n") == expected.split("|")

    def test_markers_in_code_are_code(self, tmp_path: Path) -> None:
        """An admonition that is shown as an example stays as it is."""
        page = read_page(tmp_path, '```md\n!!! note "T"\n\n    Body.\n=== "Tab"\n```\n', MKDOCS)
        assert code(page) == ['!!! note "T"\n\n    Body.\n=== "Tab"']

    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("[Go](x.md){ .md-button } on", "Go on"),
            ("Press ++ctrl+alt+del++ now", "Press ctrl+alt+del now"),
            (":material-account: Account", "Account"),
            ("A claim[^1] made", "A claim made"),
            ("Use {name} and {{ value }}", "Use {name} and {{ value }}"),
            ("C++ and D++ too", "C++ and D++ too"),
            ("![](a.png){ width=300 } Text", "Text"),
        ],
    )
    def test_inline_markup(self, tmp_path: Path, source: str, text: str) -> None:
        """Attribute lists, keys, icons and footnote marks are not text; braces are."""
        assert prose(read_page(tmp_path, f"{source}\n", MKDOCS)) == text

    def test_what_a_plugin_would_insert_leaves_its_name(self, tmp_path: Path) -> None:
        """mkdocstrings blocks lose their options, snippets vanish."""
        source = (
            '# API\n\n::: pkg.module.Thing\n    options:\n      show_source: false\n\n--8<-- "x.md"\n\nEnd.\n'
        )
        assert prose(read_page(tmp_path, source, MKDOCS)) == "`pkg.module.Thing`\nEnd."

    def test_headings_in_markdown_inside_html(self, tmp_path: Path) -> None:
        """``md_in_html`` bodies are Markdown; a raw heading counts with its own id."""
        grid = '<div class="grid" markdown>\n\n## In a div\n\nWords.\n\n</div>'
        source = f'{grid}\n\n<h3 id="raw">Raw</h3>\n\nText.\n'
        page = read_page(tmp_path, source, MKDOCS)
        assert [(s.heading, s.anchor) for s in page.sections] == [("In a div", "in-a-div"), ("Raw", "raw")]

    def test_a_hash_without_a_blank_is_a_heading_to_mkdocs_only(self, tmp_path: Path) -> None:
        """Python-Markdown reads it so; nobody else does."""
        assert headings(read_page(tmp_path / "a", "#Head\n\nText.\n", MKDOCS)) == ["Head"]
        assert headings(read_page(tmp_path / "b", "#Head\n\nText.\n")) == []

    def test_alerts_of_github_carry_their_label(self, tmp_path: Path) -> None:
        """Quotes that begin with ``[!NOTE]``."""
        assert prose(read_page(tmp_path, "> [!NOTE]\n> Mind **it**.\n")) == "Note\nMind it."

    def test_navigation_names_pages(self, tmp_path: Path) -> None:
        """The title that readers see in the menu wins."""
        files = {"mkdocs.yml": "nav:\n  - Guides:\n    - First steps: a.md\n", "a.md": "## Sub\n\nText.\n"}
        assert read(tmp_path, files).pages[0].title == "First steps"

    def test_templates_of_the_theme_are_no_pages(self, tmp_path: Path) -> None:
        """A ``custom_dir`` inside the documentation, and what is excluded there, is left out."""
        files = {
            "mkdocs.yml": "theme:\n  name: material\n  custom_dir: docs/over\nexclude_docs: |\n  old/\n",
            "docs/over/a.md": "# No\n",
            "docs/old/b.md": "# No\n",
            "docs/c.md": "# Yes\n\nText.\n",
        }
        assert [page.path for page in read(tmp_path, files).pages] == ["c.md"]


class TestTables:
    """Tables keep their rows."""

    def test_rows_and_cells(self, tmp_path: Path) -> None:
        """One row a line; a bar inside a cell parts nothing."""
        page = read_page(tmp_path, "| Key | Type |\n|---|---|\n| `a` | `int` \\| None |\n| b |\n")
        assert blocks(page, "table")[0].text == "Key | Type\n`a` | `int`\u00a0|\u00a0None\nb | "

    def test_lists_keep_markers_and_levels(self, tmp_path: Path) -> None:
        """Two blanks a level; numbers go on from the first."""
        page = read_page(tmp_path, "3. three\n4. four\n   - deep\n\n     more\n\n- [x] done\n")
        assert [b.text for b in blocks(page)] == ["3. three", "4. four", "  - deep", "more", "- [x] done"]


class TestMdx:
    """JSX leaves what readers see."""

    SOURCE = """import Tabs from '@theme/Tabs';
export const v = {
  a: 1,

  b: 2,
};

# Start

{/* hidden
note */}

<Tabs groupId="os">
  <TabItem value="mac" label="macOS (brew)">

    Use the tap.

  </TabItem>
  <TabItem label={'Win'}>

    Use setup.

  </TabItem>
</Tabs>

<Install command="add kit" />

<Note
  title="a > b"
  style={{color: "red"}}
>
  Mind it.
</Note>

:::warning[Do not skip]

Back up.

:::

:::tip Short way
Go.
:::

```js
import x from 'kit'
<Tabs>
```

`<Code />` and {'text'}.
"""

    def test_components_leave_their_visible_attributes(self, tmp_path: Path) -> None:
        """Labels, titles and commands; code is untouched; bodies are prose at any indentation."""
        page = read_page(tmp_path, self.SOURCE, name="page.mdx")
        expected = (
            "macOS (brew)|Use the tap.|Win|Use setup.|add kit|a > b|Mind it.|Do not skip|Back up.|"
            "Short way|Go.|`<Code />` and text."
        )
        assert prose(page).split("\n") == expected.split("|")
        assert code(page) == ["import x from 'kit'\n<Tabs>"]

    @pytest.mark.parametrize(
        "attribute", ["style={{display: 'none', color: 'red'}}", "hidden", "style={{ fontSize: 0 }}"]
    )
    def test_hidden_elements(self, tmp_path: Path, attribute: str) -> None:
        """Styles written as JavaScript hide like any other."""
        source = (
            f"Before.\n\n<div {attribute} className={{x}}>\n\nSECRET <b id={{y}}>x</b>\n\n</div>\n\nAfter.\n"
        )
        assert prose(read_page(tmp_path, source, name="page.mdx")) == "Before.\nAfter."

    def test_lines_keep_their_numbers(self, tmp_path: Path) -> None:
        """Findings point into the file as it is."""
        page = read_page(tmp_path, self.SOURCE, name="page.mdx")
        assert page.sections[0].line == self.SOURCE.split("\n").index("# Start") + 1

    @pytest.mark.parametrize(
        "source", ["a < b and {c", "{/* open\n\nText.", "<Tag a={b\n\nText.", "</", "<>x</>"]
    )
    def test_what_is_no_mdx_stays_as_text(self, tmp_path: Path, source: str) -> None:
        """A page is never lost to a tag that does not close."""
        page = read_page(tmp_path, f"# A\n\n{source}\n\nEnd.\n", name="page.mdx")
        assert "End." in prose(page)


class TestMyst:
    """Directives and roles of Sphinx' Markdown."""

    def test_directives(self, tmp_path: Path) -> None:
        """Bodies are prose, code keeps its language, options and tables of contents vanish."""
        source = (
            "# T\n\n```{note}\n:class: x\nBody **bold**.\n```\n\n:::{tip} Title here\nTip.\n:::\n\n"
            "````{admonition} Outer\n```{code-block} python\n:linenos:\n\n# x\n```\n````\n\n"
            "```{toctree}\na\nb\n```\n\n```{versionadded} 2.1\nThe flag.\n```\n\n"
            "```{image} a.png\n:alt: A dial\n```\n"
        )
        page = read_page(tmp_path, source, SPHINX)
        expected = "Note|Body bold.|Title here|Tip.|Outer|New in version 2.1|The flag.|A dial"
        assert prose(page).split("\n") == expected.split("|")
        assert [(b.language, b.text) for b in blocks(page, "code")] == [("python", "# x")]

    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("{func}`run`", "`run`"),
            ("{class}`~kit.core.Thing`", "`Thing`"),
            ("{ref}`the title <label>`", "the title"),
            ("{doc}`/guide`", "/guide"),
        ],
    )
    def test_roles_give_their_visible_text(self, tmp_path: Path, source: str, text: str) -> None:
        """Names stay code, titles are prose."""
        assert prose(read_page(tmp_path, f"See {source}.\n", SPHINX)) == f"See {text}."

    def test_restructured_text_inside(self, tmp_path: Path) -> None:
        """``eval-rst`` holds directives and tables; what a program would insert leaves its name."""
        source = (
            "```{eval-rst}\n.. code-block:: sh\n\n    run me\n\n.. autofunction:: kit.run\n\n"
            ".. list-table::\n    :header-rows: 1\n\n    * - Key\n      - Value\n    * - ``a``\n"
            "      - one\n\n"
            ".. tabs::\n\n    .. group-tab:: Linux\n\n        Use :func:`apt`.\n\n.. a comment\n```\n"
        )
        page = read_page(tmp_path, source, SPHINX)
        assert code(page) == ["run me"]
        assert prose(page) == "`kit.run`\nKey | Value\n`a` | one\nLinux\nUse apt."


class TestFiles:
    """Encodings, line ends, and which files are pages."""

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends_make_no_difference(self, tmp_path: Path, end: str) -> None:
        """The same chunks on every checkout."""
        source = "---\ntitle: T\n---\n\n## One\n\ntext\nmore\n\n```\na\nb\n```\n"
        expected = chunk_page(read_page(tmp_path / "lf", source))
        assert chunk_page(read_page(tmp_path / "lf", source.replace("\n", end))) == expected

    @pytest.mark.parametrize(
        ("data", "text", "warned"),
        [
            ("# Ä\n\nü\n".encode(), "ü", False),
            ("# Ä\n\nü\n".encode("utf-8-sig"), "ü", False),
            ("# Ä\n\nü\n".encode("utf-16"), "ü", True),
            ("# A\n\nplain words\n".encode("utf-16-le"), "plain words", True),
            ("# A\n\nplain words\n".encode("utf-16-be"), "plain words", True),
            ("# Ä\n\n“ü”\n".encode("cp1252"), "“ü”", True),
        ],
    )
    def test_encodings(self, tmp_path: Path, data: bytes, text: str, warned: bool) -> None:
        """Anything that is text is read; what is not UTF-8 is said."""
        result = read(tmp_path, {"a.md": data})
        assert prose(result.pages[0]) == text
        assert [f.page for f in result.warnings] == (["a.md"] if warned else [])

    def test_a_file_that_is_no_text_is_skipped_with_a_finding(self, tmp_path: Path) -> None:
        """The build goes on."""
        result = read(tmp_path, {"a.md": b"\x89PNG\r\n\x1a\n\0\0\0" * 9, "b.md": "# B\n\nText.\n"})
        assert [page.path for page in result.pages] == ["b.md"]
        assert [(f.severity, f.page) for f in result.warnings] == [("warning", "a.md")]

    def test_which_files_are_pages(self, tmp_path: Path) -> None:
        """No dot folders, no installed packages, no excluded patterns, nothing outside by a link."""
        secret = write_tree(tmp_path / "outside", {"s.md": "# SECRET\n"})
        unread = (".git/a.md", "node_modules/p/README.md", "old/b.md", "x/.hidden.md", "c.txt")
        files = {**dict.fromkeys(unread, "# SECRET\n"), "é.md": "# Open\n\nText.\n"}
        root = write_tree(tmp_path / "docs", files)
        (root / "link").symlink_to(secret)
        (root / "l.md").symlink_to(secret / "s.md")
        (root / "loop").symlink_to(root)
        result = read_tree(root, BuildConfig(exclude=("old/",)))
        assert [page.path for page in result.pages] == ["é.md"]
        assert [(f.page, f.what) for f in result.warnings] == [
            ("l.md", "a link that leaves the folder was not followed"),
            ("link", "a link that leaves the folder was not followed"),
        ]

    def test_paths_are_composed(self, tmp_path: Path) -> None:
        """File names in decomposed form (macOS archives) are one path."""
        assert read(tmp_path, {"cafe\u0301.md": "# A\n\nText.\n"}).pages[0].path == "caf\u00e9.md"

    def test_other_kinds_are_counted_once(self, tmp_path: Path) -> None:
        """One warning a kind says what to run."""
        result = read(tmp_path, {"a.rst": "A\n=\n", "b/c.rst": "", "n.adoc": "= N", "z.md": "# Z\n\nText.\n"})
        assert [f.what for f in result.warnings] == ["1 .adoc file not read", "2 .rst files not read"]
        assert "Sphinx" in result.warnings[1].next

    @pytest.mark.parametrize(
        ("files", "words"),
        [
            ({}, "no .md, .mdx, .ipynb or .html file"),
            ({"a.rst": "A", "b.rst": "", "c.rst": ""}, "found 3 .rst files; build them with Sphinx"),
            ({"a.md": "---\ndraft: true\n---\nA.\n"}, "1 draft"),
            ({"a.md": b"\0\1\2\3" * 9}, "1 not text"),
            ({"a.md": "\n"}, "1 empty"),
        ],
    )
    def test_nothing_left_is_an_error_with_the_next_step(
        self, tmp_path: Path, files: dict[str, str | bytes], words: str
    ) -> None:
        """Only then does a build end."""
        with pytest.raises(InputError) as failure:
            read(tmp_path / "docs", {"x": "", **files})
        assert words in str(failure.value)

    @pytest.mark.parametrize(
        "make", [lambda p: p / "none", lambda p: write_tree(p, {"f.md": "# A"}) / "f.md"]
    )
    def test_the_folder_must_be_one(self, tmp_path: Path, make: Callable[[Path], Path]) -> None:
        """A missing folder and a file are named."""
        path = make(tmp_path)
        with pytest.raises(InputError) as failure:
            read_tree(path, BuildConfig())
        assert str(path) in str(failure.value)


@given(text=st.text(st.sampled_from(list("#*_`~[]()<>!|:-=/{}\\\n\t &;\"'+$^@.0aéb漢")), max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@pytest.mark.parametrize("tool", ["mkdocs", "sphinx", "docusaurus", "vitepress", "markdown"])
def test_no_text_makes_the_reader_fail(tmp_path: Path, tool: str, text: str) -> None:
    """Malformed Markdown is text like any other."""
    read_markdown(text, "a.md", find_generator(tmp_path, tool))


HOSTILE = {
    "comment": lambda n: "<!--a" + " " * n + "x",
    "stars": lambda n: "*" * n + "a",
    "tags": lambda n: "<b>" * (n // 3),
    "open tags": lambda n: "<a " * (n // 3),
    "backticks": lambda n: " ".join("`" * k for k in range(1, int((2 * n) ** 0.5))),
    "brackets": lambda n: "[" * n,
    "quotes": lambda n: "> " * (n // 2),
    "links": lambda n: "[a](" * (n // 4),
    "heading": lambda n: "# a" + " " * n + "b",
    "table": lambda n: "a|b\n-|-\n" + "|" * n,
    "admonitions": lambda n: "".join("    " * k + "!!! note\n" for k in range(int((n / 2) ** 0.5))),
    "blocks": lambda n: "/// note\n" * (n // 9),
    "admonition head": lambda n: "!!! a" + " " * n + "%",
    "directives": lambda n: "```{note}\n" * (n // 10),
    "braces": lambda n: "<A a={" * (n // 6),
    "lists": lambda n: "- " * (n // 2),
    "front matter": lambda n: "---\ntitle: a" + " " * n + "b\n:\n---\n",
    "cdata": lambda n: "a <![CDATA[" * (n // 11),
}


@pytest.mark.parametrize("tool", ["mkdocs", "docusaurus", "sphinx"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_read_in_bounded_time(tmp_path: Path, kind: str, tool: str) -> None:
    """100,000 characters of each; one that took quadratic time would not end within the run's limit."""
    read_markdown(HOSTILE[kind](100_000), "a.md", find_generator(tmp_path, tool))
