"""Rewrites a quantised GGUF model as 16-bit floats, so that it runs on any x86-64 with AVX2.

The model server of the tests was compiled for one kind of CPU: its int8 dot products stop on others with
"Illegal instruction"; its float ones do not. Format: GGUF version 3, little-endian; the block layouts are
those of ggml: Q4_1 holds scale, minimum (f16) and 32 nibbles, Q8_0 a scale (f16) and 32 bytes.
"""

from __future__ import annotations

import struct
from io import BufferedReader
from pathlib import Path

import numpy as np
import numpy.typing as npt

_F32, _F16, _Q4_1, _Q8_0 = 0, 1, 3, 8
_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a metadata value by its type."""
_ALIGNMENT = 32
_BLOCK = 32
"""Weights in a quantised block."""

Bytes = npt.NDArray[np.uint8]


def widen(source: Path, target: Path) -> None:
    """Writes ``target`` with the weights of ``source``; metadata and names are copied as they are."""
    with source.open("rb") as file:
        magic, version, tensors, entries = struct.unpack("<4sIQQ", file.read(24))
        if (magic, version) != (b"GGUF", 3):
            raise ValueError(f"{source} is no GGUF file of version 3")
        for _ in range(entries):
            _skip_entry(file)
        metadata = _bytes_so_far(file)
        infos = [_read_info(file) for _ in range(tensors)]
        start = _aligned(file.tell())
    stored = np.memmap(source, dtype=np.uint8, mode="r")
    header, position = [metadata], 0
    for name, shape, kind, _ in infos:
        new_kind = kind if kind == _F32 else _F16
        header.append(_info(name, shape, new_kind, position))
        position += _aligned(int(np.prod(shape)) * (4 if new_kind == _F32 else 2))
    with target.open("wb") as out:
        out.write(b"".join(header))
        for _, shape, kind, offset in infos:
            out.write(bytes(_aligned(out.tell()) - out.tell()))
            out.write(_weights(stored[start + offset :], int(np.prod(shape)), kind))


def _weights(stored: Bytes, count: int, kind: int) -> bytes:
    blocks = count // _BLOCK
    if kind == _F32:
        return bytes(stored[: count * 4])
    if kind == _Q8_0:
        rows = stored[: blocks * 34].reshape(blocks, 34)
        return bytes((_half(rows, 0) * rows[:, 2:].view(np.int8)).astype(np.float16))
    if kind == _Q4_1:
        rows = stored[: blocks * 20].reshape(blocks, 20)
        nibbles = np.concatenate([rows[:, 4:] & 15, rows[:, 4:] >> 4], axis=1)
        return bytes((_half(rows, 0) * nibbles + _half(rows, 2)).astype(np.float16))
    raise ValueError(f"weights of type {kind} cannot be widened")


def _half(rows: Bytes, at: int) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(rows[:, at : at + 2]).view(np.float16).astype(np.float32)


def _read_info(file: BufferedReader) -> tuple[bytes, tuple[int, ...], int, int]:
    name = _read_string(file)
    (dimensions,) = struct.unpack("<I", file.read(4))
    shape = struct.unpack(f"<{dimensions}Q", file.read(8 * dimensions))
    kind, offset = struct.unpack("<IQ", file.read(12))
    return name, shape, kind, offset


def _info(name: bytes, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    dimensions = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return struct.pack("<Q", len(name)) + name + dimensions + struct.pack("<IQ", kind, offset)


def _skip_entry(file: BufferedReader) -> None:
    _read_string(file)
    (kind,) = struct.unpack("<I", file.read(4))
    _skip_value(file, kind)


def _skip_value(file: BufferedReader, kind: int) -> None:
    if kind == _STRING:
        _read_string(file)
    elif kind == _ARRAY:
        element, count = struct.unpack("<IQ", file.read(12))
        for _ in range(count):
            _skip_value(file, element)
    else:
        file.seek(_SIZES[kind], 1)


def _read_string(file: BufferedReader) -> bytes:
    (length,) = struct.unpack("<Q", file.read(8))
    return file.read(length)


def _bytes_so_far(file: BufferedReader) -> bytes:
    end = file.tell()
    file.seek(0)
    return file.read(end)


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
