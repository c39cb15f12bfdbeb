"""Inside the worker of a built site: a query to its ranked hits, and our part of a streamed delta.

``PYTHONPATH=tests/support python tests/bench/worker.py SITE`` prints a table. Queries are timed in batches,
since the worker's clock has steps of 0.1 ms. A delta is timed whole, from a real socket to the drawn page:
transport, parser, tree, messages, the store's checkpoints and drawing, at 8,000 characters of answer.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import chat_chunks
from chromium import FLAGS, chromium_path
from endpoint_script import Hold, Part, Reply
from reader import Reader
from scripted_endpoint import ScriptedEndpoint
from site_server import SiteServer
from watch import Watch

QUESTIONS = (
    "How do I stream a response?",
    "How do I read an uploaded file?",
    "run a background task after the response",
    "TestClient websocket_connect",
    "what is the best pizza topping in Naples",
    "StaticFiles html=True",
)
ROUNDS = 20
LENGTH = 8_000
DELTAS = 500

_EXPORTED = """

async def bench(text):
    from time import perf_counter

    from ibid.browser import main

    call = json.loads(text)
    plan = main._running().retriever.plan
    for question in call["questions"]:
        await plan(question)
    start = perf_counter()
    for _ in range(call["rounds"]):
        for question in call["questions"]:
            await plan(question)
    return json.dumps((perf_counter() - start) * 1000 / (call["rounds"] * len(call["questions"])))


__export__.append("bench")
"""
_CALL = """async ({ questions, rounds }) => {
    const start = document.querySelector('script[src$="start.js"]').src;
    const { bridge } = await import(start);
    return bridge.call('bench', { questions, rounds });
}"""
_UNTIL_DONE = """async () => {
    const start = performance.now();
    const turn = document.querySelector('article.turn:last-of-type');
    while (turn.dataset.status === 'streaming') await new Promise((done) => setTimeout(done, 5));
    return performance.now() - start;
}"""


def main(site: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver, ScriptedEndpoint() as endpoint:
        copy = Path(shutil.copytree(site, Path(folder) / "site"))
        (worker,) = copy.glob("runtime/*/worker.py")
        worker.write_text(worker.read_text() + _EXPORTED)
        with (
            SiteServer(copy) as server,
            driver.chromium.launch(executable_path=chromium_path(), args=FLAGS) as browser,
            browser.new_context(service_workers="block") as context,
        ):
            reader = Reader(context.new_page(), server.url, Watch(context, server.url))
            reader.open().until_ready()
            query = reader.page.evaluate(_CALL, {"questions": QUESTIONS, "rounds": ROUNDS})
            delta = delta_milliseconds(reader, endpoint)
    print(f"{'inside the worker, ms':48}{'measured':>10}{'allowed':>9}")
    print(f"{'query to ranked hits':48}{query:10.2f}{10:9}")
    print(f"{f'a delta of 4 characters at {LENGTH:,}, all in':48}{delta:10.2f}{3:9}")


def delta_milliseconds(reader: Reader, endpoint: ScriptedEndpoint) -> float:
    sentence = "The response is sent in chunks, each as soon as the generator yields it [1]. "
    text = "".join(sentence if n % 5 else f"{sentence}\n\n" for n in range(LENGTH // len(sentence) + 1))
    hold = Hold()
    more: list[Part] = [chat_chunks.text(sentence[n % 70 : n % 70 + 4]) for n in range(DELTAS)]
    end: list[Any] = [chat_chunks.finish(), chat_chunks.DONE]
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(("search_docs", {"query": QUESTIONS[0]}))
    endpoint.play(Reply([chat_chunks.text(text), hold, *more, *end]))
    reader.type_question(QUESTIONS[0])
    hold.reached.wait()
    reader.page.wait_for_function(
        "document.querySelector('.answer').textContent.length > 7000", timeout=60_000
    )
    hold.release()
    total: float = reader.page.evaluate(_UNTIL_DONE)
    return total / DELTAS


if __name__ == "__main__":
    main(Path(sys.argv[1]))
