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
        ├── Rejected            rejected              (.status, .about, .degradable)
        │   └── ContextTooLong  context_too_long
        ├── Unreachable         unreachable
        ├── Interrupted         interrupted
        ├── CutOff              cut_off
        ├── AnswerRunning       answer_running
        ├── EmptyAnswer         empty_answer
        ├── ToolText            tool_text
        └── NotSaved            not_saved

Every message names the value and the likely cause; ``TurnError.next`` is the next step, one sentence.
"""

from __future__ import annotations

from typing import ClassVar, Literal

RefusedAbout = Literal["request", "context", "key", "model", "address"]


class IbidError(Exception):
    """Base of all errors that Ibid raises on purpose."""


class SettingError(IbidError):
    """A setting is out of its range."""


class InputError(IbidError):
    """A folder, file, port or address that the user gave cannot be used."""


class RecordInvalid(IbidError):
    """A stored record has a version this code does not know."""


class TurnError(IbidError):
    """A turn cannot be completed; ``code`` is one of SPEC 4.11.

    ``next`` is one sentence for the reader: what to do now. Each kind has its usual one.
    """

    code: ClassVar[str] = "rejected"
    usual_next: ClassVar[str] = "Press Retry."

    def __init__(self, message: str, next: str = "") -> None:
        super().__init__(message)
        self.next = next or self.usual_next


class IndexInvalid(TurnError):
    """The index is damaged, of a foreign kind, or of an unknown version."""

    code = "index_invalid"
    usual_next = "Reload the page; if it stays so, the site has to be built again with `ibid build`."


class OutOfCredit(TurnError):
    """The account behind the key has no credit; waiting will not help."""

    code = "out_of_credit"
    usual_next = "Add credit to the account behind the key, or choose another endpoint in Settings."


class RateLimited(TurnError):
    """Too many requests; ``retry_after`` is in seconds, None when unknown."""

    code = "rate_limited"
    usual_next = "Wait a little, then press Retry."

    def __init__(self, message: str, retry_after: float | None = None, next: str = "") -> None:
        super().__init__(message, next)
        self.retry_after = retry_after


class Unauthorized(TurnError):
    """The endpoint refused the key."""

    code = "unauthorized"
    usual_next = "Check the API key in Settings."


class Unavailable(TurnError):
    """The service is down for now."""

    code = "unavailable"
    usual_next = "The service is down for now; press Retry in a while."


class Rejected(TurnError):
    """The endpoint refused the request, in its own words (key masked).

    ``status`` is the HTTP status, 0 when the refusal is not one of HTTP; ``about`` what it refuses.
    """

    code = "rejected"
    usual_next = "Check the base URL and the model in Settings, then press Retry."

    def __init__(
        self, message: str, next: str = "", *, status: int = 0, about: RefusedAbout = "request"
    ) -> None:
        super().__init__(message, next)
        self.status = status
        self.about = about

    @property
    def degradable(self) -> bool:
        """True if a plainer request may pass: without ``tool_choice``, then without tools (SPEC 4.2)."""
        return self.status in (400, 422) and self.about == "request"


class ContextTooLong(Rejected):
    """The conversation does not fit the model's context window."""

    code = "context_too_long"
    usual_next = "Start a new conversation, or choose a model with a larger context in Settings."

    def __init__(self, message: str, next: str = "", *, status: int = 0) -> None:
        super().__init__(message, next, status=status, about="context")


class Unreachable(TurnError):
    """No response came: offline, CORS, mixed content, or a wrong address."""

    code = "unreachable"
    usual_next = "Check the network and the base URL in Settings, then press Retry."


class Interrupted(TurnError):
    """The stream ended early, or carried an error object."""

    code = "interrupted"
    usual_next = "Any text that came is kept; press Retry to ask again."


class CutOff(TurnError):
    """The answer ended with finish reason ``length`` or ``content_filter``."""

    code = "cut_off"
    usual_next = "Any text that came is kept; press Retry, or ask for a shorter answer."


class AnswerRunning(TurnError):
    """Another answer is being written in this conversation."""

    code = "answer_running"
    usual_next = "Wait for it to end, or stop it."


class EmptyAnswer(TurnError):
    """The model gave no text, twice."""

    code = "empty_answer"
    usual_next = "Press Retry, or choose another model in Settings."


class ToolText(TurnError):
    """The model wrote a tool call as text, twice."""

    code = "tool_text"
    usual_next = "Press Retry, or choose a model that can call tools in Settings."


class NotSaved(TurnError):
    """The turn could not be stored; the text stays on screen only."""

    code = "not_saved"
    usual_next = "Copy what you want to keep, then free some storage or leave private browsing."
