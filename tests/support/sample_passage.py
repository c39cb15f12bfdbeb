"""A passage with everything that quoting must respect, and a walk over what it is drawn as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Node = dict[str, Any]

PASSAGE = """Set `timeout` in seconds, e.g. 30. It is *not* read again; see rows[2] and [1](there).

- the first item. With two sentences.
  - a nested `item`

- another item

Name | Default | Meaning
timeout | 30 | how long to wait
debug | | shows `a|b`

Run it like this:

```python
app = App(timeout=30)

print(app[1])
```

1. Done."""


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from walk(node.get("children", ()))
