"""What PyScript runs in the worker: the functions that the page may call, each imported when it is called.

PyScript swallows what this file itself raises, and later calls then fail oddly. So nothing here can fail,
and what goes wrong at the start reaches the page as the reply of ``boot``.
"""

import json


def _exported(name):
    async def call(text):
        from ibid.browser import main

        return await getattr(main, name)(text)

    return call


async def boot(text):
    try:
        from ibid.browser import main

        return await main.boot(text)
    except Exception as error:
        message = f"The engine could not start ({type(error).__name__}: {error})."
        failure = {"code": "index_invalid", "message": message, "next": "Reload the page."}
        return json.dumps({"title": "", "starters": [], "error": failure})


ask = _exported("ask")
passage = _exported("passage")
passages = _exported("passages")
preview = _exported("preview")
regenerate = _exported("regenerate")
retry = _exported("retry")
stop = _exported("stop")
switch_version = _exported("switch_version")
test_connection = _exported("test_connection")

__export__ = [
    "ask",
    "boot",
    "passage",
    "passages",
    "preview",
    "regenerate",
    "retry",
    "stop",
    "switch_version",
    "test_connection",
]
