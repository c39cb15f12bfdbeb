"""The one frozen ``Settings`` value; every rule reads it, none hard-codes (SPEC 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from ibid.errors import SettingError


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults.

    ``relevance_threshold`` None means: use the index's fitted one (never below the floor).
    Raises SettingError naming the setting, its value and the allowed range.
    """

    relevance_threshold: float | None = None
    source_usefulness_floor: float = 0.35
    top_n_docs: int = 2
    related_max_docs: int = 2
    candidates: int = 50
    max_tool_rounds: int = 6
    history_messages: int = 20
    history_chars: int = 32_000
    base_url: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        for name, (allowed, holds) in _RANGES.items():
            value = getattr(self, name)
            if not holds(value):
                raise SettingError(f"{name} is {value!r}; allowed: {allowed}")
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
        for name, value in values.items():
            text = environment.get(f"IBID_{name.upper()}")
            if text is not None:
                values[name] = _parse(name, text, value)
        return Settings(**values)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, the inverse of :meth:`from_mapping`."""
        return asdict(self)


def _parse(name: str, text: str, default: Any) -> Any:
    if isinstance(default, str):
        return text
    kind: type[int] | type[float] = int if isinstance(default, int) else float
    try:
        return kind(text)
    except ValueError:
        noun = "a whole number" if kind is int else "a number"
        raise SettingError(f"IBID_{name.upper()} is {text!r}; allowed: {noun}") from None


def _number(low: float, high: float) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and math.isfinite(value) and low <= value <= high

    return holds


def _whole(low: int, high: int = 10_000_000) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return holds


def _address(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if value == "":
        return True
    parts = urlsplit(value)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


_unit = _number(0, 1)

_RANGES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "relevance_threshold": ("a number from 0 to 1", lambda v: v is None or _unit(v)),
    "source_usefulness_floor": ("a number from 0 to 1", _unit),
    "top_n_docs": ("a whole number, 1 or more", _whole(1)),
    "related_max_docs": ("a whole number, 0 or more", _whole(0)),
    "candidates": ("a whole number, 1 or more", _whole(1)),
    "max_tool_rounds": ("a whole number, 1 or more", _whole(1)),
    "history_messages": ("a whole number, 0 or more", _whole(0)),
    "history_chars": ("a whole number, 0 or more", _whole(0)),
    "base_url": ("empty, or an http(s) address without a name or password in it", _address),
    "model": ("text", lambda v: isinstance(v, str)),
}
