"""Tool calls that a model wrote as text, found while the text streams (SPEC 4.2).

Models that were trained on another call format, or whose server has no parser for theirs, write the call
into the answer: DeepSeek's tokens between fullwidth bars, DSML, ``<tool_call>``, ``<function=…>``,
``<invoke name=…>``, ``[TOOL_CALLS]``, ``<|python_tag|>``, ``<|channel|>…``, or bare JSON at the very start.
In code, in a block quote or between quotation marks the same characters are an example, and prose.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_OPENING_CHARS = 300
"""Characters after which a reply that starts with a bracket is taken for prose."""

_TAG = r"<(?:[\w-]+:)?(?:tool_calls?|tool_use|toolcall|function_calls?|function|invoke)"
_CONTROL = r"<\|(?:DSML|tool|function|python_tag|call|channel|constrain|START_ACTION|action)[^>\n]{0,40}"
# A token that may still become one of the above; held back until the next characters tell.
_LONGEST = 120
"""Characters that such a token has at most, its look-ahead included."""
_UNDECIDED = re.compile(
    r"(?:<(?:[|｜][^>\n]{0,40}|[A-Za-z][\w:-]{0,40}(?:>\s{0,20}[\w.]{0,40}\s{0,5}|\s{1,5}[name]{0,4})?)?"  # noqa: RUF001
    r"|\[[A-Z_]{0,12})\Z"
)
_LINE = re.compile(r"(?P<quote>[ \t]*>)?[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(?P<run>`{3,}|~{3,})?")
_BEFORE_FENCE = " \t\r\n>-*+0123456789.)`~"
"""The characters of list markers, quotes and fences: what a line may begin with before it is a fence."""
_QUOTATION_MARKS = frozenset("\"'“‘«„「『")  # noqa: RUF001 - these are the marks


class WrittenCall:
    """Lets the prose of one message through and holds a written tool call back.

    ``found`` is True once there is one; nothing after it is let through. Time is linear in the text but for
    a paragraph with many unpaired runs of backticks.
    """

    def __init__(self, tools: Collection[str]) -> None:
        self.found = False
        names = "|".join(map(re.escape, tools))
        self._inline = re.compile(
            r"\\.|(?P<ticks>`+)|(?P<call><｜|" + _CONTROL + r"|\[TOOL_(?:CALLS|REQUEST)\]"  # noqa: RUF001
            rf"|{_TAG}(?:=|\s+name\s*=|>\s*(?:[{{\[<]|(?:functions\.)?(?:{names})\b|[\w.]+\s*<arg_key>)))"
        )
        self._bare = re.compile(
            rf"\s*\[?\s*(?:functions\.)?(?:{names})\s*\("
            r"|\s*\[?\s*\{[^}]*?\"(?:name|tool|tool_name|recipient_name)\"\s*:\s*\"(?:"
            rf"(?:functions\.)?(?:{names})\"|[^\"]*\"\s*,\s*\"(?:arguments|parameters)\"\s*:)"
        )
        self._bare_starts = tuple(f"{name}(" for name in tools)
        self._text = ""
        self._given = 0  # let through up to here
        self._at = 0  # looked at up to here
        self._opening = True  # the reply may still turn out to be a bare call
        self._fence = ""  # the run that opened the code block we are in
        self._ticks = ""  # the run that opened the inline code we are in, which ends at _ticks_end
        self._ticks_end = 0
        self._candidate: int | None = None  # a call in inline code that may yet turn out not to be closed

    def feed(self, delta: str) -> str:
        """The prose that is decided by now."""
        self._text += delta
        return self._through(final=False)

    def close(self) -> str:
        """What was held back and is prose after all: the message has ended."""
        return self._through(final=True)

    def _through(self, *, final: bool) -> str:
        if self._opening:
            self._opening = self._may_be_bare(final)
        end = self._given if self._opening or self.found else self._scan(final)
        given = self._text[self._given : end]
        self._given = max(self._given, end)
        return given

    def _may_be_bare(self, final: bool) -> bool:
        if self._bare.match(self._text):
            self.found = True
            return False
        start = self._text.lstrip()
        bare = start.lstrip("[ ")
        looks_bare = start[:1] in ("{", "[") or any(name.startswith(bare) for name in self._bare_starts)
        return not final and len(start) < _OPENING_CHARS and (looks_bare or not start)

    def _scan(self, final: bool) -> int:
        """Look at the text that has come; returns how far it is decided to be prose."""
        text = self._text
        while self._at < len(text) and not self.found:
            at_start = self._at == 0 or text[self._at - 1] == "\n"
            if not (self._start_line(final) if at_start else self._read_line(final)):
                break
        if self.found:
            return self._at
        if self._candidate is not None and final:
            self._reopen()
            return self._scan(final)
        if self._candidate is not None:
            return self._candidate
        tail = None if final or self._fence else _UNDECIDED.search(text, max(self._at, len(text) - _LONGEST))
        return tail.start() if tail else len(text)

    def _start_line(self, final: bool) -> bool:
        """At the start of a line: fences, quotes, blank lines. False when more text is needed."""
        text = self._text
        end = text.find("\n", self._at) + 1
        whole = final or end > 0
        end = end or len(text)
        line = _LINE.match(text, self._at)
        assert line is not None  # noqa: S101 - every part of the pattern is optional
        run, rest = line["run"] or "", text[line.end() : end]
        may_be_fence = run or not text[self._at : end].strip(_BEFORE_FENCE)
        if not whole and (self._fence or line["quote"] or may_be_fence):
            return False
        if self._fence:
            if run.startswith(self._fence) and not rest.strip():
                self._fence = ""
            self._at = end
            return True
        is_fence = run and not (run[0] == "`" and "`" in rest)
        if not is_fence and not line["quote"] and text[self._at : end].strip():
            return self._read_line(final)
        if line["quote"] or self._end_paragraph():
            self._fence, self._at = (run if is_fence and not line["quote"] else ""), end
        return True

    def _end_paragraph(self) -> bool:
        """Inline code ends with its paragraph. False when that makes an earlier call stand in prose."""
        if self._candidate is not None:
            self._reopen()
            return False
        self._ticks = ""
        return True

    def _reopen(self) -> None:
        """The run of backticks was never closed, so it opened nothing: look again at what follows it."""
        self._at, self._ticks, self._candidate = self._ticks_end, "", None

    def _read_line(self, final: bool) -> bool:
        """Inside a line: inline code and calls. False when more text is needed."""
        text = self._text
        end = text.find("\n", self._at) + 1 or len(text)
        for token in self._inline.finditer(text, self._at):
            if token.start() >= end:
                break
            if token["ticks"]:
                if token.end() == len(text) and not final:
                    self._at = token.start()
                    return False
                self._read_ticks(token)
            elif token["call"] and text[token.start() - 1 : token.start()] not in _QUOTATION_MARKS:
                if not self._ticks:
                    self.found, self._at = True, token.start()
                    return True
                self._candidate = token.start() if self._candidate is None else self._candidate
        tail = None if final else _UNDECIDED.search(text, max(self._at, len(text) - _LONGEST))
        self._at = min(end, tail.start()) if tail else end
        return tail is None or self._at < tail.start()

    def _read_ticks(self, token: re.Match[str]) -> None:
        if not self._ticks:
            self._ticks, self._ticks_end = token["ticks"], token.end()
        elif token["ticks"] == self._ticks:
            self._ticks, self._candidate = "", None
