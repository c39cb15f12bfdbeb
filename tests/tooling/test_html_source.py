"""Built HTML: the page's own text with the ids it has, and nothing of the site around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc_tree import blocks, code, everything, headings, prose, read, read_page
from ibid.errors import InputError
from ibid.models import Page
from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.sources.html import read_html


def html(body: str, head: str = "<title>T</title>") -> str:
    """A whole page."""
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def page_of(root: Path, body: str, head: str = "<title>T</title>", config: BuildConfig | None = None) -> Page:
    """The page that is read from this body."""
    return read_page(root, html(body, head), config, name="page.html")


class TestContent:
    """What is content, and what is the site."""

    def test_only_the_main_part_is_read(self, tmp_path: Path) -> None:
        """Navigation, breadcrumbs, buttons, marks at headings, neighbours and footers go; content stays."""
        body = (
            "<div class=promo>Come to our party!</div><nav>Home Guides</nav><header>Brand</header><main>"
            "<ol class=breadcrumbs><li>Guides</ol><article><header><p>Updated for 4.</p></header>"
            "<h1 id=cache>Cache<a class=headerlink href=#cache>¶</a></h1><p>It keeps pages.</p>"
            "<aside class=admonition><p>Clear it.</p></aside><div class=highlight><button>Copy</button>"
            "<pre><code class=language-sh>kit  cache\n  --clear</code></pre></div>"
            "<aside class=toc>On this page</aside>"
            "</article><a rel=next href=p.html>Next: Proxies</a><footer>Made by us</footer></main>"
            "<footer>© K</footer>"
        )
        page = page_of(tmp_path, body)
        assert (page.title, headings(page)) == ("Cache", ["Cache"])
        assert prose(page) == "Updated for 4.\nIt keeps pages.\nClear it."
        assert [(b.language, b.text) for b in blocks(page, "code")] == [("sh", "kit  cache\n  --clear")]

    @pytest.mark.parametrize(
        "start",
        [
            "<article class='md-content__inner md-typeset'>",
            "<div class='theme-doc-markdown markdown'>",
            "<div class='vp-doc'>",
            "<div role=main class=document><div itemprop=articleBody>",
            "<article role=main>",
            "<div class=documentwrapper><div class=bodywrapper><div class=body role=main>",
            "<div role=main>",
        ],
    )
    def test_the_content_element_of_each_tool(self, tmp_path: Path, start: str) -> None:
        """Also where it holds less text than the rest of the page."""
        page = page_of(tmp_path, f"<div>{'Menu entry. ' * 50}</div>{start}<h1 id=a>A</h1><p>Text.</p>")
        assert prose(page) == "Text."

    def test_a_small_main_is_not_trusted(self, tmp_path: Path) -> None:
        """Where it holds little of the text, the whole body is read."""
        page = page_of(
            tmp_path, "<main><p>Banner.</p></main><div><p>" + "The long text. " * 20 + "</p></div>"
        )
        assert "The long text." in prose(page)

    def test_the_maintainer_may_name_the_element(self, tmp_path: Path) -> None:
        """``content_selector`` wins over every guess; what is no selector is an error."""
        body = "<main><p>Not this.</p></main><div id=x><p>This.</p></div>"
        assert prose(page_of(tmp_path, body, config=BuildConfig(content_selector="#x"))) == "This."
        with pytest.raises(InputError, match="content_selector"):
            page_of(tmp_path, body, config=BuildConfig(content_selector="]]"))

    def test_what_stands_on_most_pages_is_left_out(self, tmp_path: Path) -> None:
        """A banner that no rule knows; labels of admonitions are no banner, and no page is emptied."""
        body = "<p>Join our list!</p><p class=admonition-title>Note</p>"
        files = {f"p{n}.html": html(f"<main>{body}<p>Text {n}.</p></main>") for n in range(6)}
        result = read(tmp_path, {**files, "only.html": html("<main><p>Join our list!</p></main>")})
        texts = {page.path: prose(page) for page in result.pages}
        assert texts == {f"p{n}.html": f"Note\nText {n}." for n in range(6)} | {"only.html": "Join our list!"}
        assert "Join our list!" in result.warnings[0].what

    @pytest.mark.parametrize(
        "markup",
        [
            "<!-- SECRET -->",
            "<div style='display: none !important'>SECRET</div>",
            "<p hidden>SECRET</p>",
            "<p aria-hidden=true style='font-size:0'>SECRET</p>",
            "<p style='visibility:hidden'>SECRET</p>",
            "<p style='color:white'>SECRET</p>",
            "<p style='color:#123;background:#123'>SECRET</p>",
            "<p style='position:absolute;left:-9999px'>SECRET</p>",
            "<p style='opacity:0'>SECRET</p>",
            "<span class=sr-only>SECRET</span>",
            "<font color=White>SECRET</font>",
            "<style>/* x */ .a, #b { display: none }</style><p class='c a'>SECRET</p><p id=b>SECRET</p>",
            "<script>SECRET</script><style>SECRET</style><template>SECRET</template>"
            "<noscript>SECRET</noscript>",
            "<a href=x title=SECRET>Link</a>",
            "<svg><title>SECRET</title><text>SECRET</text></svg>",
            "<select><option>SECRET</select><textarea>SECRET</textarea>",
        ],
    )
    def test_hidden_text(self, tmp_path: Path, markup: str) -> None:
        """What no reader sees is in no passage; text beside it is."""
        files = {"page.html": html(f"<main><h1>A</h1><p>Seen.</p>{markup}<p>Too.</p></main>")}
        result = read(tmp_path, files, BuildConfig(source="docs"))
        assert "SECRET" not in everything(result)
        assert prose(result.pages[0]).startswith("Seen.")
        assert prose(result.pages[0]).endswith("Too.")

    @pytest.mark.parametrize(
        ("head", "reason"),
        [
            ("<meta name=robots content='NOINDEX, follow'>", "noindex"),
            ("<meta http-equiv=refresh content='0; url=b.html'>", "redirect"),
        ],
    )
    def test_pages_that_are_not_to_be_found(self, tmp_path: Path, head: str, reason: str) -> None:
        """They are counted, and leave nothing else."""
        files = {
            "a.html": html("<main><p>SECRET</p></main>", head),
            "b.html": html("<main><p>Seen.</p></main>"),
        }
        result = read(tmp_path, files, BuildConfig(source="docs"))
        assert result.hidden == {reason: 1}
        assert "SECRET" not in everything(result)

    def test_a_page_that_turns_away_only_readers_without_scripts_is_read(self, tmp_path: Path) -> None:
        """LibreOffice's help has such a line on every page."""
        head = "<noscript><meta http-equiv=refresh content='0; url=noscript.html'></noscript>"
        result = read(tmp_path, {"a.html": html("<main><p>Seen.</p></main>", head)}, BuildConfig(source="d"))
        assert (result.hidden, prose(result.pages[0])) == ({}, "Seen.")

    def test_the_bars_of_a_docbook_page_are_left_out(self, tmp_path: Path) -> None:
        """A table of links above it and one below."""
        bars = [
            f"<div class=nav{n}er><table><tr><th>SECRET</th></tr></table></div>" for n in ("head", "foot")
        ]
        body = f"{bars[0]}<div class=sect1><h2>Crop</h2><p>Seen.</p></div>{bars[1]}"
        assert "SECRET" not in everything(read(tmp_path, {"a.html": html(body)}, BuildConfig(source="d")))


class TestAnchors:
    """Every anchor is one that the page has."""

    @pytest.mark.parametrize(
        ("markup", "anchor"),
        [
            ("<h2 id=a>H</h2>", "a"),
            ("<section id=a><span id=b></span><h2>H<a class=headerlink href=#a>¶</a></h2></section>", "a"),
            ("<div class=section id=a><h2>H</h2></div>", "a"),
            ("<h2><a name=a></a>H</h2>", "a"),
            ("<h2><span id=a>H</span></h2>", "a"),
            ("<a id=a></a> <h2>H</h2>", "a"),
            ("<p id=a>x</p><h2>H <a class=anchor href=#a>#</a></h2>", "a"),
            ("<h1 id=top>T</h1><h2>H</h2>", "top"),
            ("<h1 id=top>T</h1><h2 id=a>A</h2><h2 id=b>B</h2><h2 id=a>H</h2>", "b"),
            ("<h2>H <a href=#nowhere>#</a></h2>", ""),
            ("<div><header><h1>H</h1></header></div><!-- --><p id=later>x</p>", ""),
        ],
    )
    def test_where_a_heading_has_its_id(self, tmp_path: Path, markup: str, anchor: str) -> None:
        """Its own, its section's, one inside or right before it; else the nearest above, else the top."""
        page = page_of(tmp_path, f"<main>{markup}<p>Text.</p></main>")
        assert (page.sections[-1].heading, page.sections[-1].anchor) == ("H", anchor)

    def test_described_objects_are_sections(self, tmp_path: Path) -> None:
        """A function of Sphinx' API pages is cited by its own id; text after it is the section's again."""
        body = (
            "<section id=api><h1>API</h1><dl class='py class'><dt class='sig sig-object py' id=kit.Thing>"
            "<em class=property>class </em><span class='sig-prename descclassname'>kit.</span>"
            "<span class='sig-name descname'>Thing</span>(<em>a</em>)"
            "<a class=headerlink href=#kit.Thing>¶</a></dt>"
            "<dd><p>A thing.</p><dl class='py method'><dt class='sig sig-object py' id=kit.Thing.go>"
            "<span class='sig-name descname'>go</span>(n)</dt><dd><p>Goes.</p></dd></dl><p>More of it.</p>"
            "</dd></dl>"
            "<p>After.</p><dl class=simple><dt id=no>Word</dt><dd>Meaning.</dd></dl></section>"
        )
        page = page_of(tmp_path, f"<main>{body}</main>")
        assert [(chunk.anchor, chunk.heading_path, chunk.text) for chunk in chunk_page(page)] == [
            ("kit.Thing", ("API", "kit.Thing"), "class kit.Thing(a)\n\nA thing."),
            ("kit.Thing.go", ("API", "kit.Thing", "go"), "go(n)\n\nGoes."),
            ("kit.Thing", ("API", "kit.Thing"), "More of it."),
            ("api", ("API",), "After.\n\nWord\n\nMeaning."),
        ]


class TestBlocks:
    """Blocks keep their kind."""

    def test_lists_and_definitions(self, tmp_path: Path) -> None:
        """Markers, levels, numbers; a term leads to its definition."""
        body = (
            "<ul><li>one<ul><li>deep</ul><li><p>two</p><p>more</p></ul><ol start=3><li>three<li>four</ol>"
            "<dl><dt>Term<dd>Meaning."
        )
        page = page_of(tmp_path, f"<main>{body}</main>")
        assert [(b.kind, b.text) for b in blocks(page)] == [
            ("item", "- one"),
            ("item", "  - deep"),
            ("item", "- two"),
            ("paragraph", "more"),
            ("item", "3. three"),
            ("item", "4. four"),
            ("term", "Term"),
            ("paragraph", "Meaning."),
        ]

    def test_tables(self, tmp_path: Path) -> None:
        """A caption is text, rows are lines; a table that lays out code is no table."""
        body = (
            "<table><caption>Keys</caption><tr><th>Key<th>Type<tr><td><code>a</code><td>int | None<tr>"
            "<td>b</table>"
            "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td><pre>x\ny</pre></table>"
        )
        page = page_of(tmp_path, f"<main>{body}</main>")
        assert prose(page) == "Keys\nKey | Type\n`a` | int\u00a0|\u00a0None\nb | "
        assert code(page) == ["x\ny"]

    def test_code(self, tmp_path: Path) -> None:
        """Lines that are made of elements, and numbers beside them."""
        body = (
            "<div class='highlight-python3 notranslate'><div class=highlight><pre><span></span>"
            "<span class=linenos>1</span><span class=k>def</span> f():\n"
            "<span class=linenos>2</span>    pass\n"
            "</pre></div></div><pre data-language=js><code><span>a</span><br><span>b</span></code></pre>"
            "<p>Call <code>f()</code>, <code>`x`</code>.</p>"
        )
        page = page_of(tmp_path, f"<main>{body}</main>")
        assert [(b.language, b.text) for b in blocks(page, "code")] == [
            ("python3", "def f():\n    pass"),
            ("js", "a\nb"),
        ]
        assert prose(page) == "Call `f()`, `` `x` ``."

    @pytest.mark.parametrize(
        "markup",
        [
            "<div class=tabbed-set><div class=tabbed-labels><label>Linux</label><label>Mac</label></div>"
            "<div class=tabbed-content><div class=tabbed-block><p>Use apt.</div>"
            "<div class=tabbed-block><p>Use brew.</div></div></div>",
            "<div><ul role=tablist><li role=tab>Linux<li role=tab>Mac</ul><div><div role=tabpanel>"
            "<p>Use apt.</div>"
            "<div role=tabpanel hidden><p>Use brew.</div></div></div>",
            "<div class=sphinx-tabs><div role=tablist><button role=tab>Linux</button>"
            "<button role=tab>Mac</button>"
            "</div><div role=tabpanel><p>Use apt.</div><div role=tabpanel hidden><p>Use brew.</div></div>",
            "<div class=vp-code-group><div class=tabs><label>Linux</label><label>Mac</label></div>"
            "<div class=blocks><div class=language-x><span class=lang>x</span><p>Use apt.</div>"
            "<div class=language-x><p>Use brew.</div></div></div>",
            "<div class=sd-tab-set><input><label class=sd-tab-label>Linux</label><div class=sd-tab-content>"
            "<p>Use apt."
            "</div><input><label class=sd-tab-label>Mac</label><div class=sd-tab-content><p>Use brew.</div>"
            "</div>",
        ],
    )
    def test_tabs_carry_their_labels(self, tmp_path: Path, markup: str) -> None:
        """The label stands before its panel, also before one that is closed."""
        assert prose(page_of(tmp_path, f"<main>{markup}</main>")) == "Linux\nUse apt.\nMac\nUse brew."

    def test_a_class_for_wide_screens_hides_nothing(self, tmp_path: Path) -> None:
        """``hidden md:block`` is seen by most readers, ``hidden`` alone by none."""
        body = (
            "<p class='hidden md:block'>Seen.</p><p class='d-none d-md-block'>Too.</p><p class=d-none>No.</p>"
        )
        assert prose(page_of(tmp_path, f"<main>{body}</main>")) == "Seen.\nToo."

    def test_a_style_for_some_screens_hides_nothing(self, tmp_path: Path) -> None:
        """Only rules that always hold count."""
        body = "<style>@media print { .a { display: none } }</style><main><p class=a>Seen.</p></main>"
        assert prose(page_of(tmp_path, body)) == "Seen."

    def test_footnote_numbers_are_no_text(self, tmp_path: Path) -> None:
        """``[1]`` in a passage would read as a citation."""
        body = (
            "<p>A claim<a class='footnote-reference brackets' href=#f>[1]</a>.</p>"
            "<aside class='footnote brackets'><span class=label>[1]</span><p>A source.</p></aside>"
        )
        assert prose(page_of(tmp_path, f"<main>{body}</main>")) == "A claim.\nA source."


class TestTrees:
    """Folders of built HTML."""

    def test_paths_addresses_and_titles(self, tmp_path: Path) -> None:
        """An index file stands for its folder; the site's name is no part of a title."""
        files = {
            "index.html": html("<main><p>Hi.</p></main>", "<title>Home — Kit 2</title>"),
            "a/index.html": html("<main><h1>Guide</h1><p>Text.</p></main>", "<title>Guide — Kit 2</title>"),
            "b.html": html("<main><p>No heading.</p></main>", "<title>The — B — Kit 2</title>"),
            "search.html": html("<main><p>Search.</p></main>"),
            "genindex.html": html("<main><p>Index.</p></main>"),
            "_modules/x.html": html("<main><p>Source.</p></main>"),
            "part.html": "<li>{{ item }}</li>",
        }
        result = read(tmp_path, files, BuildConfig(site_url="https://kit.example/docs"))
        assert result.title == "Kit 2"
        assert [(page.path, page.url, page.title) for page in result.pages] == [
            ("a/index.html", "https://kit.example/docs/a/", "Guide"),
            ("b.html", "https://kit.example/docs/b.html", "The — B"),
            ("index.html", "https://kit.example/docs/", "Home"),
        ]
        assert result.hidden == {"generated": 3, "template": 1}
        said = [finding.what for finding in result.warnings]
        assert any("left out: _modules/x.html, genindex.html, search.html" in what for what in said)

    def test_a_page_may_be_called_search(self, tmp_path: Path) -> None:
        """Below the top of a site it is a page; at the top of each version it is the tool's."""
        files = {
            "index.html": html("<main><p>Hi.</p></main>"),
            "db/search.html": html("<main><p>Full text search.</p></main>"),
            "v2/search.html": html("<main><p>Search.</p></main>"),
            "v2/genindex.html": html("<main><p>Index.</p></main>"),
        }
        result = read(tmp_path, files)
        assert [page.path for page in result.pages] == ["db/search.html", "index.html"]
        assert result.hidden == {"generated": 2}

    def test_a_manual_page_keeps_its_purpose(self, tmp_path: Path) -> None:
        """AsciiDoc puts the name and purpose of a command above the content."""
        body = (
            '<body class="manpage"><div id="header"><h1>kit-run(1) Manual Page</h1><h2>NAME</h2>'
            '<div class="sectionbody"><p>kit-run - Runs the kit</p></div></div><div id="content">'
            f"<div class=sect1><h2 id=_options>OPTIONS</h2><p>{'Many options. ' * 20}</p></div></div>"
            '<div id="footer"><div id="footer-text">Last updated 2024</div></div></body>'
        )
        (page,) = read(
            tmp_path,
            {"kit-run.html": f"<!DOCTYPE html><html><head><title>kit-run(1)</title></head>{body}</html>"},
        ).pages
        assert page.title == "kit-run(1)"
        assert "kit-run - Runs the kit" in prose(page)
        assert "Last updated" not in prose(page)

    def test_markdown_beside_its_built_page_is_left_out(self, tmp_path: Path) -> None:
        """One page is indexed once; other Markdown of a mixed folder is read."""
        files = {
            "a.html": html("<main><p>Built.</p></main>"),
            "a.md": "Source.\n",
            "b/index.html": html("<main><p>B.</p></main>"),
            "b.md": "Source.\n",
            "c.md": "# C\n\nAlone.\n",
        }
        tree = read(tmp_path, files)
        assert [page.path for page in tree.pages] == ["a.html", "b/index.html", "c.md"]
        assert tree.hidden == {"source": 2}
        assert any("2 files of Markdown" in warning.what for warning in tree.warnings)

    def test_html_beside_the_sources_of_a_tool_is_left_out(self, tmp_path: Path) -> None:
        """Templates and samples in a documentation's sources are no pages."""
        files = {
            "mkdocs.yml": "site_name: K\n",
            "docs/a.md": "# A\n\nText.\n",
            "docs/sample.html": html("<p>No."),
        }
        assert [page.path for page in read(tmp_path, files).pages] == ["a.md"]

    @pytest.mark.parametrize(
        ("data", "text", "warnings"),
        [
            (html("<main><p>ü</main>", "<meta charset=utf-8>").encode(), "ü", 0),
            (html("<main><p>ю</main>", "<meta charset=windows-1251>").encode("cp1251"), "ю", 1),
            (html("<main><p>ü</main>", "").encode("latin-1"), "ü", 1),
        ],
    )
    def test_encodings(self, tmp_path: Path, data: bytes, text: str, warnings: int) -> None:
        """The page's own ``charset`` is believed where it is not UTF-8."""
        result = read(tmp_path, {"a.html": data})
        assert (prose(result.pages[0]), len(result.warnings)) == (text, warnings)


TAGS = [
    "main",
    "p",
    "div",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "pre",
    "code",
    "h2",
    "dl class=py",
    "dt id=x",
    "dd",
    "a",
]


CLOSING = ["/p", "/div", "/ul", "/table", "/dl", "/pre"]


@given(st.lists(st.one_of(st.sampled_from([*TAGS, *CLOSING]), st.text(max_size=5)), max_size=40))
@settings(deadline=None)
def test_no_markup_makes_the_reader_fail(parts: list[str]) -> None:
    """Tags in any order; every anchor is an id of the page."""
    page = read_html("".join(f"<{part}>x" for part in parts))
    assert all(section.anchor in page.ids for section in page.sections if section.anchor)


@pytest.mark.parametrize(
    "tag", ["div", "ul><li", "b", "nav", "table><tr><td", "section id=a", "blockquote", "pre"]
)
def test_deep_nesting_is_read_in_bounded_time(tag: str) -> None:
    """50,000 open elements; text inside is kept."""
    page = read_html(f"<body><h1>A</h1>{f'<{tag}>' * 50_000}deep")
    assert page.title == "A"
