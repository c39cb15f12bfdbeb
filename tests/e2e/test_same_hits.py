"""The browser ranks as the commands do: the same pages, scores and tiers, to the last digit."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ibid.evidence import scored_pages
from ibid_build.published import open_retriever
from questions import QUESTIONS
from reader import Reader


def test_chromium_ranks_as_the_commands_do(reader: Reader, site: Path) -> None:
    """Every page that the browser's query log tells of a search, against the same search here."""
    asked = [question for question in QUESTIONS if question.strip()]
    for question in asked:
        reader.ask(question)
    logged = {entry["query"]: entry["pages"] for entry in reader.stored("query_log")}
    with ThreadPoolExecutor(1) as beside:  # the browser's driver keeps a loop running in this thread
        retriever = beside.submit(open_retriever, site, {}).result()
        assert len(logged) == len(asked)
        for question, pages in logged.items():
            plan = beside.submit(lambda asked: asyncio.run(retriever.plan(asked)), question).result()
            assert pages == scored_pages(plan), question
