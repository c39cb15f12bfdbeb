"""An endpoint's refusal, read into the error tree (SPEC 4.11).

The status decides, but for two things that services report under many statuses and that the reader must
act on differently: credit used up, and a conversation too long for the model.
"""

from __future__ import annotations

from collections.abc import Mapping

from ibid.chat_addresses import host_of
from ibid.errors import (
    ContextTooLong,
    Interrupted,
    OutOfCredit,
    RateLimited,
    RefusedAbout,
    Rejected,
    TurnError,
    Unauthorized,
    Unavailable,
)
from ibid.models import Endpoint
from ibid.refusal_words import (
    evidence_in,
    is_web_page,
    own_words,
    read_body,
    refused_about,
    says_no_credit,
    says_too_long,
)
from ibid.retry_after import in_words, retry_after

_NEXT: dict[RefusedAbout, str] = {
    "request": "",
    "context": "",
    "key": "Check the API key in Settings.",
    "model": "Check the model's name in Settings.",
    "address": "Check the base URL in Settings: it usually ends in /v1.",
}


def web_page_error(endpoint: Endpoint, status: int) -> Rejected:
    """A web page where an API should be: of a proxy, a login, or the site next to the API."""
    return Rejected(
        f"{host_of(endpoint.base_url)} answered with a web page, not as a model endpoint "
        f"(status {status}); check the base address.",
        _NEXT["address"],
        status=status,
        about="address",
    )


def no_completion_error(endpoint: Endpoint, status: int) -> Rejected:
    """JSON of another API."""
    return Rejected(
        f"{host_of(endpoint.base_url)} answered with JSON that is no chat completion (status {status}).",
        _NEXT["address"],
        status=status,
        about="address",
    )


def redirect_error(endpoint: Endpoint, status: int, location: str) -> Rejected:
    """A redirect; ``status`` is 0 where a browser hides it."""
    target = f" to {host_of(location)}" if location.lower().startswith(("http:", "https:")) else ""
    return Rejected(
        f"{host_of(endpoint.base_url)} redirects{target}; that is not followed, because the key is bound "
        "to the address it was entered for.",
        "If you trust the new address, enter it as the base URL in Settings.",
        status=status,
        about="address",
    )


def status_error(
    endpoint: Endpoint, status: int, headers: Mapping[str, str], body: bytes, now: float
) -> TurnError:
    """The error for a response whose status is not 2xx; ``now`` in seconds since the epoch."""
    host = host_of(endpoint.base_url)
    if 300 <= status < 400 or status == 0:
        return redirect_error(endpoint, status, headers.get("location", ""))
    text = body.decode("utf-8", "replace")
    page = is_web_page(headers.get("content-type", ""), text)
    said = "" if page else read_body(text)
    evidence, words = evidence_in(said), _quoted(own_words(said, endpoint.key))
    if status == 402 or says_no_credit(status, evidence):
        return OutOfCredit(f"The account at {host} has no credit left; waiting will not help{words or '.'}")
    if status == 429:
        return _rate_limited(host, retry_after(headers, evidence, now), words)
    if status in (401, 403):
        key = "refused the API key" if endpoint.key else "wants an API key, and none is set"
        return Unauthorized(
            f"{host} {key} (status {status}){words or '.'}", f"Check the API key for {host} in Settings."
        )
    if status in (408, 502, 503, 504):
        return Unavailable(f"{host} is not available now (status {status}){words or '.'}")
    if status == 413 or says_too_long(evidence):
        return ContextTooLong(
            f"The conversation is longer than the model at {host} can take in{words or '.'}", status=status
        )
    if page:
        return web_page_error(endpoint, status)
    about = refused_about(status, evidence)
    why = words or ", without saying why."
    return Rejected(
        f"{host} refused the request (status {status}){why}", _NEXT[about], status=status, about=about
    )


def stream_error(endpoint: Endpoint, error: object, *, started: bool) -> TurnError:
    """The error for an error object (or text) inside a 200 response.

    Before anything of an answer came, credit and context length are told apart as for a status; after
    that the answer is simply cut off.
    """
    host, words = host_of(endpoint.base_url), _quoted(own_words(error, endpoint.key))
    if not started:
        evidence = evidence_in(error)
        if says_no_credit(200, evidence):
            return OutOfCredit(
                f"The account at {host} has no credit left; waiting will not help{words or '.'}"
            )
        if says_too_long(evidence):
            return ContextTooLong(
                f"The conversation is longer than the model at {host} can take in{words or '.'}"
            )
        return Interrupted(f"{host} sent an error in place of an answer{words or '.'}", "Press Retry.")
    return Interrupted(f"{host} broke off the answer with an error{words or '.'}")


def _rate_limited(host: str, wait: float | None, words: str) -> RateLimited:
    if wait is None:
        return RateLimited(f"{host} is asked too often at the moment{words or '.'}")
    span = in_words(wait)
    return RateLimited(
        f"{host} is asked too often; it says to wait {span}{words or '.'}",
        wait,
        f"Wait {span}, then press Retry.",
    )


def _quoted(words: str) -> str:
    return f": “{words}”." if words else ""
