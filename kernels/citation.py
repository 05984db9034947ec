"""Citation: where a method was published, as a line for people and as BibTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["article", "inproceedings", "phdthesis"]

VENUE_FIELDS: dict[Kind, str] = {"article": "journal", "inproceedings": "booktitle", "phdthesis": "school"}
"""BibTeX field of the ``venue`` for each kind of publication."""

OTHERS = "others"
"""BibTeX's name for further authors."""

SEPARATORS = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+(?=et al\b)")
ESCAPED = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_"}
    | {"\\": r"{\textbackslash}", "{": r"{\textbraceleft}", "}": r"{\textbraceright}"}
)
"""Braces are written by name, because BibTeX counts escaped braces too."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a method was published.

    ``authors`` are separated by commas or "and"; further authors are "and others" or "et al.".
    ``venue`` is the journal of an article, the proceedings of a paper, or the school of a thesis; ``volume`` and
    ``pages`` ("406-425") may be empty.
    """

    key: str
    authors: str
    title: str
    venue: str
    year: int
    section: str = ""
    kind: Kind = "inproceedings"
    volume: str = ""
    pages: str = ""

    def with_section(self, section: str) -> Citation:
        """Return the citation with another section."""
        return replace(self, section=section)

    def author_names(self) -> tuple[str, ...]:
        """Return the authors; the last is "others" if not all are named."""
        names = [name for name in SEPARATORS.split(self.authors) if name]
        return tuple(OTHERS if name in ("et al", "et al.") else name for name in names)

    def venue_text(self) -> str:
        """Return the venue with volume: 'Proceedings of the IEEE 77'."""
        thesis = " (doctoral thesis)" if self.kind == "phdthesis" else ""
        return f"{self.venue} {self.volume}".rstrip() + thesis

    def format_text(self) -> str:
        """Return the citation as one line."""
        where = f", {self.section}" if self.section else ""
        return f"{self.authors}: {self.title}. {self.venue_text()}, {self.year}{where}"

    def format_bibtex(self) -> str:
        """Return the entry of a .bib file."""
        fields = {
            "author": " and ".join(_escape_bibtex(name) for name in self.author_names()),
            "title": _escape_bibtex(self.title),
            VENUE_FIELDS[self.kind]: _escape_bibtex(self.venue),
            "volume": _escape_bibtex(self.volume),
            "pages": self.pages.replace("-", "--"),
            "year": str(self.year),
        }
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        return f"@{self.kind}{{{self.key},\n{lines}\n}}\n"


def _escape_bibtex(text: str) -> str:
    """Return a text with the special characters of BibTeX and LaTeX escaped."""
    return text.translate(ESCAPED)
