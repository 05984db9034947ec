"""Every file of device code opens with a comment: what it computes, its mapping to threads, and its memory layout."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "kernels").rglob("*.cu"))
HEADINGS = (r"Recurrence:|Computes:", r"Threads:", r"Memory:")


def first_comment(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_opens_with_what_it_computes_its_threads_and_its_memory(path: Path) -> None:
    comment = first_comment(path.read_text(encoding="utf-8"))
    missing = [heading for heading in HEADINGS if not re.search(rf"^// ({heading})", comment, re.MULTILINE)]
    assert not missing, f"the first comment has no line that begins with {', '.join(missing)}"
