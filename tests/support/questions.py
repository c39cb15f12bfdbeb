"""Questions of every kind, to ask the small documentation on every host."""

from __future__ import annotations

QUESTIONS = (
    "How long are raw readings kept?",
    "install the station",
    "Alarm when the water rises above a threshold",
    "tide_offset",
    "--dry-run",
    "retention.raw_days = 90",
    "calibrat the gage",
    "what is the best pizza in Naples?",
    "export readings to CSV without the header",
    "not",
    "radio",
    "??",
    "!!!",
    "",
    "水位 Grüße naïve",
    "Traceback (most recent call last):\n"
    + "".join(f'  File "/srv/app/mod{n}.py", line {n}, in step\n    step(gauge)\n' for n in range(40))
    + "tidewatch.errors.RadioTimeout: no reading within 30s\n",
    "reading " * 2_000,
)
