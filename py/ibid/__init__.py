"""Ibid: questions to a documentation site, answered with citations that hold.

This package is everything that decides: retrieval, tiering, the turn, citations, the index format.
It runs unchanged under CPython and in the reader's browser (Pyodide); only :mod:`ibid.browser`
knows a host.
"""

__version__ = "0.1.0"
