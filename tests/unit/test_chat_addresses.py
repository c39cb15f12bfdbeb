"""What is called for a base URL, and why a call may get no response."""

from __future__ import annotations

import pytest

from ibid.chat_addresses import (
    blocked_as_mixed_content,
    chat_url,
    host_of,
    is_local,
    models_url,
    unreachable_advice,
)
from ibid.errors import Unreachable

PAGE = "https://docs.example"


@pytest.mark.parametrize(
    ("base_url", "called"),
    [
        ("https://a.example/v1", "https://a.example/v1/*"),
        ("  https://a.example/v1/ \n", "https://a.example/v1/*"),
        ("https://a.example", "https://a.example/v1/*"),
        ("https://a.example/", "https://a.example/v1/*"),
        ("HTTPS://A.example/v1", "https://A.example/v1/*"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1/*"),
        ("https://a.example/v1/chat/completions/", "https://a.example/v1/*"),
        ("https://a.example/chat/completions", "https://a.example/v1/*"),
        ("https://a.example//api//v1//", "https://a.example/api/v1/*"),
        ("https://a.example/v1beta/openai/", "https://a.example/v1beta/openai/*"),
        ("https://a.example/inference", "https://a.example/inference/*"),
        ("https://a.example/models", "https://a.example/models/*"),
        (
            "https://a.example/openai/deployments/d?api-version=1",
            "https://a.example/openai/deployments/d/*?api-version=1",
        ),
        ("https://a.example/v1#top", "https://a.example/v1/*"),
        ("http://localhost:11434", "http://localhost:11434/v1/*"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/*"),
    ],
)
def test_builds_both_addresses_by_one_rule(base_url: str, called: str) -> None:
    """What is pasted is tidied; only a bare origin gets /v1; a query string stays."""
    assert chat_url(base_url) == called.replace("*", "chat/completions")
    assert models_url(base_url) == called.replace("*", "models")


@pytest.mark.parametrize(
    ("base_url", "said"),
    [
        ("", "no base URL is set"),
        ("a.example/v1", "'a.example/v1' is not a web address"),
        ("localhost:8080", "'localhost:8080' is not a web address"),
        ("ftp://a.example", "is not a web address"),
        ("javascript:alert(1)", "is not a web address"),
        ("https://", "is not a web address"),
        ("https://a.example:99999/v1", "is not a web address"),
        ("https://[::1/v1", "is not a web address"),
        ("https://a.example\\@evil.example", "is not a web address"),
        ("https://a. example/v1", "is not a web address"),
        ("https://me:secret@a.example/v1", "holds a user name or password"),
    ],
)
def test_refuses_what_is_no_address(base_url: str, said: str) -> None:
    """The value is named, but for a password in it, and the next step."""
    with pytest.raises(Unreachable, match=said) as caught:
        chat_url(base_url)
    assert caught.value.next
    assert "secret" not in str(caught.value)


def test_hosts_are_named_without_their_path() -> None:
    """A query string may hold a secret."""
    assert host_of("https://A.example:8443/v1?key=s") == "a.example:8443"
    assert host_of("nonsense") == "the endpoint"


@pytest.mark.parametrize(
    ("base_url", "local"),
    [
        ("http://localhost:1234/v1", True),
        ("http://127.0.0.1:11434", True),
        ("http://127.8.8.8", True),
        ("http://[::1]:8080", True),
        ("http://ollama.localhost", True),
        ("http://192.0.2.10:8080", False),
        ("https://localhost.example", False),
        ("nonsense", False),
    ],
)
def test_knows_an_endpoint_on_this_machine(base_url: str, local: bool) -> None:
    """It works offline, and an https page may call it over http."""
    assert is_local(base_url) is local
    assert blocked_as_mixed_content(base_url, PAGE) is (not local and base_url.startswith("http:"))
    assert not blocked_as_mixed_content(base_url, "http://docs.example")
    assert not blocked_as_mixed_content(base_url, "")


@pytest.mark.parametrize(
    ("base_url", "page", "message", "step"),
    [
        ("https://a.example/v1", "", "nothing answers", "a.example runs"),
        (
            "https://a.example/v1",
            PAGE,
            f"does not allow calls from the page's origin {PAGE}",
            "allow the origin",
        ),
        ("http://192.0.2.10:8080/v1", PAGE, "mixed content", "http://localhost"),
        ("http://192.0.2.10:8080/v1", "http://docs.example", "security policy", "https address"),
        ("http://[::1]:8080/v1", PAGE, "security policy", "http://localhost"),
        ("http://localhost:11434/v1", PAGE, "CORS", f"OLLAMA_ORIGINS={PAGE} ollama serve"),
        ("http://localhost:1234/v1", PAGE, "CORS", "lms server start --cors"),
        ("http://127.0.0.1:8000/v1", PAGE, "not running", f"--allowed-origins '[\"{PAGE}\"]'"),
        ("http://127.0.0.1:8080/v1", PAGE, "not running", "llama-server -m"),
    ],
)
def test_names_the_causes_that_fit(base_url: str, page: str, message: str, step: str) -> None:
    """A browser does not say why a call failed; the advice names what it can be, and the exact setting."""
    said, advice = unreachable_advice(base_url, page)
    assert message in said
    assert step in advice


def test_an_unknown_local_port_gets_the_setting_of_every_server() -> None:
    """The port does not tell which server it is."""
    _, advice = unreachable_advice("http://localhost:5555/v1", PAGE)
    assert all(name in advice for name in ("Ollama", "LM Studio", "vLLM", "llama.cpp"))
