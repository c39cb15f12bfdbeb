"""JSON that somebody else wrote: an endpoint, a model, a file of the site.

In WebAssembly deep nesting is no RecursionError: it overflows the browser's stack, which ends the whole
interpreter. Pyodide 0.28 dies between 5,000 and 8,000 brackets.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 500

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def loads(text: str | bytes) -> Any:
    """The value. Raises ValueError for what is no JSON, or nests deeper than ``MAX_DEPTH``."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(data) > MAX_DEPTH:
        raise ValueError(f"it nests deeper than {MAX_DEPTH} levels")
    return json.loads(text)


def _depth(data: bytes) -> int:
    """How deep brackets nest outside of strings, at most one more than ``MAX_DEPTH``."""
    depth = deepest = 0
    for token in _TOKEN.finditer(data):
        bracket = token[0]
        if bracket in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > MAX_DEPTH:
                break
        elif bracket in b"]}":
            depth -= 1
    return deepest
