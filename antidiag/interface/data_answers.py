"""Answers that are data of the program too: alignments, trees and distances."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.interface import pictures
from antidiag.interface.answers import Answer, as_array, import_optional
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer, distance_files, newick, tree_files
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.registry import result_saving

SHOWN_ROWS = 12
"""Rows of an alignment that `print` shows."""


class DataAnswer(Answer):
    """An answer that is data of the program too: computed by a run, or read from a file."""

    def __init__(self, data: Any, result: Result | None = None) -> None:
        self.data = data
        self._result = result

    @property
    def result(self) -> Result:  # type: ignore[override]
        """The run that made the data; InputError for data from a file."""
        if self._result is None:
            raise InputError(f"{self.data.name} was read from a file, not computed; it has no run")
        return self._result

    def __antidiag__(self) -> list[Any]:
        """Return the data, which other functions take."""
        return [self.data]

    def __hash__(self) -> int:
        return hash(self.data)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._compared_content() == other._compared_content()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.data.summary}>"

    def _repr_html_(self) -> str:
        return pictures.rows_html([(type(self).__name__, f"{self.data.name}: {self.data.summary}")])

    def save(self, path: str | Path, format: str | None = None) -> None:
        """Save the data in the format of the file's suffix; those of a run also in its other formats."""
        if self._result is not None:
            result_saving.write_result(path, self._result, format)
        else:
            self._write(path)

    def _write(self, path: str | Path) -> None:
        """Write data that no run made."""
        raise NotImplementedError


class Alignment(DataAnswer):
    """Rows of one length: the answer of a family, of profiles or of three sequences, or an alignment of a file.

    Iteration gives the rows as strings, ``len`` their number.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(self.data.names)

    @property
    def rows(self) -> list[str]:
        """The rows with '-' for gaps."""
        return [row.tobytes().decode("ascii") for row in np.asarray(self.data.letters)]

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.data.letters.shape[1])

    @property
    def array(self) -> np.ndarray:
        """The letters as bytes of length 1, shape (rows, columns), dtype S1, read-only."""
        return np.asarray(self.data.letters).view("S1")

    @property
    def confidence(self) -> np.ndarray | None:
        """The confidence of each column, 0 to 1, float64; None if the method has none."""
        return getattr(self._result.answer, "confidence", None) if self._result else None

    @property
    def score(self) -> int | float | None:
        """The score, or None if the method has none."""
        return self._result.score if self._result and hasattr(self._result.answer, "score") else None

    @property
    def guide_tree(self) -> Tree | None:
        """The guide tree, or None if there is none."""
        tree = getattr(self._result.answer, "tree", None) if self._result else None
        return None if tree is None else Tree(tree)

    @property
    def sequences(self) -> dict[str, str]:
        """The letters of each row without gaps, by name."""
        return {name: row.replace("-", "") for name, row in zip(self.names, self.rows, strict=True)}

    def column(self, number: int) -> str:
        """Return column ``number``, from 0, from top to bottom."""
        return np.asarray(self.data.letters)[:, number].tobytes().decode("ascii")

    def _write(self, path: str | Path) -> None:
        alignment_writer.write_alignments(path, [self.data])

    def to_biopython(self) -> Any:
        """Return a `Bio.Align.MultipleSeqAlignment`."""
        from Bio.Align import MultipleSeqAlignment
        from Bio.Seq import Seq
        from Bio.SeqRecord import SeqRecord

        kind = {"molecule_type": str(self.data.type)}
        rows = zip(self.names, self.rows, strict=True)
        return MultipleSeqAlignment(
            SeqRecord(Seq(row), id=name, description="", annotations=kind) for name, row in rows
        )

    def to_skbio(self) -> Any:
        """Return a `skbio.TabularMSA` (package scikit-bio)."""
        skbio = import_optional("skbio", "scikit-bio")
        of_type = {SequenceType.DNA: skbio.DNA, SequenceType.RNA: skbio.RNA, SequenceType.PROTEIN: skbio.Protein}
        rows = zip(self.names, self.rows, strict=True)
        return skbio.TabularMSA([of_type[self.data.type](row, metadata={"id": name}) for name, row in rows])

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row a sequence and a column a column (package pandas)."""
        pandas = import_optional("pandas")
        return pandas.DataFrame(self.array.astype(str), index=list(self.names))

    def __len__(self) -> int:
        return len(self.data.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return as_array(self.array, dtype, copy)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __getitem__(self, number: int) -> str:
        return np.asarray(self.data.letters)[number].tobytes().decode("ascii")

    def _compared_content(self) -> Any:
        return self.names, np.asarray(self.data.letters).tobytes()

    def __str__(self) -> str:
        return pictures.alignment_text(self.names, np.asarray(self.data.letters), SHOWN_ROWS)

    def _repr_html_(self) -> str:
        rows = [row.tobytes() for row in np.asarray(self.data.letters)[: pictures.HTML_ROWS]]
        more = len(self) - len(rows)
        return pictures.alignment_html(self.names, rows, self.data.type == SequenceType.PROTEIN, more)


class Tree(DataAnswer):
    """A tree with named leaves and lengths of branches."""

    @property
    def newick(self) -> str:
        """The tree in Newick format, in one line with its semicolon."""
        return newick.newick_text(self.data)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The names of the leaves, from top to bottom."""
        return self.data.taxa

    def _write(self, path: str | Path) -> None:
        tree_files.write_trees(path, [self.data])

    def to_biopython(self) -> Any:
        """Return a `Bio.Phylo.BaseTree.Tree`."""
        from Bio import Phylo

        return Phylo.read(io.StringIO(self.newick), "newick")

    def to_skbio(self) -> Any:
        """Return a `skbio.TreeNode` (package scikit-bio)."""
        skbio = import_optional("skbio", "scikit-bio")
        return skbio.TreeNode.read(io.StringIO(self.newick))

    def plot(self, axes: Any = None) -> Any:
        """Draw the tree with Matplotlib (package matplotlib) and return the axes."""
        from Bio import Phylo

        plt = import_optional("matplotlib.pyplot", "matplotlib")
        axes = axes or plt.subplots()[1]
        Phylo.draw(self.to_biopython(), axes=axes, do_show=False)
        return axes

    def _compared_content(self) -> Any:
        return self.newick

    def __len__(self) -> int:
        return len(self.leaves)

    def __str__(self) -> str:
        return self.newick

    def _repr_html_(self) -> str:
        return pictures.tree_svg(self.data)


class Distances(DataAnswer):
    """Distances between taxa."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the taxa."""
        return tuple(self.data.names)

    @property
    def array(self) -> np.ndarray:
        """The distances, shape (taxa, taxa), float32 or float64, read-only."""
        return self.data.values

    def _write(self, path: str | Path) -> None:
        distance_files.write_distances(path, self.data)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with the names as index and columns (package pandas)."""
        pandas = import_optional("pandas")
        return pandas.DataFrame(self.array, index=list(self.names), columns=list(self.names))

    def to_skbio(self) -> Any:
        """Return a `skbio.DistanceMatrix` (package scikit-bio)."""
        skbio = import_optional("skbio", "scikit-bio")
        return skbio.DistanceMatrix(np.asarray(self.array, np.float64), list(self.names))

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        first, second = (self._find_taxon(one) if isinstance(one, str) else one for one in pair)
        return float(self.array[first, second])

    def _find_taxon(self, name: str) -> int:
        """Return the number of a taxon; raise InputError for an unknown name."""
        if name not in self.names:
            raise InputError(f"{self.data.name}: no taxon is called {name!r}; names holds all of them")
        return self.names.index(name)

    def __len__(self) -> int:
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return as_array(self.array, dtype, copy)

    def _compared_content(self) -> Any:
        return self.names, self.array.tobytes()

    def __str__(self) -> str:
        return pictures.matrix_text(self.names, self.array)

    def _repr_html_(self) -> str:
        return pictures.matrix_svg(self.names, self.array)
