"""Nothing that a model writes runs, loads or leads away (SPEC 6). The page runs under the shipped CSP."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from reader import Reader
from scripted_endpoint import Reply, ScriptedEndpoint
from site_server import SiteServer, ibid_build
from watch import Watch

SEARCH = ("search_docs", {"query": "How long are raw readings kept?"})
HOSTILE = """Ninety days [1].

<img src="https://evil.example/x.png" onerror="document.title='taken'">

<script>document.title = 'taken'</script>

[click](javascript:document.title='taken') and ![picture](https://evil.example/y.png)

<a href="data:text/html,hi">data</a> <iframe srcdoc="<p>hi</p>"></iframe>
"""


def test_a_hostile_answer_is_drawn_as_text(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """``<img>``, ``<script>`` and ``javascript:`` are words; no request leaves for another origin."""
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(SEARCH)
    endpoint.text(*[HOSTILE[i : i + 7] for i in range(0, len(HOSTILE), 7)])
    turn = reader.ask("How long are raw readings kept?")
    answer = turn.locator(".answer")
    expect(answer).to_contain_text("<script>")
    expect(answer).to_contain_text("<img src=")
    assert answer.locator("img, script, iframe, object, embed, form, style").count() == 0
    hrefs = [a.get_attribute("href") or "" for a in answer.locator("a").all()]
    assert not [href for href in hrefs if not href.startswith(("http://", "https://", "mailto:"))]
    assert reader.marks(turn)[0] == (1, True)
    assert reader.page.title() != "taken"


def test_the_policy_is_in_force(reader: Reader) -> None:
    """What the CSP forbids is refused in the browser, not only promised in a header."""
    refused = reader.page.evaluate(
        """() => new Promise((done) => {
            addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective), { once: true });
            const picture = new Image();
            picture.src = 'https://evil.example/pixel.png';
            setTimeout(() => done('nothing'), 5000);
        })"""
    )
    assert refused == "img-src"
    reader.watch.expected.append("evil.example")


def test_a_fixed_endpoint_is_the_only_one_that_can_be_reached(
    context: BrowserContext, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    """The policy allows its host and no other; the settings offer it, and take no other."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# Retention\n\nRaw readings are kept for ninety days.\n")
    (docs / "ibid.toml").write_text(
        f'endpoint_fixed = true\n[settings]\nbase_url = "{endpoint.base_url}"\nmodel = "scripted"\n'
    )
    ibid_build(docs, tmp_path / "site")
    with SiteServer(tmp_path / "site") as server, ScriptedEndpoint() as other:
        watch = Watch(context, server.url)
        watch.allow(endpoint.base_url)
        watch.expected.append("Content Security Policy")
        watch.expected.append("violates the document's")
        reader = Reader(context.new_page(), server.url, watch).open().until_ready()
        endpoint.calls(SEARCH)
        endpoint.text("Ninety days [1].")
        turn = reader.ask("How long are raw readings kept?")
        assert reader.marks(turn) == [(1, True)]
        reader.page.get_by_role("button", name="Settings", exact=True).first.click()
        reader.page.get_by_label("Base URL").fill(other.base_url)
        expect(reader.page.locator("#base-url-note")).to_contain_text("type that address, or none")
        reached = reader.page.evaluate("(url) => fetch(url).then(() => true, () => false)", other.base_url)
        assert (reached, other.requests) == (False, [])
        assert (watch.console, watch.foreign) == ([], [])


def test_an_address_can_prefill_the_box_and_nothing_else(fresh_reader: Reader) -> None:
    """``?q=`` fills the box; no parameter sets an endpoint or starts a request."""
    fresh_reader.open(
        "?q=Where+are+alerts+sent%3F&baseUrl=https://x.evil.example/v1#base=https://x.evil.example"
    )
    fresh_reader.until_ready()
    expect(fresh_reader.page.get_by_role("textbox", name="Ask a question")).to_have_value(
        "Where are alerts sent?"
    )
    expect(fresh_reader.turns).to_have_count(0)
    fresh_reader.page.get_by_role("button", name="Settings", exact=True).first.click()
    expect(fresh_reader.page.get_by_label("Base URL")).to_have_value("")


def test_a_key_is_not_sent_to_another_endpoint(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """The key is bound to the origin it was typed for."""
    with ScriptedEndpoint() as other:
        reader.choose_endpoint(endpoint.base_url, key="sk-first-77aa")
        endpoint.text("Hello.")
        endpoint.text("Hello.")
        reader.ask("How long are raw readings kept?")
        assert endpoint.requests[0].headers["authorization"] == "Bearer sk-first-77aa"
        reader.page.get_by_role("button", name="Settings", exact=True).first.click()
        reader.watch.allow(other.base_url)
        reader.page.get_by_label("Base URL").fill(other.base_url)
        reader.page.get_by_role("button", name="Save", exact=True).click()
        other.text("Hello.")
        other.text("Hello.")
        reader.ask("Where are alerts sent?")
        assert other.requests
        assert all("authorization" not in request.headers for request in other.requests)


def test_a_redirect_is_not_followed(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """A redirecting endpoint gets an error, and its target no request and no key."""
    with ScriptedEndpoint() as target:
        reader.choose_endpoint(endpoint.base_url, key="sk-first-77aa")
        endpoint.play(Reply((b"moved",), 307, {"Location": f"{target.base_url}/chat/completions"}))
        turn = reader.ask("How long are raw readings kept?")
        assert reader.status(turn) == "failed"
        assert target.requests == []
