"""Citation: where a method was published, as a line for people and as BibTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["article", "inproceedings", "phdthesis"]

PLACES: dict[Kind, str] = {"article": "journal", "inproceedings": "booktitle", "phdthesis": "school"}
"""The field of BibTeX that a ``venue`` stands in."""

OTHERS = "others"
"""BibTeX's own word for authors who are not named."""

SEPARATORS = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+(?=et al\b)")
ESCAPED = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_"}
    | {"\\": r"{\textbackslash}", "{": r"{\textbraceleft}", "}": r"{\textbraceright}"}
)
"""Braces are written by name, because BibTeX counts those of a field, whether a backslash stands before them or not."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a method was published.

    ``authors`` are separated by commas or "and"; "and others" or "et al." stands for those who are not named.
    ``venue`` is the journal of an article, the proceedings of a paper, or the school of a thesis; ``volume`` and
    ``pages`` ("406-425") are left empty where there are none.
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

    def at(self, section: str) -> Citation:
        """The same publication, pointing at a section."""
        return replace(self, section=section)

    def names(self) -> tuple[str, ...]:
        """The authors, one by one; the last is "others" where not all are named."""
        names = [name for name in SEPARATORS.split(self.authors) if name]
        return tuple(OTHERS if name in ("et al", "et al.") else name for name in names)

    def place(self) -> str:
        """The venue for people: 'Proceedings of the IEEE 77'."""
        thesis = " (doctoral thesis)" if self.kind == "phdthesis" else ""
        return f"{self.venue} {self.volume}".rstrip() + thesis

    def text(self) -> str:
        where = f", {self.section}" if self.section else ""
        return f"{self.authors}: {self.title}. {self.place()}, {self.year}{where}"

    def bibtex(self) -> str:
        """The entry of a .bib file, in UTF-8."""
        fields = {
            "author": " and ".join(_escaped(name) for name in self.names()),
            "title": _escaped(self.title),
            PLACES[self.kind]: _escaped(self.venue),
            "volume": _escaped(self.volume),
            "pages": self.pages.replace("-", "--"),
            "year": str(self.year),
        }
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        return f"@{self.kind}{{{self.key},\n{lines}\n}}\n"


def _escaped(text: str) -> str:
    """The text as BibTeX and LaTeX take it; letters with accents stay as they are."""
    return text.translate(ESCAPED)
