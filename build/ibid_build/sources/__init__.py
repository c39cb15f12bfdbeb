"""From a documentation folder to pages, one module a kind of file."""

from ibid_build.sources.tree import ReadResult, read_tree

__all__ = ["ReadResult", "read_tree"]
