"""Statuses and bodies to the error tree; the key stays out of all of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ibid.endpoint_errors import status_error, stream_error
from ibid.errors import (
    ContextTooLong,
    Interrupted,
    OutOfCredit,
    RateLimited,
    Rejected,
    TurnError,
    Unauthorized,
    Unavailable,
)
from ibid.models import Endpoint

ENDPOINT = Endpoint("https://llm.example/v1", "m", "sk-abcdefgh12345678")


def error(status: int, body: Any = "", **headers: str) -> TurnError:
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status_error(ENDPOINT, status, named, text.encode(), 1_800_000_000.0)


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, Rejected, "rejected"),
        (401, Unauthorized, "unauthorized"),
        (402, OutOfCredit, "out_of_credit"),
        (403, Unauthorized, "unauthorized"),
        (404, Rejected, "rejected"),
        (408, Unavailable, "unavailable"),
        (409, Rejected, "rejected"),
        (422, Rejected, "rejected"),
        (429, RateLimited, "rate_limited"),
        (500, Rejected, "rejected"),
        (502, Unavailable, "unavailable"),
        (503, Unavailable, "unavailable"),
        (504, Unavailable, "unavailable"),
        (307, Rejected, "rejected"),
        (0, Rejected, "rejected"),
    ],
)
@pytest.mark.parametrize("body", ["", "{}", "{", "[]", "null", "plain words", '{"error": null}', "\xff"])
def test_the_status_decides(status: int, kind: type[TurnError], code: str, body: str) -> None:
    """The table of SPEC 4.11, whatever the body; every error names the host and the next step."""
    raised = error(status, body)
    assert type(raised) is kind
    assert raised.code == code
    assert "llm.example" in str(raised)
    assert raised.next.endswith(".")


NO_CREDIT = [
    (429, openai("You exceeded your current quota, please check your plan.", "insufficient_quota")),
    (429, openai("Account is not active, please check your billing details.", "billing_not_active")),
    (400, openai("Your credit balance is too low to access the API.")),
    (403, {"error": {"message": "Insufficient balance"}}),
    (400, {"message": "insufficient_funds"}),
    (500, {"detail": "Monthly credits are exhausted"}),
    (402, {"error": {"message": "This request requires more credits, or fewer max_tokens."}}),
    (429, {"error": "You have exceeded your monthly included credits."}),
    (400, {"code": "Arrearage", "message": "Access denied."}),
    (429, {"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}}),
    (429, "out of credits"),
]


@pytest.mark.parametrize(("status", "body"), NO_CREDIT)
def test_used_up_credit_is_told_apart(status: int, body: Any) -> None:
    """Waiting will not help, also where the service says 429."""
    assert type(error(status, body)) is OutOfCredit


FOR_A_MOMENT = [
    openai("Rate limit reached for m in organization o on tokens per min (TPM). Visit /account/billing."),
    openai("Quota exceeded for metric: requests per minute, limit: 10. Please retry in 32.5s."),
    openai("Request too large for m on tokens per min (TPM): Limit 10000, Requested 12000."),
    openai("You exceeded your current quota. Please retry in 12s."),
    {"detail": "Too many requests"},
]


@pytest.mark.parametrize("body", FOR_A_MOMENT)
def test_a_passing_limit_is_not_credit(body: Any) -> None:
    """Services that call a limit per minute a quota say when to come back."""
    assert type(error(429, body)) is RateLimited


ROUTED = {
    "error": {"message": "Provider returned error", "metadata": {"raw": '{"error": "prompt is too long"}'}}
}

TOO_LONG = [
    (
        400,
        openai(
            "This model's maximum context length is 8192 tokens, you gave 9000.", "context_length_exceeded"
        ),
    ),
    (400, openai("request (9 tokens) exceeds the available context size", None, "exceed_context_size_error")),
    (400, openai("prompt is too long: 208310 tokens > 200000 maximum")),
    (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096"}),
    (400, {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081"}),
    (400, {"message": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}),
    (400, openai("The input token count (1200000) exceeds the maximum number of tokens allowed")),
    (400, {"detail": "Please reduce the length of the messages or completion."}),
    (400, openai("Input is too long for requested model.")),
    (413, {"error": {"message": "Request too large"}}),
    (413, "<html><h1>413 Request Entity Too Large</h1></html>"),
    (500, openai("the request exceeds the context window")),
    (
        400,
        {
            "error": {
                "message": "Provider returned error",
                "metadata": {"raw": '{"error": "prompt is too long"}'},
            }
        },
    ),
]


@pytest.mark.parametrize(("status", "body"), TOO_LONG)
def test_a_conversation_that_is_too_long_is_told_apart(status: int, body: Any) -> None:
    """It is never taken for a refusal of tools."""
    raised = error(status, body)
    assert type(raised) is ContextTooLong
    assert raised.code == "context_too_long"
    assert not raised.degradable


ABOUT = [
    # status, body, about, degradable
    (400, openai("'tool_choice' is not supported"), "request", True),
    (422, {"detail": [{"loc": ["body", "tools"], "msg": "extra fields not permitted"}]}, "request", True),
    (400, {"error": {"message": "registry/gemma:2b does not support tools"}}, "request", True),
    (400, openai("tool_choice: required is not supported by this model"), "request", True),
    (400, openai("max_tokens is too large: 9000. At most 4096 completion tokens."), "request", True),
    (400, "", "request", True),
    (500, openai("tools are not supported"), "request", False),
    (409, openai("tools are not supported"), "request", False),
    (400, openai("API key not valid. Please pass a valid API key.", "API_KEY_INVALID"), "key", False),
    (400, openai("Incorrect API key provided"), "key", False),
    (
        404,
        openai("The model `x` does not exist or you do not have access to it.", "model_not_found"),
        "model",
        False,
    ),
    (400, openai("x is not a valid model ID"), "model", False),
    (404, {"error": {"message": 'model "x" not found, try pulling it first'}}, "model", False),
    (400, {"error": "unknown model: x"}, "model", False),
    (400, openai("The model x has been decommissioned"), "model", False),
    (400, openai("you must provide a model parameter"), "model", False),
    (404, {"detail": "Not Found"}, "address", False),
    (405, {"detail": "Method Not Allowed"}, "address", False),
    (404, "<!DOCTYPE html><title>404</title>", "address", False),
    (302, "", "address", False),
]


@pytest.mark.parametrize(("status", "body", "about", "degradable"), ABOUT)
def test_says_what_a_refusal_is_about(status: int, body: Any, about: str, degradable: bool) -> None:
    """Only a 400 or 422 that is not about context, credit, the key or the model may pass without tools."""
    raised = error(status, body)
    assert isinstance(raised, Rejected)
    assert (raised.about, raised.degradable, raised.status) == (about, degradable, status)


WORDS: list[Any] = [
    {"error": {"message": "no\n\x00 way"}},
    {"error": "no way"},
    {"message": "no way"},
    {"detail": "no way"},
    {"errors": [{"message": "no way"}]},
    [{"error": {"message": "no way"}}],
    "no way",
]


@pytest.mark.parametrize("body", WORDS)
def test_the_services_own_words_are_shown(body: Any) -> None:
    """On one line, in whichever of the forms in use they come."""
    assert "“no way”" in str(error(400, body))


def test_the_words_of_a_validation_name_the_field_and_are_cut() -> None:
    """As one web framework writes them; a body of any size stays a sentence."""
    assert "“body.tools.0: bad”" in str(error(422, {"detail": [{"loc": ["body", "tools", 0], "msg": "bad"}]}))
    assert len(str(error(400, "x" * 10_000))) < 500
    assert "without saying why" in str(error(400))


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "application/json", ""])
@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_web_page_is_never_shown(status: int, content_type: str) -> None:
    """The reader is told to check the base address instead."""
    raised = error(status, "<!doctype html><script>alert(1)</script><p>Sign in", content_type=content_type)
    assert "answered with a web page" in str(raised)
    assert "check the base address" in str(raised)
    assert "script" not in str(raised)
    assert "script" not in str(error(502, "<html><script></script></html>", content_type=content_type))


def test_a_redirect_is_refused_with_the_reason() -> None:
    """The target's host is named, no more of it."""
    raised = error(301, "", location="https://other.example/v1?token=t")
    assert "redirects to other.example; that is not followed" in str(raised)
    assert "token" not in str(raised)
    assert "llm.example redirects;" in str(error(302, "", location="/login"))


ECHOES = [
    "sk-abcdefgh12345678",
    "sk-abcde***5678",
    "sk-****5678",
    "…5678",
    "abcdefgh1234",
    "SK-ABCDEFGH12345678",
    "key=sk-abcdefgh12345678;",
    "sk-otherkey99999999",
]


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("status", [400, 401, 402, 429, 503])
def test_the_key_is_masked(echo: str, status: int) -> None:
    """Whole, in part, starred, in another case, or another's: no key is shown."""
    said = str(error(status, openai(f"Incorrect API key provided: {echo}. Try again.")))
    assert "[key]" in said
    for piece in ("sk-", "abcdef", "5678", "ABCD", "other"):
        assert piece not in said


def test_a_very_short_key_is_masked_as_a_word_only() -> None:
    """It cannot be told from a part of another word."""
    short = Endpoint("https://llm.example/v1", "m", "ab")
    said = str(status_error(short, 400, {}, b"Wrong key: ab. About tables.", 0.0))
    assert "“Wrong key: [key]. About tables.”" in said


def test_a_missing_key_is_said_to_be_missing() -> None:
    """401 without a key is not a wrong key."""
    raised = status_error(Endpoint("https://llm.example/v1", "m"), 401, {}, b"", 0.0)
    assert "wants an API key, and none is set" in str(raised)


def test_an_error_inside_a_stream() -> None:
    """It interrupts; before anything came, credit and length are still told apart."""
    overloaded = stream_error(ENDPOINT, {"message": "overloaded", "code": 502}, started=False)
    assert type(overloaded) is Interrupted
    assert "“overloaded”" in str(overloaded)
    assert type(stream_error(ENDPOINT, {"message": "Insufficient credits"}, started=False)) is OutOfCredit
    assert type(stream_error(ENDPOINT, "context length exceeded", started=False)) is ContextTooLong
    assert type(stream_error(ENDPOINT, "context length exceeded", started=True)) is Interrupted


def test_deep_bodies_do_no_harm() -> None:
    """Nested beyond reason, a body says nothing."""
    assert type(error(400, "[" * 100_000)) is Rejected
    assert type(error(400, '{"error":' * 200 + "1" + "}" * 200)) is Rejected
