"""The pages of the project as data: what they link to, the commands that they show, and the files that they hold."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = (README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")))
"""README and the pages beside it."""

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\A(?:#|<!--) ([\w./]+)(?: -->)?\n")
COMMAND = re.compile(
    r"^(?:    )?(?:\$ )?(?:(?:\.venv/bin/)?python main\.py\b|(?<=    )antidiag|(?<=\$ )antidiag)(?= )((?:.*\\\n)*.*)$",
    re.MULTILINE,
)
SHOWN = re.compile(r"^    \$ (?:python main\.py|antidiag) ((?:.*\\\n)*.*)\n((?:    .+\n)*)", re.MULTILINE)
"""A command after a prompt, perhaps on several lines, and the lines that it prints."""
INLINE = re.compile(r"`(?:python main\.py|antidiag) ([^`]+)`")
SCRIPT = re.compile(r"\b(scripts/\w+\.py)\b")
TARGETS = re.compile(r"\bmake ([a-z][\w-]*)")
COLUMN = re.compile(r"\s{2,}")
DEPENDS_ON_THE_MACHINE = frozenset({"CPU", "method", "parameters", "time", "rate", "memory", "saved", ""})
MEASURED = re.compile(
    r"(?:\b(?:about|less than) )?\d[\d,.]*(?: (?:min|h|[mµn]?s|[kMGT]?i?B|[kMGT]?CUPS|[kMGT]))?\b|\b[CG]PU .*"
)
"""Numbers with their units, and devices, which are others on another machine."""


def links(page: Path) -> list[str]:
    """Relative targets of the links and pictures of a page."""
    return [target for target in LINK.findall(_without_code(page.read_text(encoding="utf-8"))) if "://" not in target]


def _without_code(text: str) -> str:
    """A page without its fenced blocks."""
    return FENCED.sub("", text)


def commands(page: Path) -> list[str]:
    """Arguments of every command of the program that a page shows, on lines of their own or in a sentence."""
    text = page.read_text(encoding="utf-8")
    found = [command.strip() for command in COMMAND.findall(text)] + INLINE.findall(text)
    return [command.replace("\\\n", " ") for command in found]


def shown(page: Path) -> list[tuple[str, str]]:
    """Every command that a page shows with its output, and that output."""
    found = SHOWN.findall(page.read_text(encoding="utf-8"))
    return [(command.replace("\\\n", " "), output) for command, output in found if output]


def steps(page: Path) -> list[tuple[str, str, str]]:
    """Every step of a tutorial: ``command`` or ``python``, what is typed, and what is shown to come of it."""
    text = page.read_text(encoding="utf-8")
    found = [(one.start(), "command", one[1].replace("\\\n", " "), one[2]) for one in SHOWN.finditer(text)]
    silent = re.compile(r"^    antidiag ([a-z][\w-]* .*)$", re.MULTILINE)
    found += [(one.start(), "command", one[1], "") for one in silent.finditer(text)]
    blocks = list(FENCED.finditer(text))
    for number, block in enumerate(blocks):
        if block[1] == "python":
            follows = number + 1 < len(blocks) and text[block.end() : blocks[number + 1].start()].strip() == ""
            expected = blocks[number + 1][2] if follows and blocks[number + 1][1] == "" else ""
            found.append((block.start(), "python", block[2], expected))
    return [tuple(one[1:]) for one in sorted(found)]  # type: ignore[misc]


def compare_shown(shown: str, printed: str) -> None:
    """Compare what a page shows with what is printed; a line of three dots stands for any lines."""
    wanted = re.sub("^    ", "", shown, flags=re.MULTILINE).rstrip().splitlines()
    found = printed.rstrip().splitlines()
    if "..." in wanted:
        place = wanted.index("...")
        first, last = wanted[:place], wanted[place + 1 :]
        assert "..." not in last, "one line of dots at most"
        assert len(found) >= len(first) + len(last), f"{printed}\nhas fewer lines than shown"
        wanted, found = first + last, found[: len(first)] + found[len(found) - len(last) :]
    found, wanted = ([_comparable(line) for line in lines] for lines in (found, wanted))
    assert found == wanted, "\n".join(["shown:", *wanted, "printed:", *found])


def _comparable(line: str) -> str:
    """Return a line without what depends on the machine and with single blanks."""
    label, _, value = COLUMN.sub("\t", line.strip()).partition("\t")
    value = value.rpartition(", ")[2] if label == "CPU" else value  # without the name of the processor
    _, kept = _without_measured((label, value.replace("\t", " ")))
    kept = re.sub(r"#(?: #)+", "#", kept)  # 1 min 6 s, or 66 s
    return f"{label} {kept}".strip() if label in DEPENDS_ON_THE_MACHINE else " ".join(line.split())


def make_targets(page: Path) -> list[str]:
    """Targets of make that a page names in code."""
    text = _without_code(page.read_text(encoding="utf-8"))
    code = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^    (.*)$", text, re.MULTILINE)
    return [target for piece in code for target in TARGETS.findall(piece)]


def scripts(page: Path) -> list[str]:
    """Scripts of the project that a page names."""
    return SCRIPT.findall(page.read_text(encoding="utf-8").replace("\\", "/"))


def files(page: Path) -> list[tuple[str, str, str]]:
    """Fenced blocks that name their file in their first line: language, path, and the rest."""
    found = []
    for language, block in FENCED.findall(page.read_text(encoding="utf-8")):
        if named := FILE.match(block):
            found.append((language, named[1], block[named.end() :]))
    return found


def agrees(shown: str, printed: str) -> None:
    """The same labels in the same order, and the same values apart from what depends on the machine."""
    expected, found = _rows(re.sub("^    ", "", shown, flags=re.MULTILINE)), _rows(printed)
    assert [label for label, _ in found] == [label for label, _ in expected]
    for row, shown_row in zip(found, expected, strict=True):
        assert _without_measured(row) == _without_measured(shown_row), f"{row} is shown as {shown_row}"


def _without_measured(row: tuple[str, str]) -> tuple[str, str]:
    """Return a row without what depends on the machine."""
    label, value = row
    if label == "saved":
        return label, value.rpartition("/")[2]
    return label, MEASURED.sub("#", value) if label in DEPENDS_ON_THE_MACHINE else value


def _rows(printed: str) -> list[tuple[str, str]]:
    """Labels and values; the label of a line that goes on with the row before is empty."""
    rows = []
    for line in printed.splitlines():
        label, value = COLUMN.split(line, maxsplit=1)
        rows.append((label, value))
    return rows


def changed(text: str, difference: str) -> str:
    """A text after a piece of a diff, whose lines are found where they stand once."""
    lines = difference.splitlines(keepends=True)
    before, after = ("".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
    assert text.count(before) == 1, f"there are no such lines, or several:\n{before}"
    return text.replace(before, after)
