"""A zip of Python sources to a zip of bytecode, by the Python that will run it.

This module runs inside Pyodide (``compile_runtime.mjs``), so it uses the standard library only. Bytecode
is half of the boot time: the interpreter would compile every module at every start.
"""

from __future__ import annotations

import importlib.util
import io
import marshal
import zipfile
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNCHECKED_HASH = 0b01  # PEP 552: a hash in the header, never compared with a source
_OPTIMIZE = 1  # without asserts; 2 would drop the docstrings that numpy reads


def compile_archives(sources: Iterable[bytes | memoryview], drop: Sequence[str] = ()) -> bytes:
    """One stored zip of all files of ``sources``, sorted by name, ``.py`` replaced by ``.pyc``.

    ``drop`` names what is left out: a prefix of its name, or a pattern that starts with ``*``. The zip is
    stored, since the whole is compressed for its transfer.
    """
    files: dict[str, bytes] = {}
    for source in sources:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            for name in archive.namelist():
                if not name.endswith("/") and not any(_matches(name, pattern) for pattern in drop):
                    files[name] = archive.read(name)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            data = files[name]
            if name.endswith(".py"):
                name, data = f"{name}c", bytecode(name, data)
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data)
    return out.getvalue()


def bytecode(name: str, source: bytes) -> bytes:
    """The ``.pyc`` of a module, with an unchecked hash. Raises SyntaxError."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=_OPTIMIZE)
    header = importlib.util.MAGIC_NUMBER + _UNCHECKED_HASH.to_bytes(4, "little")
    return header + importlib.util.source_hash(source) + marshal.dumps(code)


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) if pattern.startswith("*") else name.startswith(pattern)
