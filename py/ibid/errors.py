"""The exceptions of Ibid, one tree.

::

    IbidError
    ├── SettingError            a setting out of its range (name, value, allowed range)
    ├── InputError              what the user gave cannot be used (folder, file, port, address)
    ├── IndexInvalid            a damaged, foreign or unknown-version index       code index_invalid
    ├── RecordInvalid           a stored turn of an unknown version
    └── TurnError               a turn that ended in an error frame (SPEC 4.11)
        ├── OutOfCredit         out_of_credit
        ├── RateLimited         rate_limited          (.retry_after seconds or None)
        ├── Unauthorized        unauthorized
        ├── Unavailable         unavailable
        ├── Rejected            rejected
        │   └── ContextTooLong  context_too_long
        ├── Unreachable         unreachable
        ├── Interrupted         interrupted
        ├── CutOff              cut_off
        ├── AnswerRunning       answer_running
        ├── EmptyAnswer         empty_answer
        ├── ToolText            tool_text
        └── NotSaved            not_saved

Every message names the value, the likely cause and the next step.
"""

from __future__ import annotations

from typing import ClassVar


class IbidError(Exception):
    """Base of all errors that Ibid raises on purpose."""


class SettingError(IbidError):
    """A setting is out of its range."""


class InputError(IbidError):
    """A folder, file, port or address that the user gave cannot be used."""


class RecordInvalid(IbidError):
    """A stored record has a version this code does not know."""


class TurnError(IbidError):
    """A turn cannot be completed; ``code`` is one of SPEC 4.11."""

    code: ClassVar[str] = "rejected"


class IndexInvalid(TurnError):
    """The index is damaged, of a foreign kind, or of an unknown version."""

    code = "index_invalid"


class OutOfCredit(TurnError):
    """The account behind the key has no credit; waiting will not help."""

    code = "out_of_credit"


class RateLimited(TurnError):
    """Too many requests; ``retry_after`` is in seconds, None when unknown."""

    code = "rate_limited"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unauthorized(TurnError):
    """The endpoint refused the key."""

    code = "unauthorized"


class Unavailable(TurnError):
    """The service is down for now."""

    code = "unavailable"


class Rejected(TurnError):
    """The endpoint refused the request, in its own words (key masked)."""

    code = "rejected"


class ContextTooLong(Rejected):
    """The conversation does not fit the model's context window."""

    code = "context_too_long"


class Unreachable(TurnError):
    """No response came: offline, CORS, mixed content, or a wrong address."""

    code = "unreachable"


class Interrupted(TurnError):
    """The stream ended early, or carried an error object."""

    code = "interrupted"


class CutOff(TurnError):
    """The answer ended with finish reason ``length`` or ``content_filter``."""

    code = "cut_off"


class AnswerRunning(TurnError):
    """Another answer is being written in this conversation."""

    code = "answer_running"


class EmptyAnswer(TurnError):
    """The model gave no text, twice."""

    code = "empty_answer"


class ToolText(TurnError):
    """The model wrote a tool call as text, twice."""

    code = "tool_text"


class NotSaved(TurnError):
    """The turn could not be stored; the text stays on screen only."""

    code = "not_saved"
