"""Citations: their entries in BibTeX, read back by a small parser."""

from __future__ import annotations

import re

import pytest

from antidiag.kernels import registry
from antidiag.kernels.citation import VENUE_FIELDS, Citation

NEEDED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "phdthesis": {"author", "title", "school", "year"},
}
"""The fields that BibTeX's standard styles ask for."""

CITED = {method.citation.key: method.citation for method in registry.METHODS}


def parsed(entry: str) -> tuple[str, str, dict[str, str]]:
    """Kind, key and fields of one entry; an AssertionError where braces or commas are wrong."""
    kind, key, body = re.fullmatch(r"@(\w+)\{([\w:-]+),\n(.*)\n\}\n", entry, re.S).groups()
    fields = {}
    for line in body.split(",\n"):
        name, value = re.fullmatch(r"  (\w+) = \{(.*)\}", line, re.S).groups()
        depth = 0
        for character in value:
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0, line
        assert depth == 0 and name not in fields, line
        fields[name] = value
    return kind, key, fields


def made(authors: str = "Ann Author", **told) -> Citation:
    return Citation("key2020", authors, told.pop("title", "A title"), told.pop("venue", "A venue"), 2020, **told)


@pytest.mark.parametrize("citation", CITED.values(), ids=CITED)
def test_every_reference_is_a_whole_entry(citation):
    kind, key, fields = parsed(citation.format_bibtex())
    assert (kind, key) == (citation.kind, citation.key)
    assert NEEDED[kind] <= fields.keys()
    assert fields["year"] == str(citation.year)
    names = fields["author"].split(" and ")
    assert names == list(citation.author_names()) and all(names)
    assert not any("," in name or name.startswith("and ") for name in names)
    assert "others" not in names[:-1]
    assert not fields.get("journal", "")[-1:].isdigit(), "the volume has a field of its own"


def test_an_article_has_its_journal_volume_and_pages():
    kind, _, fields = parsed(CITED["saitou1987neighbor"].format_bibtex())
    assert kind == "article"
    assert fields["journal"] == "Molecular Biology and Evolution"
    assert (fields["volume"], fields["pages"]) == ("4", "406--425")
    assert fields["author"] == "Naruya Saitou and Masatoshi Nei"


def test_a_thesis_has_its_school():
    kind, _, fields = parsed(CITED["hanif2014mapping"].format_bibtex())
    assert kind == "phdthesis"
    assert fields["school"] == "Technische Universität Hamburg-Harburg"
    assert "booktitle" not in fields and "journal" not in fields


def test_a_paper_of_a_conference_has_its_proceedings():
    kind, _, fields = parsed(CITED["liu2009parallel"].format_bibtex())
    assert kind == "inproceedings" and "Parallel and Distributed Processing" in fields["booktitle"]
    assert "volume" not in fields and "pages" not in fields


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ("A. One", "A. One"),
        ("A. One, B. Two", "A. One and B. Two"),
        ("A. One and B. Two", "A. One and B. Two"),
        ("A. One, B. Two and C. Three", "A. One and B. Two and C. Three"),
        ("A. One, B. Two, and C. Three", "A. One and B. Two and C. Three"),
        ("A. One, B. Two, and others", "A. One and B. Two and others"),
        ("A. One and others", "A. One and others"),
        ("A. One et al.", "A. One and others"),
        ("A. One, B. Two, et al.", "A. One and B. Two and others"),
        ("Sandy Andrews, Roland Brand", "Sandy Andrews and Roland Brand"),
    ],
)
def test_authors_are_separated_as_bibtex_wants_them(authors, expected):
    assert parsed(made(authors).format_bibtex())[2]["author"] == expected


def test_what_bibtex_reads_as_its_own_is_escaped():
    told = made(title=r"Cost & time: 50 % of {all} #1_$ \ ü", venue="Smith & Söhne", kind="article")
    fields = parsed(told.format_bibtex())[2]
    assert fields["title"] == (
        r"Cost \& time: 50 \% of {\textbraceleft}all{\textbraceright} \#1\_\$ {\textbackslash} ü"
    )
    assert fields["journal"] == r"Smith \& Söhne"
    assert parsed(made(title="one } alone").format_bibtex())


def test_people_read_the_same_in_a_line():
    assert made(kind="article", venue="A journal", volume="7").with_section("section 2").format_text() == (
        "Ann Author: A title. A journal 7, 2020, section 2"
    )
    assert made(kind="phdthesis", venue="A school").format_text().endswith("A school (doctoral thesis), 2020")
    assert set(VENUE_FIELDS) == set(NEEDED)
