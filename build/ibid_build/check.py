"""``ibid check``: is a published site sound, and what was measured when it was built?"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ibid.errors import IndexInvalid, InputError, SettingError
from ibid.index import REPORT, Index
from ibid.index_parts import damaged
from ibid_build.calibrate import NEAR_PASSED
from ibid_build.findings import Finding
from ibid_build.golden import fall
from ibid_build.published import open_published, open_retriever, published_settings
from ibid_build.questions import read_golden
from ibid_build.site_files import site_findings


def check_command(
    folder: Path, *, as_json: bool, environment: Mapping[str, str], questions: Path | None = None
) -> int:
    """Prints findings and figures; 1 when one is an error. Raises InputError when ``folder`` is none.

    ``questions`` is a file of golden questions; each that is lost is an error.
    """
    golden = None if questions is None else read_golden(questions)
    findings, figures = check(folder, environment)
    document: dict[str, Any] = {"index": figures}
    lines = list(_summary(figures))
    if questions is not None and golden is not None and figures:
        falls = list(fall(open_retriever(folder, environment), golden))
        findings += [each.finding(questions) for each in falls if not each.kept]
        document["questions"] = [each.as_dict() for each in falls]
        lines += [f"{sum(each.kept for each in falls)} of {len(falls)} golden questions are kept:"]
        lines += [f"  {'kept' if each.kept else 'LOST'}  {each}" for each in falls]
    if as_json:
        print(json.dumps({"findings": [f.as_dict() for f in findings], **document}, ensure_ascii=False))
    else:
        print(*findings, *lines, sep="\n")
    return int(any(finding.severity == "error" for finding in findings))


def check(folder: Path, environment: Mapping[str, str]) -> tuple[list[Finding], dict[str, Any]]:
    """What is wrong with the site in ``folder``, and its index's figures ({} when it cannot be opened).

    Raises InputError when ``folder`` is none, SettingError for a bad environment.
    """
    broken: list[Finding] = []
    try:
        index = open_published(folder)
        report = asyncio.run(_read_all(index))
    except IndexInvalid as error:
        broken.append(Finding("error", "", 0, str(error), error.next))
    broken += site_findings(folder)
    try:
        published_settings(folder, {})
    except (InputError, SettingError) as error:
        broken.append(Finding("error", "", 0, str(error), "build the folder again with: ibid build"))
    if broken:
        return broken, {}
    settings = published_settings(folder, environment)
    threshold = max(settings.source_usefulness_floor, index.threshold)
    figures: dict[str, Any] = {
        "title": index.title,
        "build": index.build,
        "kind": index.kind,
        "pages": len(index.pages),
        "chunks": len(index.chunk_ids),
        "sources": dict(Counter(page.source for page in index.pages)),
        "terms": index.lexicon.terms.count(b"\n") + 1,
        "threshold": settings.relevance_threshold if settings.relevance_threshold is not None else threshold,
        "fitted_threshold": index.threshold,
        "floor": settings.source_usefulness_floor,
        "bytes": sum(path.stat().st_size for path in (folder / "index").iterdir()),
        **index.figures,
    }
    return [*report, *_findings(index)], figures


def _summary(figures: Mapping[str, Any]) -> Iterator[str]:
    """What a maintainer wants to know of a site; nothing of one that cannot be opened."""
    if not figures:
        return
    pages, passages, title = figures["pages"], figures["chunks"], figures["title"]
    yield f"{title}: {pages} pages, {passages} passages, {figures['bytes'] / 1e6:.1f} MB of index"
    way = "meaning and words" if figures["kind"] == "dense" else "words alone"
    unknown = figures.get("unknown_tokens", 0)
    yield f"Passages are found by {way}; {unknown:.0%} of their words are unknown to the encoder."
    yield f"Answered is from a relevance of {figures['threshold']:g} on, cited from {figures['floor']:g} on."
    probes = figures.get("probes")
    if probes:
        yield "Asked when this was built, and answered:"
        for kind, asked, share in (
            ("its own headings", probes["headings"], probes["headings_kept"]),
            ("questions about other software", probes["near_probes"], probes["near_answered"]),
            ("questions about anything else", probes["far_probes"], probes["far_answered"]),
        ):
            yield f"  {asked} {kind}: " + ("-" if share is None else f"{share:.0%}")
    yield "All figures: --json"


async def _read_all(index: Index) -> list[Finding]:
    """Reads all of the index, which checks it; returns what the build noticed."""
    await index.verify()
    try:
        return [Finding(**row) for row in await index.report()]
    except TypeError as error:
        raise damaged(REPORT, f"a finding has another form ({error})") from None


def _findings(index: Index) -> list[Finding]:
    findings: list[Finding] = []
    if index.kind == "lexical":
        share = index.figures.get("unknown_tokens", 0)
        findings.append(
            Finding(
                "info",
                "",
                0,
                f"The encoder does not know the language of this documentation ({share:.0%} of its words): "
                "passages are found by their words alone",
                "in one of the languages of the multilingual encoder, install it (README) and build again; "
                "else questions have to use the documentation's own words",
            )
        )
    answered = index.figures.get("probes", {}).get("near_answered") or 0
    if answered > NEAR_PASSED:
        findings.append(
            Finding(
                "warning",
                "",
                0,
                f"{answered:.0%} of technical questions about other subjects would be answered",
                "raise relevance_threshold in ibid.toml if readers see answers beside the point",
            )
        )
    titles = Counter(page.title for page in index.pages)
    for title, count in sorted(titles.items()):
        if count > 1:
            first = next(page.path for page in index.pages if page.title == title)
            findings.append(
                Finding(
                    "info",
                    first,
                    0,
                    f"{count} pages have the title {title!r}; readers cannot tell their citations apart",
                    "give each page a title of its own",
                )
            )
    return findings
