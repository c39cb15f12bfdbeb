"""What PyScript runs in the worker. What can fail does so inside ``boot``, where the page hears of it."""

from ibid.browser.main import (
    ask,
    boot,
    hold_texts,
    passage,
    passages,
    preview,
    regenerate,
    retry,
    stop,
    switch_version,
    test_connection,
)

__export__ = [
    "ask",
    "boot",
    "hold_texts",
    "passage",
    "passages",
    "preview",
    "regenerate",
    "retry",
    "stop",
    "switch_version",
    "test_connection",
]
