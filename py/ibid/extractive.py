"""Answers without a model: sentences of the cited passages, word for word (SPEC 4.4)."""

from __future__ import annotations

from ibid.draft import Draft
from ibid.evidence import DEFLECTION, Evidence
from ibid.quotations import extract_answer
from ibid.retrieval.query import read_query


async def extract(question: str, evidence: Evidence, draft: Draft) -> None:
    """Search, and write the best sentences of what is found, each with its mark; deflect if nothing is."""
    sources = await evidence.search(question)
    terms = {term.text for term in read_query(question, evidence.language).terms}
    await draft.write(extract_answer(sources, terms, evidence.language) if sources else DEFLECTION)
