"""The code on the project's pages, run as it stands there."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def code_blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page in a language, given its path from the root of the project."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(code) for _, code in found]


def python_blocks(page: str) -> list[str]:
    """Return the Python blocks of a page."""
    return code_blocks(page, "python")


def run_page(page: str, **given: Any) -> dict[str, Any]:
    """Run the blocks of a page one after the other and return the names that they make."""
    names = dict(given)
    for block in python_blocks(page):
        exec(compile(block, page, "exec"), names)
    return names
