"""The pages of the help: the documents that ship with the program and the pages of the methods, with their sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from antidiag.kernels import RESOURCES
from antidiag.kernels.method import Method

DOCUMENTS = RESOURCES.parent / "docs"
FIRST_PAGE, CONTENTS_PAGE = "first-steps.md", "README.md"
LEFT_OUT = ("screenshots", "measured", "notes")
"""Folders of the documents that have no pages for users."""
METHODS_GROUP, OTHER_GROUP = "Methods", "More"
HEADING = re.compile(r"^(#{1,4})\s+(.*?)\s*#*$")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+\.md)\)")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = "```"
MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|[*_`|]|\]\([^)]*\)|\[")
SNIPPET = 90
"""Letters of a found line that a result shows."""


@dataclass(frozen=True)
class HelpSection:
    """A heading of a page with the text below it; ``level`` is 1 for the title of the page."""

    title: str
    level: int
    text: str

    @property
    def anchor(self) -> str:
        """The name of the section in links."""
        return heading_anchor(self.title)


@dataclass(frozen=True)
class HelpPage:
    """A page in Markdown; ``folder`` is where its pictures and links are looked for, ``name`` is unique."""

    name: str
    group: str
    folder: Path
    markdown: str

    @property
    def title(self) -> str:
        """The first heading."""
        return next((section.title for section in self.sections), self.name)

    @property
    def shown_markdown(self) -> str:
        """The page without pictures whose files are missing, as those of the window in an installed program."""

        def keep(match: re.Match[str]) -> str:
            return match[0] if "://" in match[1] or (self.folder / match[1]).is_file() else ""

        return PICTURE.sub(keep, self.markdown)

    @property
    def sections(self) -> tuple[HelpSection, ...]:
        """The headings and their texts, in order."""
        return _split_sections(self.markdown)


@dataclass(frozen=True)
class HelpHit:
    """A section in which words were found."""

    page: HelpPage
    section: HelpSection
    words: tuple[str, ...]

    @property
    def text_around_words(self) -> str:
        """The part of the text around the first of the words."""
        return _find_snippet(self.section.text, self.words)


def document_pages() -> tuple[HelpPage, ...]:
    """Return the documents, the first steps first and then in the order of the table of contents."""
    groups = _listed_groups()
    found = sorted(path.relative_to(DOCUMENTS) for path in DOCUMENTS.rglob("*.md"))
    paths = [path for path in found if not set(path.parts) & set(LEFT_OUT) and path.name != CONTENTS_PAGE]
    listed = {path: place for place, path in enumerate(groups)}
    paths.sort(key=lambda path: (path.name != FIRST_PAGE, listed.get(path, len(listed))))
    pages = (_read_page(path, groups.get(path, OTHER_GROUP)) for path in paths)
    return tuple(page for page in pages if page is not None)


def method_page(method: Method) -> HelpPage:
    """Return the page of a method: summary, reference, parameters and the page of its family."""
    return HelpPage(f"method {method.id}", METHODS_GROUP, method.teaching.help_page.parent, format_method_page(method))


def format_method_page(method: Method) -> str:
    """Return Markdown: summary, reference, the family's page and a table of parameters."""
    try:
        body = method.teaching.help_page.read_text(encoding="utf-8")
    except OSError:
        body = ""
    rows = [
        f"| {parameter.label} | {parameter.help} | {parameter.describe_values()} |"
        for parameter in method.parameters.declared()
    ]
    table = "\n".join(["| Parameter | Meaning | Values |", "| --- | --- | --- |", *rows])
    head = f"# {method.name}\n\n{method.summary}\n\n*{method.citation.format_text()}*"
    return f"{head}\n\n## Parameters\n\n{table}\n\n{body}"


def all_pages(methods: Iterable[Method]) -> tuple[HelpPage, ...]:
    """Return the documents and the pages of these methods."""
    return *document_pages(), *map(method_page, methods)


def group_pages(pages: Sequence[HelpPage]) -> list[tuple[str, list[HelpPage]]]:
    """Return the pages by their group, in order."""
    return [(group, list(found)) for group, found in groupby(pages, key=lambda page: page.group)]


def search_pages(pages: Iterable[HelpPage], query: str) -> list[HelpHit]:
    """Return the sections that contain every word of a query; those with the words in their heading come first.

    A text that several pages share, such as that of a family, is found once.
    """
    words = tuple(query.lower().split())
    found: dict[tuple[str, str], tuple[tuple[int, int], HelpHit]] = {}
    for page in pages if words else ():
        for section in page.sections:
            heading, text = f"{page.title} {section.title}".lower(), section.text.lower()
            if all(word in heading or word in text for word in words):
                missing = sum(word not in section.title.lower() for word in words)
                hit = HelpHit(page, section, words)
                found.setdefault((section.title, section.text), ((missing, section.level), hit))
    return [hit for _, hit in sorted(found.values(), key=lambda entry: entry[0])]


def heading_anchor(title: str) -> str:
    """Return the name of a heading in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _listed_groups() -> dict[Path, str]:
    """Return the pages that the table of contents lists, each with the words above its list."""
    try:
        lines = (DOCUMENTS / CONTENTS_PAGE).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    found: dict[Path, str] = {}
    group = OTHER_GROUP
    for line in lines:
        if line.startswith("#") or line.rstrip().endswith(":"):
            group = line.strip("# :")
        for target in LINK.findall(line):
            found.setdefault(Path(target), group)
    return found


def _read_page(path: Path, group: str) -> HelpPage | None:
    """Return the page of a path below the documents; None if the file cannot be read."""
    try:
        markdown = (DOCUMENTS / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return HelpPage(path.as_posix(), group, (DOCUMENTS / path).parent, markdown)


@lru_cache(maxsize=512)
def _split_sections(markdown: str) -> tuple[HelpSection, ...]:
    found: list[tuple[str, int, list[str]]] = []
    fenced = False
    for line in markdown.splitlines():
        fenced ^= line.lstrip().startswith(FENCE)
        match = None if fenced else HEADING.match(line)
        if match:
            found.append((MARKUP.sub("", match[2]), len(match[1]), []))
        elif found:
            found[-1][2].append(line)
    return tuple(HelpSection(title, level, "\n".join(lines).strip()) for title, level, lines in found)


def _find_snippet(text: str, words: Sequence[str]) -> str:
    """Return the part of a text around the first word that it contains."""
    plain = " ".join(MARKUP.sub("", text).split())
    place = min((at for word in words if (at := plain.lower().find(word)) >= 0), default=0)
    first = max(plain.rfind(" ", 0, max(place - SNIPPET // 3, 0)) + 1, 0)
    end = "\N{HORIZONTAL ELLIPSIS}" if len(plain) > first + SNIPPET else ""
    return plain[first : first + SNIPPET] + end
