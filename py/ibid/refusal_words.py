"""What the body of a refusal says: its own words for the reader, and the kind that they tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ibid import foreign_json
from ibid.errors import RefusedAbout
from ibid.key_mask import mask_key

_LONGEST_WORDS = 300
"""Characters of a service's own words that are shown."""

_DEEPEST = 6
"""Levels of a body that are looked at; the forms in use have four."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


_NO_CREDIT = _any(
    r"insufficient[_ -](quota|balance|credits?|funds)",
    r"exceeded your (current|monthly|included)[\w ]{0,30} (quota|credits?)",
    r"(quota|credits?)( \w+){0,4} (exhausted|exceeded|used up|depleted|reached|ran out)",
    r"(exhausted|used up|ran out of|run out of|out of|no( more| remaining)?|not enough) (your )?"
    r"(\w+ )?credits?\b",
    r"credit balance is (too low|zero|negative)",
    r"requires more credits",
    r"billing[_ ](hard[_ ])?limit|billing_not_active|check your billing|spend(ing)? limit",
    r"payment[_ ]required|arrearage|overdue payment|account is in arrears",
    r"余额不足|欠费|额度(不足|已用)",
)
_SURE_NO_CREDIT = _any(r"insufficient_quota|billing_hard_limit|billing_not_active|insufficient[_ ]balance")
_FOR_A_MOMENT = _any(
    r"\b(retry|try again) (in|after) [\d.]", r"per[ -](second|minute|hour|day)|\b[RT]P[MD]\b"
)
_TOO_LONG = _any(
    r"context[_ ](length|window|size|limit|overflow)",
    r"(maximum|max) (context|prompt|input) (length|size|tokens)",
    r"(prompt|input|request|message|conversation|text)s? (is|are|was|were) too (long|large)",
    r"too many (input |prompt )?tokens",
    r"(exceeds?|exceeding|over|above|greater than|more than|less than|<=) [^.]{0,60}\btokens?\b",
    r"\btokens?\b[^.]{0,60}(exceeds?|too (large|long)|over the limit|must be)",
    r"reduce (the )?(length|size|number) of (the |your )?(messages|prompt|input)",
    r"range of input length|string_above_max_length|输入(长度|过长)|超出最大长度",
)
_KEY = _any(
    r"api[_ -]?key[_ ](not valid|invalid|expired|is (invalid|missing|required))",
    r"(invalid|incorrect|missing|expired|wrong|no)[_ ](api[_ -]?key|token|credentials|auth)",
    r"unauthori[sz]ed|authentication|not authenticated|did(n't| not) provide an api key",
)
_MODEL = _any(
    r"model[_ ]?(not[_ ]found|not[_ ]supported|decommissioned|unavailable)",
    r"(unknown|invalid|no such|unsupported|nonexistent) model|not a valid model",
    r"\bmodels?\b[^.]{0,120}(not found|n[o']t exist|not exist|not available|is not supported|decommissioned"
    r"|deprecated|not loaded)",
    r"(provide|specify|missing|required)[^.]{0,30}\bmodel\b|no models? loaded|\bmodel: field required",
)
_ABILITY = _any(r"\b(tools?|functions?|tool_choice|stream\w*)\b")
_BROWSER_PAGE = re.compile(r"\s*<(!doctype|html|head|body|\?xml|title|script|center)", re.IGNORECASE)


def is_web_page(content_type: str, body: str) -> bool:
    """True for HTML, however it is labelled; it is never shown."""
    return "html" in content_type.lower() or bool(_BROWSER_PAGE.match(body.removeprefix("\ufeff")))


def says_no_credit(status: int, evidence: str) -> bool:
    """The account has no quota or credit left; waiting will not help."""
    if _SURE_NO_CREDIT.search(evidence):
        return True
    # Some services call a limit per minute a quota; those say when to come back.
    passing = status == 429 and _FOR_A_MOMENT.search(evidence)
    return not passing and bool(_NO_CREDIT.search(evidence))


def says_too_long(evidence: str) -> bool:
    """The prompt does not fit the model's context window."""
    return bool(_TOO_LONG.search(evidence))


def refused_about(status: int, evidence: str) -> RefusedAbout:
    """What a refusal is about that concerns neither credit nor length."""
    if _KEY.search(evidence):
        return "key"
    if _MODEL.search(evidence) and not _ABILITY.search(evidence):
        return "model"
    return "address" if status in (404, 405) else "request"


def names_field(body: bytes, name: str) -> bool:
    """True if a refusal speaks of the request field ``name``."""
    return bool(re.search(rf"(?<!\w){name}(?!\w)", body.decode("utf-8", "replace")))


def read_body(body: str) -> Any:
    """The JSON value of a refusal, or its text."""
    try:
        value = foreign_json.loads(body)
    except ValueError:
        return body
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return value[0]  # one service wraps its error object in a list
    return value


def own_words(value: Any, key: str) -> str:
    """What the service says, on one line, key masked, cut to a sane length; "" when it says nothing."""
    said = next((text for text in _messages(value, _DEEPEST) if text.strip()), "")
    said = " ".join(mask_key(re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", said[:4000]), key).split())
    return said if len(said) <= _LONGEST_WORDS else said[: _LONGEST_WORDS - 1].rstrip() + "…"


def evidence_in(value: Any) -> str:
    """Everything that tells the kind of a refusal: messages, codes, types, a wrapped provider's own error."""
    return "\n".join([*_messages(value, _DEEPEST), *_codes(value, _DEEPEST)])[:8000]


def _messages(value: Any, depth: int) -> Iterator[str]:
    """The texts of the error forms in use, the most telling first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        yield from (text for item in value[:5] for text in _messages(item, depth - 1))
    elif isinstance(value, dict) and depth:
        metadata = value.get("metadata")  # a router's: the provider's own error, as text
        if isinstance(metadata, dict) and isinstance(raw := metadata.get("raw"), str):
            yield from () if is_web_page("", raw) else _messages(read_body(raw), depth - 1)
        if isinstance(value.get("loc"), list) and isinstance(value.get("msg"), str):  # FastAPI's form
            yield f"{'.'.join(map(str, value['loc'][:6]))}: {value['msg']}"
            return
        for name in ("error", "message", "detail", "error_description", "errors"):
            yield from _messages(value.get(name), depth - 1)


def _codes(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        yield from (str(value[name]) for name in ("code", "type", "status", "param") if value.get(name))
        yield from _codes(value.get("error"), depth - 1)
