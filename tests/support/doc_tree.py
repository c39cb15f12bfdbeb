"""Small documentation folders for tests, and what came of reading them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ibid.models import Block, Chunk, Page
from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.sources import ReadResult, read_tree


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes the files (text as UTF-8 with the line ends it has) and returns the folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


def read(root: Path, files: Mapping[str, str | bytes], config: BuildConfig | None = None) -> ReadResult:
    """Writes and reads a folder."""
    return read_tree(write_tree(root, files), config or BuildConfig())


def read_page(
    root: Path, content: str | bytes, config: BuildConfig | None = None, name: str = "page.md"
) -> Page:
    """The one page of a folder that holds one file."""
    (page,) = read(root, {name: content}, config).pages
    return page


def headings(page: Page) -> list[str]:
    """Headings in order."""
    return [section.heading for section in page.sections if section.heading]


def blocks(page: Page, kind: str = "") -> list[Block]:
    """All blocks in order, or those of one kind."""
    return [block for section in page.sections for block in section.blocks if kind in ("", block.kind)]


def prose(page: Page) -> str:
    """All text that is no code."""
    return "\n".join(block.text for block in blocks(page) if block.kind != "code")


def code(page: Page) -> list[str]:
    """The code blocks."""
    return [block.text for block in blocks(page, "code")]


def everything(result: ReadResult) -> str:
    """All that would be published of a folder: titles, headings, texts, addresses."""
    chunks: list[Chunk] = [chunk for page in result.pages for chunk in chunk_page(page)]
    return "\n".join([*(page.title for page in result.pages), *(repr(chunk) for chunk in chunks)])
