"""The code on the project's pages, run as it stands there."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^( *)```python\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def python_blocks(page: str) -> list[str]:
    """Return the Python blocks of a page, given its path from the root of the project."""
    return [textwrap.dedent(code) for _, code in _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]


def run_page(page: str, **given: Any) -> dict[str, Any]:
    """Run the blocks of a page one after the other and return the names that they make."""
    names = dict(given)
    for block in python_blocks(page):
        exec(compile(block, page, "exec"), names)
    return names
