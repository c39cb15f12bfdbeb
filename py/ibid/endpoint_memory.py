"""What endpoints were found not to take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ibid.models import Endpoint

OptionalField = Literal["max_tokens", "max_completion_tokens", "stream_options", "tool_choice", "tools"]


@dataclass
class EndpointMemory:
    """Which optional fields an endpoint refused, by base URL and model; they are not sent again.

    The client learns ``stream_options`` and the limit's name by itself. ``tool_choice`` and ``tools`` are
    the turn engine's to learn (SPEC 4.2); ``tools`` refused means one-shot.
    """

    _refused: dict[tuple[str, str], set[OptionalField]] = field(default_factory=dict)

    def refused(self, endpoint: Endpoint) -> frozenset[OptionalField]:
        """The fields that this endpoint does not take."""
        return frozenset(self._refused.get((endpoint.base_url, endpoint.model), ()))

    def remember(self, endpoint: Endpoint, *fields: OptionalField) -> None:
        """Leave these fields out of every later request to this endpoint."""
        self._refused.setdefault((endpoint.base_url, endpoint.model), set()).update(fields)
