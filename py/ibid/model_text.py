"""What a model writes as content, parted into answer and reasoning, and freed of control characters.

Both filters are fed pieces cut anywhere and give out the same text for every cut. They hold back only
what cannot be decided yet.
"""

from __future__ import annotations

import re

_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPAN_START, _SPAN_END = "\ue200", "\ue201"
_CUT_SPAN = re.compile(_SPAN_START + r"\S*")
_LONGEST_SPAN = 400
"""Characters; a mark of several ids is shorter, and a start without an end must not hold the answer back."""


class PrivateMarks:
    """Drops private-use characters, and whole spans from U+E200 to U+E201.

    Some models mark sources so: U+E200 ``cite`` U+E202 ``turn0search1`` U+E201. The ids mean nothing here.
    Halves of a surrogate pair, which JSON lets an endpoint send in two pieces, are joined; a lone half
    becomes U+FFFD, since no store and no network takes it.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is decided by now."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        kept = []
        while (start := text.find(_SPAN_START)) >= 0:
            kept.append(_clean(text[:start]))
            span = text[start : start + _LONGEST_SPAN]
            end = span.find(_SPAN_END)
            if end < 0 and len(span) < _LONGEST_SPAN:
                self._held = span + self._held
                return "".join(kept)
            text = text[start + max(end, 0) + 1 :]
        kept.append(_clean(text))
        return "".join(kept)

    def close(self) -> str:
        """What was held back when the stream ended; of a span cut short, what comes after its ids."""
        held, self._held = self._held, ""
        return _clean(_CUT_SPAN.sub("", held))


def well_formed(text: str) -> str:
    """Surrogate pairs joined, lone halves as U+FFFD: text that can be encoded."""
    if _SURROGATE.search(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _clean(text: str) -> str:
    return _PRIVATE.sub("", well_formed(text))


_TAGS = ("think", "thinking", "thought")
_TOKEN = re.compile(rf"`+|\n[ \t]{{0,40}}\n|<(?:{'|'.join(_TAGS)})>", re.IGNORECASE | re.ASCII)
_OPEN_TOKEN = re.compile(r"(?:`+|\n[ \t]{0,40})\Z")
_STARTS = tuple(f"<{tag}>" for tag in _TAGS)


class ThinkingSpans:
    """Parts ``<think>…</think>`` spans from the answer; in Markdown code such a tag is an example and stays.

    Blanks between a span and the answer's first word belong to neither. A span that never ends is
    reasoning to the end; but after the answer's first word it was a word about the tag, and is answer.
    """

    def __init__(self) -> None:
        self._held = ""
        self._end = ""  # the tag that ends the open span
        self._code = 0  # length of the run of backticks that opened the code we are in
        self._blanks: str | None = ""  # blanks before the answer's first word, None after it
        self._thought = False
        self._midway: list[str] | None = None  # the open span, where it may be no span

    def feed(self, text: str) -> tuple[str, str]:
        """(answer, reasoning) decided by now."""
        return self._read(self._held + text, final=False)

    def close(self) -> tuple[str, str]:
        """(answer, reasoning) of what was held back when the stream ended."""
        answer, reasoning = self._read(self._held, final=True)
        if self._midway is None:
            return answer, reasoning
        return answer + "".join(self._midway), ""

    def _read(self, text: str, final: bool) -> tuple[str, str]:
        self._held = ""
        answer: list[str] = []
        reasoning: list[str] = []
        while text:
            if self._end:
                text = self._read_span(text, reasoning, final)
            else:
                text = self._read_answer(text, answer, final)
        return "".join(answer), "".join(reasoning)

    def _read_span(self, text: str, reasoning: list[str], final: bool) -> str:
        found = re.search(self._end, text, re.IGNORECASE | re.ASCII)
        if found:
            reasoning.append(text[: found.start()])
            self._end, self._thought, self._midway = "", True, None
            return text[found.end() :]
        keep = len(text) if final else _before_unfinished(text, (self._end,))
        reasoning.append(text[:keep])
        if self._midway is not None:
            self._midway.append(text[:keep])
        self._held = text[keep:]
        return ""

    def _read_answer(self, text: str, answer: list[str], final: bool) -> str:
        found = _TOKEN.search(text)
        if found and (final or found.end() < len(text) or found[0][0] != "`"):
            token = found[0]
            if token[0] == "<" and not self._code:
                answer.append(self._from_first_word(text[: found.start()]))
                self._end = f"</{token[1:]}"
                self._midway = [token] if self._blanks is None else None
            else:
                answer.append(self._from_first_word(text[: found.end()]))
                self._step_over(token)
            return text[found.end() :]
        keep = len(text)
        if not final:
            open_token = _OPEN_TOKEN.search(text)
            keep = open_token.start() if open_token else _before_unfinished(text, _STARTS)
        answer.append(self._from_first_word(text[:keep]))
        self._held = text[keep:]
        return ""

    def _step_over(self, token: str) -> None:
        run = len(token)
        if token[0] == "\n":
            self._code = self._code if self._code >= 3 else 0  # inline code ends with its paragraph
        elif token[0] == "`":
            closes = run >= self._code if self._code >= 3 else run == self._code
            self._code = 0 if closes and self._code else self._code or run

    def _from_first_word(self, answer: str) -> str:
        if self._blanks is None:
            return answer
        answer = self._blanks + answer
        word = answer.lstrip()
        self._blanks = None if word else answer
        if not word:
            return ""
        return word if self._thought else answer


def _before_unfinished(text: str, tags: tuple[str, ...]) -> int:
    """Where the longest end of ``text`` begins that one of ``tags`` may still grow from."""
    start = text.rfind("<", -max(map(len, tags)))
    tail = text[start:].lower()
    if start >= 0 and tail.isascii() and any(tag.lower().startswith(tail) for tag in tags):
        return start
    return len(text)
