"""What a command noticed about the documentation; the build report and ``ibid check`` share it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the maintainer should know.

    ``page`` is the file's path ("" = the whole tree), ``line`` is 1-based (0 = no line),
    ``what`` says what was found, ``next`` what to do about it.
    """

    severity: Severity
    page: str
    line: int
    what: str
    next: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, in the field order of SPEC 8."""
        return asdict(self)

    def __str__(self) -> str:
        place = f"{self.page}:{self.line}: " if self.line else f"{self.page}: " if self.page else ""
        advice = f" ({self.next})" if self.next else ""
        return f"{self.severity}: {place}{self.what}{advice}"
