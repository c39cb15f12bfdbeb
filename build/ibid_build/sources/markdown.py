"""One Markdown file to a page: MkDocs with Material, MyST, Docusaurus, VitePress, plain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ibid.models import Section
from ibid_build.findings import Finding
from ibid_build.sources.front_matter import FrontMatter, split_front_matter
from ibid_build.sources.generator import Generator
from ibid_build.sources.markdown_walker import MarkdownWalker
from ibid_build.sources.mdx import strip_mdx

_DATA_ADDRESS = re.compile(r"data:[\w.+-]+/[\w.+-]+[;,][^\s()\"'<>]{64,}")
_SNIPPET = re.compile(r"^[ \t]*-+8<-+.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """What a Markdown file holds; ``title`` is "" when neither front matter nor a heading gives one."""

    title: str
    sections: tuple[Section, ...]
    front_matter: FrontMatter
    findings: tuple[Finding, ...]


def read_markdown(text: str, path: str, generator: Generator) -> MarkdownPage:
    """Reads decoded text; never raises on malformed input. ``path`` names the file in findings."""
    front_matter, body, findings = split_front_matter(text, path)
    body = drop_data_addresses(body)
    is_mdx = path.lower().endswith(".mdx") or generator.name == "docusaurus"
    if is_mdx:
        body, warnings = strip_mdx(body, path)
        findings += warnings
    if generator.name == "mkdocs":
        body = _SNIPPET.sub("", body)
    walker = MarkdownWalker(generator, path, front_matter.lines, indented_code=not is_mdx)
    walker.read(body)
    title = front_matter.title or walker.first_title
    return MarkdownPage(title, walker.builder.build(), front_matter, (*findings, *walker.findings))


def drop_data_addresses(text: str) -> str:
    """Text without pictures written into it as ``data:`` addresses; their alt text stays."""
    return _DATA_ADDRESS.sub("", text) if "data:" in text else text
