"""What a search returns: hits that print as a table, and convert to pandas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from antidiag.interface.answers import Answer, import_optional
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import hit_tables
from antidiag.kernels.io.hit_tables import Hit
from antidiag.kernels.pairwise.search import formats

SHOWN_HITS = 20
"""Hits of a query that are printed."""
FRAME_COLUMNS = "std score qlen slen sstrand cigar stitle"
"""Columns of a table for pandas."""


class SearchHits(Answer, Sequence[Hit]):
    """Hits of all queries, those of the first query first, each with its best first.

    A hit has ``query`` and ``subject`` (with ``name``, ``length``, ``title``), ``score``, ``bits``, ``evalue``,
    ``strand``, ``rank`` and ``alignment`` (with ``identity``, ``cigar``, both rows and ranges), or None.
    """

    @cached_property
    def _found(self) -> list[Hit]:
        return [hit for one in formats.iterate_hits(self.result.problem, self.result.answer) for hit in one.hits]

    def __len__(self) -> int:
        return len(self.result.answer)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return self._found[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._found)

    def of_query(self, name: str) -> list[Hit]:
        """Return the hits of the query of this name. Raise InputError if there is none."""
        known = [query.name for query in self.result.problem.queries]
        if name not in known:
            raise InputError(f"no query is called {name!r}; the queries are {', '.join(known[:5])}")
        return [hit for hit in self if hit.query.name == name]

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The sequences that were hit, each once."""
        return tuple(self.result.answer.subjects)

    @property
    def evalue_origin(self) -> str:
        """Where lambda and K of the E-values are from."""
        return self.result.answer.statistics.origin

    def to_pandas(self, columns: str = FRAME_COLUMNS) -> Any:
        """Return a `pandas.DataFrame` with a row a hit, and columns by BLAST's names (package pandas)."""
        chosen, pandas = hit_tables.parse_columns(columns), import_optional("pandas")
        rows = [hit_tables.hit_values(hit, chosen) for hit in self]
        return pandas.DataFrame(rows, columns=[column.id for column in chosen])

    def _compared_content(self) -> Any:
        return self._found

    def __str__(self) -> str:
        shown, found = [], formats.iterate_hits(self.result.problem, self.result.answer)
        for one in found:
            first = hit_tables.QueryHits(one.query, one.hits[:SHOWN_HITS])
            shown += [line.rstrip("\n") for line in formats.terminal_lines([first])]
            if len(one.hits) > SHOWN_HITS:
                shown.append(f"  ... {len(one.hits) - SHOWN_HITS:,} more")
        return "\n".join(shown)
