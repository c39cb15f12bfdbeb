"""Which documentation tool a folder of Markdown belongs to, and what that tool decides: ids and addresses."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

import yaml

from ibid_build.sources import anchors
from ibid_build.sources.anchors import AnchorRule

GeneratorName = Literal["mkdocs", "docusaurus", "vitepress", "sphinx", "markdown"]
GENERATORS: tuple[GeneratorName, ...] = ("mkdocs", "docusaurus", "vitepress", "sphinx", "markdown")


@dataclass(frozen=True, slots=True)
class Generator:
    """A tool with the settings that matter here. ``markdown`` is a plain folder, as GitHub shows it.

    ``content`` is the folder that holds the pages, ``exclude`` its own patterns of what it does not publish.
    """

    name: GeneratorName
    rule: AnchorRule
    content: Path
    directory_urls: bool = False
    base: str = ""
    site_url: str = ""
    site_name: str = ""
    exclude: tuple[str, ...] = ()
    options: frozenset[str] = field(default_factory=frozenset)
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles that the tool's navigation gives, by path."""

    def url(self, path: str, slug: str = "") -> str:
        """The page's address relative to the site's root; ``slug`` is Docusaurus' front matter."""
        pure = PurePosixPath(path)
        parent = "" if str(pure.parent) == "." else f"{pure.parent}/"
        stem = pure.stem
        is_index = stem == "index" or (stem == "README" and self.name in ("mkdocs", "docusaurus"))
        match self.name:
            case "mkdocs":
                tail = "" if is_index else f"{stem}/" if self.directory_urls else f"{stem}.html"
                if is_index and not self.directory_urls:
                    tail = "index.html"
            case "docusaurus":
                return _quote(self.base + _docusaurus_route(pure, slug))
            case "vitepress":
                tail = "" if is_index else stem if self.directory_urls else f"{stem}.html"
            case "sphinx":
                tail = f"{stem}/" if self.directory_urls and not is_index else f"{stem}.html"
                if self.directory_urls and is_index:
                    tail = ""
            case _:
                tail = pure.name
        return _quote(self.base + parent + tail)


def _quote(path: str) -> str:
    return quote(path, safe="/-._~!$&'()*+,;=:@")


def _docusaurus_route(path: PurePosixPath, slug: str) -> str:
    """Number prefixes go; an index, README or file named as its folder stands for the folder."""
    if slug.startswith("/"):
        return slug.lstrip("/")
    parts = [re.sub(r"^\d+\s*[-_.]+\s*", "", part) or part for part in path.with_suffix("").parts]
    if slug:
        return "/".join([*parts[:-1], slug.removeprefix("./")])
    last = parts[-1].lower()
    if last in ("index", "readme") or (len(parts) > 1 and last == parts[-2].lower()):
        return "/".join(parts[:-1]) + ("/" if len(parts) > 1 else "")
    return "/".join(parts)


def find_generator(root: Path, forced: str = "") -> Generator:
    """The tool of ``root``, from the settings files in it or in its parent; ``forced`` names it instead."""
    for name, locate, read in _TOOLS:
        if forced and forced != name:
            continue
        for folder in (root, root.parent):
            settings = locate(folder)
            if settings is not None:
                return read(root, settings)
        if forced:
            return read(root, None)
    return Generator("markdown", anchors.github(), root)


def _one_of(*names: str) -> Any:
    def locate(folder: Path) -> Path | None:
        return next((folder / name for name in names if (folder / name).is_file()), None)

    return locate


def _sphinx_conf(folder: Path) -> Path | None:
    path = folder / "conf.py"
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    is_sphinx = re.search(r"^(?:extensions|html_theme|project|master_doc|root_doc)\s*=", text, re.MULTILINE)
    return path if is_sphinx else None


def _mkdocs(root: Path, settings: Path | None) -> Generator:
    values = _read_mkdocs(settings) if settings else {}
    content = root
    if settings and settings.parent == root:
        docs = root / str(values.get("docs_dir") or "docs")
        content = docs if docs.is_dir() and docs.resolve().is_relative_to(root.resolve()) else root
    extensions = _extensions(values.get("markdown_extensions"))
    theme = values.get("theme")
    custom = str(theme.get("custom_dir") or "") if isinstance(theme, dict) else ""
    exclude = [line.strip() for line in str(values.get("exclude_docs") or "").splitlines()]
    exclude += [line.strip() for line in str(values.get("draft_docs") or "").splitlines()]
    if custom and settings:
        folder = (settings.parent / custom).resolve()
        if folder.is_relative_to(content.resolve()) and folder != content.resolve():
            exclude.append(f"/{folder.relative_to(content.resolve()).as_posix()}/")
    return Generator(
        "mkdocs",
        _toc_rule(extensions.get("toc") or extensions.get("markdown.extensions.toc") or {}),
        content,
        directory_urls=str(values.get("use_directory_urls", "true")).lower() != "false",
        site_url=_text(values.get("site_url")),
        site_name=_text(values.get("site_name")),
        exclude=tuple(line for line in exclude if line and not line.startswith("#")),
        options=frozenset(extensions),
        titles=_nav_titles(values.get("nav")),
    )


class _Tolerant(yaml.SafeLoader):
    """Reads mkdocs.yml, whose Python and environment tags stay names: nothing is imported or called."""


def _tag(loader: _Tolerant, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {"!": suffix, **{str(k): v for k, v in loader.construct_mapping(node, deep=True).items()}}
    return suffix if not isinstance(node, yaml.ScalarNode) or not node.value else f"{suffix} {node.value}"


_Tolerant.add_multi_constructor("!", _tag)
_Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", _tag)


def _read_mkdocs(path: Path) -> dict[str, Any]:
    try:
        values = yaml.load(path.read_text(encoding="utf-8-sig", errors="replace"), Loader=_Tolerant)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return {}  # the anchors fall back to the tool's defaults
    return values if isinstance(values, dict) else {}


def _nav_titles(nav: Any) -> dict[str, str]:
    titles: dict[str, str] = {}
    pending = [nav]
    while pending:
        entry = pending.pop()
        if isinstance(entry, list):
            pending += entry
        elif isinstance(entry, dict):
            for title, value in entry.items():
                if isinstance(value, str):
                    titles.setdefault(value, str(title))
                else:
                    pending.append(value)
    return titles


def _extensions(values: Any) -> dict[str, dict[str, Any]]:
    if isinstance(values, dict):
        values = [{name: options} for name, options in values.items()]
    found: dict[str, dict[str, Any]] = {}
    for entry in values if isinstance(values, list) else []:
        for name, options in (entry if isinstance(entry, dict) else {entry: None}).items():
            found[str(name)] = options if isinstance(options, dict) else {}
    return found


def _toc_rule(options: dict[str, Any]) -> AnchorRule:
    slugify = options.get("slugify")
    separator = str(options.get("separator") or "-")
    name = str(slugify.get("!") if isinstance(slugify, dict) else slugify or "")
    keywords = slugify.get("kwds") if isinstance(slugify, dict) else None
    keywords = keywords if isinstance(keywords, dict) else {}
    if "slugify_unicode" in name:
        return anchors.python_markdown(separator, keep_unicode=True)
    if "pymdownx" in name:
        older = {"uslugify": "lower", "gfm": "lower-ascii", "uslugify_encoded": "lower"}
        case = next((value for key, value in older.items() if name.endswith(key)), "none")
        return anchors.pymdownx(
            separator,
            case=str(keywords.get("case", case)),
            percent=bool(keywords.get("percent_encode", name.endswith("encoded"))),
            normalize=str(keywords.get("normalize", "NFC")),
        )
    return anchors.python_markdown(separator)


def _docusaurus(root: Path, settings: Path | None) -> Generator:
    text = _source(settings)
    docs = root / "docs"
    content = docs if settings and settings.parent == root and docs.is_dir() else root
    route = _quoted(text, "routeBasePath")
    site = _quoted(text, "url").rstrip("/")
    base = _quoted(text, "baseUrl").strip("/")
    prefix = "docs" if route is None else route.strip("/")
    return Generator(
        "docusaurus",
        anchors.github(),
        content,
        base=f"{prefix}/" if prefix else "",
        site_url=f"{site}/{base}".rstrip("/") if site else "",
        site_name=_quoted(text, "title") or "",
    )


def _vitepress(root: Path, settings: Path | None) -> Generator:
    text = _source(settings)
    return Generator(
        "vitepress",
        anchors.vitepress(),
        root,
        directory_urls=bool(re.search(r"\bcleanUrls\s*:\s*true", text)),
        site_name=_quoted(text, "title") or "",
    )


def _sphinx(root: Path, settings: Path | None) -> Generator:
    values = _assignments(settings) if settings else {}
    patterns = values.get("exclude_patterns")
    return Generator(
        "sphinx",
        anchors.sphinx(),
        root,
        site_url=_text(values.get("html_baseurl")),
        site_name=_text(values.get("project")),
        exclude=tuple(f"/{p}" for p in patterns if isinstance(p, str)) if isinstance(patterns, list) else (),
    )


def _assignments(path: Path) -> dict[str, Any]:
    """Plain literals assigned at the top of a conf.py, which is read and never run."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    values: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
    return values


def _source(path: Path | None) -> str:
    return path.read_text(encoding="utf-8-sig", errors="replace") if path else ""


def _quoted(text: str, key: str) -> Any:
    match = re.search(rf"(?<![\w.]){key}\s*:\s*(['\"`])([^'\"`\n]*)\1", text)
    return match.group(2) if match else None


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


_DOCUSAURUS = _one_of(*(f"docusaurus.config.{end}" for end in ("js", "ts", "mjs", "cjs", "mts")))
_VITEPRESS = _one_of(*(f".vitepress/config.{end}" for end in ("js", "ts", "mjs", "mts")))
_TOOLS: tuple[tuple[str, Any, Any], ...] = (
    ("mkdocs", _one_of("mkdocs.yml", "mkdocs.yaml"), _mkdocs),
    ("docusaurus", _DOCUSAURUS, _docusaurus),
    ("vitepress", _VITEPRESS, _vitepress),
    ("sphinx", _sphinx_conf, _sphinx),
)
