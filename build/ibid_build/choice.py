"""Which query encoder serves a documentation: the one that knows its words, or the maintainer's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ibid_build.encoder import Asset, EncoderName, load_encoder

EncoderChoice = EncoderName | Literal["", "none"]
"""What ``ibid.toml`` may say; nothing leaves it to the documentation's own words."""

MAX_UNKNOWN: Mapping[EncoderName, float] = {"english": 0.35, "multilingual": 0.27}
"""Share of tokens that are no whole known words, above which an encoder does not serve.

English documentation has .08 to .26 (command output is highest) of the English encoder's, translations of
one manual into eight languages .04 (Chinese) to .24 (Russian) of the multilingual one's; into Catalan .29 and
Italian .42, which neither encoder was made for.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """``asset`` serves, or it does not and the index is lexical.

    ``unknown`` (0..1) is its share of tokens that are no whole known words. ``language`` is that of most
    passages (or what the maintainer said), ``en`` where it is none that an encoder knows.
    """

    asset: Asset
    serves: bool
    unknown: float
    language: str


def choose_encoder(texts: Sequence[str], wanted: EncoderChoice = "", named: str = "") -> Choice:
    """For ``texts``, all of a documentation's passages; ``named`` is their language tag, if it was said."""
    multilingual = load_encoder("multilingual")
    language = named.split("-")[0].lower() or multilingual.languages[int(multilingual.votes(texts).argmax())]
    if wanted == "" or wanted == "none":
        asset = load_encoder("english") if language == "en" else multilingual
    else:
        asset = load_encoder(wanted)
    unknown = round(asset.encoder.unknown_share("\n".join(texts)), 4)
    known = unknown <= MAX_UNKNOWN[asset.name]
    serves = wanted == asset.name or (wanted == "" and known)
    return Choice(asset, serves, unknown, language if known or named else "en")
