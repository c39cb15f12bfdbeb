"""The one frozen ``Settings`` value; every rule reads it, none hard-codes (SPEC 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ibid.errors import SettingError


@dataclass(frozen=True)
class Settings:
    """All settings with their defaults.

    ``relevance_threshold`` None means: use the index's fitted one (never below the floor).
    ``runner_up_share``: beside the best page another is cited only if its fused score reaches this share of
    the best one's; 0 cites every page that clears the floor.
    Raises SettingError naming the setting, its value and the allowed range.
    """

    relevance_threshold: float | None = None
    source_usefulness_floor: float = 0.35
    top_n_docs: int = 2
    runner_up_share: float = 0.92
    related_max_docs: int = 2
    candidates: int = 50
    max_tool_rounds: int = 6
    history_messages: int = 20
    history_chars: int = 32_000
    base_url: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        for name, rule in _RULES.items():
            value = getattr(self, name)
            if not rule.holds(value):
                raise SettingError(f"{name} is {value!r}; allowed: {rule.allowed}")
        threshold = self.relevance_threshold
        if threshold is not None and threshold < self.source_usefulness_floor:
            raise SettingError(
                f"relevance_threshold is {threshold!r}; allowed: "
                f"from source_usefulness_floor ({self.source_usefulness_floor}) to 1"
            )

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from JSON or TOML values; an unknown name or a wrong type is a SettingError."""
        known = {f.name: f for f in fields(cls)}
        for name in values:
            if name not in known:
                raise SettingError(f"{name!r} is no setting; known: {', '.join(sorted(known))}")
        return cls(**values)

    def with_environment(self, environment: Mapping[str, str]) -> Settings:
        """Overridden by ``IBID_<NAME>``; text is read as the setting's own type."""
        values = asdict(self)
        for name, rule in _RULES.items():
            variable = f"IBID_{name.upper()}"
            text = environment.get(variable)
            if text is None:
                continue
            values[name] = rule.read_text(text)
            if not rule.holds(values[name]):
                raise SettingError(f"{variable} is {text!r}; {name} is allowed: {rule.allowed}")
        return Settings(**values)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, the inverse of :meth:`from_mapping`."""
        return asdict(self)


@dataclass(frozen=True)
class _Rule:
    """``allowed`` says in words what ``holds`` decides; ``read_text`` returns text that it cannot read."""

    allowed: str
    holds: Callable[[Any], bool]
    read_text: Callable[[str], Any] = str


def _number(low: float, high: float, *, optional: bool = False) -> _Rule:
    def holds(value: Any) -> bool:
        if value is None:
            return optional
        return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high

    return _Rule(f"a number from {low} to {high}", holds, lambda text: _read(float, text))


def _whole(low: int, high: int = 10_000_000) -> _Rule:
    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return _Rule(f"a whole number from {low} to {high}", holds, lambda text: _read(int, text))


def _read(kind: type[int] | type[float], text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        return text


def _is_address(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if value == "":
        return True
    from urllib.parse import urlsplit  # 12 ms of a browser's start, which seldom needs it

    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    # ``urlsplit`` drops line ends without a word.
    is_plain = not re.search(r"[\s\\<>\"'\x00-\x1f\x7f]", value)
    return is_plain and parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc


_RULES: dict[str, _Rule] = {
    "relevance_threshold": _number(0, 1, optional=True),
    "source_usefulness_floor": _number(0, 1),
    "top_n_docs": _whole(1),
    "runner_up_share": _number(0, 1),
    "related_max_docs": _whole(0),
    "candidates": _whole(1),
    "max_tool_rounds": _whole(1),
    "history_messages": _whole(0),
    "history_chars": _whole(0),
    "base_url": _Rule("empty, or an http(s) address without a name or password in it", _is_address),
    "model": _Rule("text", lambda value: isinstance(value, str)),
}
