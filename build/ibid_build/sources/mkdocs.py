"""What ``mkdocs.yml`` says that matters here; nothing in it is imported or called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ibid_build.sources import anchors
from ibid_build.sources.anchors import AnchorRule, Form
from ibid_build.sources.generator import Generator, read_settings, text_of

_FORMS: dict[str, Form] = {"NFC": "NFC", "NFD": "NFD", "NFKC": "NFKC", "NFKD": "NFKD"}


def read_mkdocs(root: Path, settings: Path | None) -> Generator:
    """The generator of ``root``; ``settings`` is its mkdocs.yml, None for MkDocs' own defaults."""
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
        site_url=text_of(values.get("site_url")),
        site_name=text_of(values.get("site_name")),
        exclude=tuple(line for line in exclude if line and not line.startswith("#")),
        options=frozenset(extensions),
        titles=_nav_titles(values.get("nav")),
    )


class _Tolerant(yaml.SafeLoader):
    """Keeps Python and environment tags as names."""


def _tag(loader: _Tolerant, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {"!": suffix, **{str(k): v for k, v in loader.construct_mapping(node, deep=True).items()}}
    return suffix if not isinstance(node, yaml.ScalarNode) or not node.value else f"{suffix} {node.value}"


_Tolerant.add_multi_constructor("!", _tag)
_Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", _tag)


def _read_mkdocs(path: Path) -> dict[str, Any]:
    try:
        values = yaml.load(read_settings(path), Loader=_Tolerant)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return {}  # the anchors fall back to the tool's defaults
    return values if isinstance(values, dict) else {}


def _nav_titles(nav: Any) -> dict[str, str]:
    """Titles by path. What a YAML alias repeats is read once: a few lines can repeat it a billion times."""
    titles: dict[str, str] = {}
    pending = [nav]
    seen: set[int] = set()
    while pending:
        entry = pending.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
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
            normalize=_FORMS.get(str(keywords.get("normalize")), "NFC"),
        )
    return anchors.python_markdown(separator)
