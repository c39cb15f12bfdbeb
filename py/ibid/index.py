"""The index as one value: what the browser holds of a documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ibid.calibration import PiecewiseLinear
from ibid.embedding import StaticEncoder
from ibid.index_parts import Manifest, damaged, read_json, read_text
from ibid.lexicon import Lexicon
from ibid.models import Chunk
from ibid.ports import AssetLoader
from ibid.shards import Shards, shard_name
from ibid.vectors import ShardedVectors

HELD_SHARDS = 8
REPORT = "report"  # the part that holds the build's findings; no reader's browser asks for it

IndexKind = Literal["dense", "lexical"]


@dataclass(frozen=True)
class PageEntry:
    """One page: its chunks are the ordinals from ``first`` on, ``count`` of them, texts in ``shard``."""

    source: str
    path: str
    url: str
    title: str
    first: int
    count: int
    shard: int


@dataclass(frozen=True)
class Dense:
    """What a lexical index lacks: chunk vectors (int8 [chunks, dim], one scale) and the query encoder.

    Of more than ``MANY`` vectors only the signs are at hand.
    """

    vectors: NDArray[np.int8] | ShardedVectors
    scale: float
    encoder: StaticEncoder
    encoder_id: str


@dataclass(frozen=True)
class Calibration:
    """Maps to the common scale on which 0.35 separates best: cosine, relevance, and coverage alone."""

    cosine: PiecewiseLinear
    relevance: PiecewiseLinear
    coverage: PiecewiseLinear


@dataclass(frozen=True)
class Index:
    """An open index. Texts are fetched by shard when they are asked for; the last eight shards are held.

    ``chunk_page`` int32 [chunks] is each chunk's page number, ``chunk_ids`` uint64 [chunks] its id as a
    number; ``language`` (ISO 639-1) tells which endings its terms lack; ``figures`` are the build's own
    measurements. Made by :func:`ibid.index_format.open_index`.
    """

    build: str
    title: str
    language: str
    pages: tuple[PageEntry, ...]
    chunk_page: NDArray[np.int32]
    chunk_ids: NDArray[np.uint64]
    lexicon: Lexicon
    dense: Dense | None
    calibration: Calibration
    threshold: float
    figures: Mapping[str, Any]
    _loader: AssetLoader = field(repr=False)
    _manifest: Manifest = field(repr=False)
    _page_of_path: dict[str, int] = field(default_factory=dict, repr=False)
    _shards: Shards[dict[int, Chunk]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        loose = {_loose(page.path): number for number, page in reversed(list(enumerate(self.pages)))}
        exact = {page.path: number for number, page in reversed(list(enumerate(self.pages)))}
        self._page_of_path.update(loose | exact)
        object.__setattr__(self, "_shards", Shards(self._read_texts, HELD_SHARDS))  # frozen for all others

    @property
    def kind(self) -> IndexKind:
        """``lexical`` where the encoder does not know the documentation's language (SPEC 5)."""
        return "dense" if self.dense is not None else "lexical"

    def chunk_id(self, ordinal: int) -> str:
        """The chunk's id, 16 hex digits."""
        return f"{int(self.chunk_ids[ordinal]):016x}"

    def ordinal_of(self, chunk_id: str) -> int | None:
        """The chunk's ordinal; None when this index does not hold it."""
        try:
            number = int(chunk_id, 16)
        except ValueError:
            return None
        if not 0 <= number < 2**64:
            return None
        found = np.flatnonzero(self.chunk_ids == np.uint64(number))
        return int(found[0]) if len(found) else None

    def find_page(self, path: str) -> int | None:
        """The page's number. A leading ``/`` or ``./``, an anchor and a missing extension are forgiven."""
        number = self._page_of_path.get(path)
        return self._page_of_path.get(_loose(path)) if number is None else number

    async def chunks(self, ordinals: Sequence[int]) -> list[Chunk]:
        """The chunks in the order asked for. Raises IndexInvalid when a shard cannot be used."""
        shard_of = {ordinal: self.pages[self.chunk_page[ordinal]].shard for ordinal in ordinals}
        shards = await self._shards.get_all(shard_of.values())
        return [shards[shard_of[ordinal]][ordinal] for ordinal in ordinals]

    async def page_chunks(self, page_number: int) -> list[Chunk]:
        """All chunks of a page, in order. Raises IndexInvalid."""
        page = self.pages[page_number]
        return await self.chunks(range(page.first, page.first + page.count))

    async def verify(self) -> None:
        """Reads all there is, texts and shards too, each part against its hash. Raises IndexInvalid."""
        for name in self._manifest.parts:
            await read_text(self._loader, self._manifest, name)
        for number in range(self.pages[-1].shard + 1):
            await self._shards.get(number)

    async def report(self) -> list[dict[str, Any]]:
        """What the build noticed, one finding each; for ``ibid check``. Raises IndexInvalid."""
        rows = read_json(await read_text(self._loader, self._manifest, REPORT), REPORT)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise damaged(REPORT, "it is not a list of findings")
        return rows

    async def _read_texts(self, number: int) -> dict[int, Chunk]:
        name = shard_name("texts", number)
        rows = read_json(await read_text(self._loader, self._manifest, name), name)
        return self._chunks_of(name, rows, number)

    def _chunks_of(self, name: str, rows: Any, shard: int) -> dict[int, Chunk]:
        """A shard is a list of ``[anchor, heading path, text, start, end, line]``, in order of ordinals."""
        places = [
            (page, ordinal)
            for page in self.pages
            if page.shard == shard
            for ordinal in range(page.first, page.first + page.count)
        ]
        if not isinstance(rows, list) or len(rows) != len(places):
            raise damaged(name, f"it does not hold the {len(places)} passages of its pages")
        found: dict[int, Chunk] = {}
        for (page, ordinal), row in zip(places, rows, strict=True):
            match row:
                case [str(anchor), list(path), str(text), int(start), int(end), int(line)]:
                    found[ordinal] = Chunk(
                        id=self.chunk_id(ordinal),
                        source=page.source,
                        path=page.path,
                        url=page.url,
                        title=page.title,
                        anchor=anchor,
                        heading_path=tuple(map(str, path)),
                        text=text,
                        start=start,
                        end=end,
                        line=line,
                    )
                case _:
                    raise damaged(name, f"the passage with ordinal {ordinal} has another form")
        return found


def _loose(path: str) -> str:
    """A page's path as somebody may write it: no anchor, no leading marks, no extension."""
    path = path.split("#")[0].split("?")[0].removeprefix("./").strip("/")
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)
