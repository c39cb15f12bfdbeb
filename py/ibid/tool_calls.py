"""Tool calls, put together from streamed pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ibid import foreign_json
from ibid.model_text import well_formed


@dataclass(frozen=True)
class ToolCall:
    """One whole call as the model wrote it; ``id`` is unique within its completion.

    ``extra`` is what a provider wants back with the call: Gemini signs calls in ``extra_content``, and
    refuses a history without the signature.
    """

    id: str
    name: str
    arguments: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any] | None:
        """The arguments; ``{}`` when there are none, None when they are no readable JSON object.

        Half an object is never repaired: what was cut off may be what mattered.
        """
        if not self.arguments.strip():
            return {}
        values = read_object(self.arguments)
        if values is None:
            return None
        return {
            name: well_formed(value) if isinstance(value, str) else value for name, value in values.items()
        }

    def as_dict(self) -> dict[str, Any]:
        """For the ``tool_calls`` of an assistant message.

        Unreadable arguments become ``{}``: sent back as they are, they make some endpoints refuse the
        history, and others answer nothing.
        """
        arguments = self.arguments if self.values else "{}"
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": arguments},
            **self.extra,
        }


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object in ``text``; None for anything else, however broken or deep."""
    try:
        value = foreign_json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


@dataclass
class _OpenCall:
    id: str
    index: int | None
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def is_whole(self) -> bool:
        return read_object("".join(self.pieces)) is not None


class ToolCallAssembler:
    """Takes the ``tool_calls`` entries of deltas and decides which call each one continues.

    The API says: by ``index``. In use, index and id are each left out, or repeated for different calls:

    - a new id opens a new call, whatever its index; an id with a new index is a new call too;
    - an entry without an id continues the call of its index, and without both, the last call;
    - an entry that brings a name and begins an object, after a call whose arguments are whole, opens a
      new call, also under the same id and index.
    """

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}
        self._by_id: dict[str, _OpenCall] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def feed(self, entries: object) -> None:
        """``entries`` is the delta's ``tool_calls``; what is no call is passed over."""
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                self._feed(entry)

    def _feed(self, entry: dict[str, Any]) -> None:
        function = entry.get("function")
        function = function if isinstance(function, dict) else {}
        name = _text(function.get("name"))
        arguments = _text(function.get("arguments"))
        identity = _text(entry.get("id"))
        position = entry.get("index")
        index = position if isinstance(position, int) else None
        call = self._continued(identity, index, name, arguments)
        if call is None:
            call = self._open(identity, index)
        if name and name != call.name:  # some endpoints repeat the whole name in every piece
            call.name += name
        if arguments:
            call.pieces.append(arguments)
        if isinstance(entry.get("extra_content"), dict):
            call.extra["extra_content"] = entry["extra_content"]

    def _continued(self, identity: str, index: int | None, name: str, arguments: str) -> _OpenCall | None:
        last = self._calls[-1] if self._calls else None
        if identity:
            call = self._by_id.get(identity)
            if call is None:
                opened = self._by_index.get(index) if index is not None else None
                call = opened if opened and not opened.id and not name else None
                if call:
                    call.id, self._by_id[identity] = identity, call
            elif index is not None and call.index is not None and index != call.index:
                call = self._by_index.get(index)
                call = call if call and call.id == identity else None
        elif index is None:
            call = last
            if call and name and call.name and (name != call.name or not arguments):
                call = None
        else:
            call = self._by_index.get(index)
            if call is None and not name and last and last.index is None:
                call = last
        if call and name and arguments.lstrip().startswith("{") and call.is_whole():
            return None
        return call

    def _open(self, identity: str, index: int | None) -> _OpenCall:
        call = _OpenCall(identity, index)
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        if identity:
            self._by_id[identity] = call
        return call

    def calls(self) -> tuple[ToolCall, ...]:
        """All calls in order of their first piece; missing and repeated ids are replaced."""
        taken = {call.id for call in self._calls}
        used = {""}
        calls = []
        for number, call in enumerate(self._calls, 1):
            identity = call.id
            if identity in used:
                identity = f"call_{number}"
                while identity in taken or identity in used:
                    identity += "_"
            used.add(identity)
            calls.append(ToolCall(identity, call.name, well_formed("".join(call.pieces)), call.extra))
        return tuple(calls)


def _text(value: object) -> str:
    """Strings as they are; objects, which some endpoints send for arguments, and numbers as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
