"""Files of the index: one manifest and its parts, written deterministically, read only when sound.

``index/manifest.json`` names every part with its file, bytes, SHA-256 and, for arrays, dtype and shape. All
of these are of the part as it is read, before compression: a host may undo gzip on its own. Arrays are
``.npy`` (NEP 1) without objects; texts are JSON or lines of UTF-8.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ibid import foreign_json
from ibid.errors import IndexInvalid
from ibid.ports import AssetLoader

SCHEMA_VERSION = 3
FORMAT = "ibid-index"
FOLDER = "index"
MANIFEST = f"{FOLDER}/manifest.json"

Array = NDArray[Any]
Part = Array | bytes
"""An array, or the bytes of a text."""

REBUILD = "Reload the page, or publish the whole folder again; if that does not help, build it: ibid build"
_LARGEST_MANIFEST = 16 * 2**20
_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9]+)+")
_DTYPES = frozenset({"|i1", "|u1", "<u2", "<u4", "<u8", "<f4"})
_NPY_MAGIC = b"\x93NUMPY\x01\x00"
_GZIP_GAIN = 0.95  # a part that shrinks less is shipped as it is
_GZIP_MAGIC = b"\x1f\x8b"
_ARRAY_LIMIT = 2**31


@dataclass(frozen=True)
class PartEntry:
    """What the manifest says of one part; ``dtype`` and ``shape`` are None for texts."""

    file: str
    bytes: int
    sha256: str
    dtype: str | None
    shape: tuple[int, ...] | None


@dataclass(frozen=True)
class Manifest:
    """The manifest: ``about`` holds everything beside the parts, as :mod:`ibid.index_format` reads it."""

    build: str
    is_whole: bool
    """Whether it says what it said when the build id was made of it."""
    parts: Mapping[str, PartEntry]
    about: Mapping[str, Any]


def write_parts(out_dir: Path, about: Mapping[str, Any], parts: Mapping[str, Part]) -> str:
    """Writes ``out_dir/index``; returns the build id, a hash of all that was written.

    Same input, same bytes. The manifest is written last; files of an earlier build are removed after it.
    """
    folder = out_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    entries: dict[str, dict[str, Any]] = {}
    for name, part in parts.items():
        data = part if isinstance(part, bytes) else _npy(part)
        digest = hashlib.sha256(data).hexdigest()
        stored = gzip.compress(data, 9, mtime=0)
        pays = len(stored) < _GZIP_GAIN * len(data)
        extension = ("bin" if isinstance(part, bytes) else "npy") + (".gz" if pays else "")
        file = f"{name}-{digest[:12]}.{extension}"
        (folder / file).write_bytes(stored if pays else data)
        entries[name] = {"file": file, "bytes": len(data), "sha256": digest}
        if not isinstance(part, bytes):
            entries[name] |= {"dtype": part.dtype.str, "shape": list(part.shape)}
    body = {**about, "parts": entries}
    build = build_id(body)
    manifest = {"format": FORMAT, "schema": SCHEMA_VERSION, "build": build, **body}
    (out_dir / MANIFEST).write_bytes(_json(manifest, indent=1) + b"\n")
    kept = {entry["file"] for entry in entries.values()} | {Path(MANIFEST).name}
    for path in folder.iterdir():
        if path.name not in kept:
            path.unlink()
    return build


def build_id(manifest: Mapping[str, Any]) -> str:
    """16 hex digits over what a manifest says and, through its hashes, over all parts."""
    body = {name: value for name, value in manifest.items() if name not in ("format", "schema", "build")}
    return hashlib.sha256(_json(body)).hexdigest()[:16]


async def read_manifest(loader: AssetLoader) -> Manifest:
    """The manifest, its entries checked. Raises IndexInvalid."""
    raw = read_json(ungzip(await loader.read(MANIFEST), "manifest", _LARGEST_MANIFEST), "manifest")
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise IndexInvalid(f"{MANIFEST} is not the manifest of an Ibid index.", next=REBUILD)
    if raw.get("schema") != SCHEMA_VERSION or raw["schema"] is True:
        raise IndexInvalid(
            f"{MANIFEST} has schema version {raw.get('schema')!r}, this Ibid reads version {SCHEMA_VERSION}: "
            "the page and the index are of two releases.",
            next="Reload the page, or build the index again with this release: ibid build",
        )
    parts = raw.get("parts")
    if not isinstance(parts, dict):
        raise damaged("manifest", "it lists no parts")
    about = {name: value for name, value in raw.items() if name not in ("format", "schema", "parts")}
    return Manifest(
        build=str(raw.get("build", "")),
        is_whole=_is_whole(raw),
        parts={name: _entry(name, entry) for name, entry in parts.items()},
        about=about,
    )


async def read_array(loader: AssetLoader, manifest: Manifest, name: str) -> Array:
    """An array part, read-only. Its header is checked against the manifest before any array is made."""
    entry = _known(manifest, name)
    data = await _read(loader, name, entry)
    if entry.dtype is None or entry.shape is None:
        raise damaged(name, "the manifest does not call it an array")
    offset = _check_header(name, data, entry.dtype, entry.shape)
    array = np.frombuffer(data, dtype=np.dtype(entry.dtype), offset=offset).reshape(entry.shape)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise damaged(name, "it holds numbers that are not finite")
    return array


async def read_text(loader: AssetLoader, manifest: Manifest, name: str) -> bytes:
    """A text part. Raises IndexInvalid."""
    return await _read(loader, name, _known(manifest, name))


def read_json(data: bytes, name: str) -> Any:
    """The value of a JSON part. Raises IndexInvalid."""
    try:
        return foreign_json.loads(data)
    except ValueError as error:
        raise damaged(name, f"it is not JSON ({error})") from error


def write_json(value: Any) -> bytes:
    """JSON as the index stores it."""
    return _json(value)


def typed(array: Array, name: str, dtype: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
    """The array, if it is of this dtype and shape. Raises IndexInvalid."""
    if array.dtype != dtype or array.shape != shape:
        raise damaged(name, f"it is {array.dtype} {array.shape}, not {np.dtype(dtype)} {shape}")
    return array


def ungzip(data: bytes, name: str, most: int) -> bytes:
    """``data``, unpacked if its first bytes are gzip's: hosts differ in whether they unpack on their own.

    Ends after ``most`` bytes, and one more that tells the reader of it. Raises IndexInvalid.
    """
    if not data.startswith(_GZIP_MAGIC):
        return data
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        unpacked = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise damaged(name, f"it cannot be unpacked ({error})") from error
    if not unpacker.eof and len(unpacked) <= most:
        raise damaged(name, "it ends before its end: the file was cut off")
    return unpacked


def damaged(name: str, what: str) -> IndexInvalid:
    """The error for a part that cannot be used."""
    return IndexInvalid(f"The index is damaged: of part {name!r}, {what}.", next=REBUILD)


def _entry(name: str, raw: Any) -> PartEntry:
    if not isinstance(raw, dict):
        raise damaged(name, "the manifest has no entry that can be read")
    file, size, digest = raw.get("file"), raw.get("bytes"), raw.get("sha256")
    dtype, shape = raw.get("dtype"), raw.get("shape")
    if not isinstance(file, str) or not _PLAIN_NAME.fullmatch(file):
        raise damaged(name, f"the file name {file!r} is not a plain name")
    if not _is_size(size) or not isinstance(digest, str):
        raise damaged(name, "the manifest gives no size or hash")
    if dtype is None:
        return PartEntry(file, size, digest, None, None)
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise damaged(name, f"the dtype {dtype!r} is none of {', '.join(sorted(_DTYPES))}")
    if not isinstance(shape, list) or not 1 <= len(shape) <= 2 or not all(map(_is_size, shape)):
        raise damaged(name, f"the shape {shape!r} is not one or two sizes")
    return PartEntry(file, size, digest, dtype, tuple(shape))


def _is_whole(raw: Mapping[str, Any]) -> bool:
    try:
        return build_id(raw) == raw.get("build")
    except ValueError:  # a number that JSON does not have
        return False


def _is_size(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _ARRAY_LIMIT


def _known(manifest: Manifest, name: str) -> PartEntry:
    entry = manifest.parts.get(name)
    if entry is None:
        raise damaged(name, "the manifest does not list it")
    return entry


async def _read(loader: AssetLoader, name: str, entry: PartEntry) -> bytes:
    data = ungzip(await loader.read(f"{FOLDER}/{entry.file}"), name, entry.bytes)
    if len(data) != entry.bytes:
        more = "more" if len(data) > entry.bytes else f"{len(data)}"
        raise damaged(name, f"{entry.file} has {more} bytes where the manifest says {entry.bytes}")
    digest = hashlib.sha256(data).hexdigest()
    if digest != entry.sha256:
        raise damaged(name, f"{entry.file} has another hash than the manifest says")
    return data


def _npy(array: Array) -> bytes:
    """NPY 1.0. The dtype must be one that readers accept, little-endian, in C order."""
    if array.dtype.str not in _DTYPES:
        raise ValueError(f"no index part may be of dtype {array.dtype}")
    shape = f"({array.shape[0]},)" if array.ndim == 1 else str(array.shape)
    header = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': {shape}, }}"
    padding = -(len(_NPY_MAGIC) + 2 + len(header) + 1) % 64
    text = (header + " " * padding + "\n").encode("ascii")
    return _NPY_MAGIC + len(text).to_bytes(2, "little") + text + array.tobytes(order="C")


def _check_header(name: str, data: bytes, dtype: str, shape: tuple[int, ...]) -> int:
    """The offset of the numbers. ``numpy.load`` would make the array before anyone could object."""
    start = len(_NPY_MAGIC) + 2
    if not data.startswith(_NPY_MAGIC) or len(data) < start:
        raise damaged(name, "it is not a version 1.0 npy file")
    offset = start + int.from_bytes(data[start - 2 : start], "little")
    try:
        header = ast.literal_eval(data[start:offset].decode("ascii").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise damaged(name, "its npy header cannot be read") from error
    if header != {"descr": dtype, "fortran_order": False, "shape": shape}:
        raise damaged(name, f"its npy header {header!r} is not the {dtype} {shape} of the manifest")
    if len(data) - offset != math.prod(shape) * np.dtype(dtype).itemsize:
        raise damaged(name, "it has more or fewer numbers than its shape says")
    return offset


def _json(value: Any, indent: int | None = None) -> bytes:
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, allow_nan=False)
    return text.encode("utf-8")
