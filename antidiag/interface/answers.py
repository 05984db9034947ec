"""What functions return: answers that print well and convert to what other libraries take."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.interface import pictures
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer, distance_files, newick, tree_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree as TreeData
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.registry import result_saving

SHOWN_ROWS = 12
"""Rows of an alignment that `print` shows."""


class Answer:
    """The answer of a run.

    Attributes
    ----------
    result : Result
        The run: method, problem, parameters, device, times of its phases, notes.
    """

    def __init__(self, result: Result) -> None:
        self.result = result

    def __antidiag__(self) -> list[Any]:
        """Return the data in the answer, which other functions take."""
        extract = self.method.problem_type.extract_data
        return list(extract(self.result)) if extract else []

    @property
    def method(self) -> Any:
        """The method that gave the answer."""
        return registry.find_method(self.result.method)

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know about the run: changed data, settings without effect, the device."""
        return self.result.notes

    @property
    def times_ms(self) -> Mapping[str, float]:
        """The time of each phase in ms, with "compilation" and "transfer" apart."""
        return self.result.times_ms

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as it is saved in JSON: origin, costs and answer."""
        return result_saving.result_json(self.result)

    def save(self, path: str | Path, format: str | None = None) -> None:
        """Save the answer in the format of the file's suffix, or of ``format``, such as ".paf"."""
        result_saving.write_result(path, self.result, format)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.result.method))

    def _identity(self) -> Any:
        """Return what makes two answers equal."""
        return {**self.method.problem_type.answer_json(self.result)}

    def __repr__(self) -> str:
        problem = self.method.problem_type
        text = f"{problem.answer_label} {problem.format_answer(self.result)}".strip()
        return f"<{type(self).__name__} by {self.result.method}: {text}>"

    def __str__(self) -> str:
        rows = self.method.problem_type.answer_rows(self.result)
        width = max((len(label) for label, _ in rows), default=0)
        return "\n".join(f"{label:{width}}  {text}" for label, text in rows)


class PairAlignment(Answer):
    """The best alignment of two sequences.

    Iteration gives the two rows. A method that returns only a score has no rows.
    """

    @property
    def score(self) -> int | float:
        """The score in the units of the matrix."""
        return self.result.score

    @property
    def start(self) -> tuple[int, int]:
        """Letters before the alignment in the first and in the second sequence."""
        return _cell(self._path.start)

    @property
    def end(self) -> tuple[int, int]:
        """Letters of both sequences up to the end of the alignment."""
        return _cell(self.result.answer.end)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sequences."""
        first, second = self.result.problem.sequences
        return first.name, second.name

    @cached_property
    def rows(self) -> tuple[str, str]:
        """Both rows with '-' for gaps."""
        return self._path.gapped_rows(*self.result.problem.sequences)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self._path.operations.size)

    @cached_property
    def identity(self) -> float:
        """Columns with the same letter twice, divided by all columns; 0 for an empty alignment."""
        same = self._path.find_identical(*self.result.problem.sequences)
        return float(same.mean()) if same.size else 0.0

    @property
    def cigar(self) -> str:
        """The CIGAR with = X I D; the first sequence is the query."""
        return self._path.format_cigar(*self.result.problem.sequences)

    @property
    def match_line(self) -> str:
        """A character a column: '|' for equal letters, '.' for others, ' ' for a gap."""
        kinds = self._path.column_kinds(*self.result.problem.sequences)
        return np.frombuffer(b"|  .", np.uint8)[kinds].tobytes().decode()

    def to_biopython(self) -> Any:
        """Return a `Bio.Align.Alignment` of the aligned letters, its first row the first sequence."""
        from Bio.Align import Alignment as BioAlignment
        from Bio.Seq import Seq
        from Bio.SeqRecord import SeqRecord

        cells = self._path.list_cells()
        turns = np.flatnonzero(np.diff(self._path.operations.astype(np.int16))) + 1
        corners = np.unique(np.concatenate(([0], turns, [len(cells) - 1])))
        records = [
            SeqRecord(Seq(one.letters.decode()), id=one.name, description=one.description)
            for one in self.result.problem.sequences
        ]
        found = BioAlignment(records, cells[corners].T.copy())
        found.score = self.score
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __str__(self) -> str:
        if self.result.answer.alignment is None:
            return super().__str__()
        return pictures.pair_text(self.rows, self.match_line, self.start, self.names)

    def _repr_html_(self) -> str:
        if self.result.answer.alignment is None:
            return f"<p>{repr(self)[1:-1]}</p>"
        return pictures.alignment_html(self.names, [row.encode() for row in self.rows], self._is_protein)

    @property
    def _is_protein(self) -> bool:
        return any(one.type == SequenceType.PROTEIN for one in self.result.problem.sequences)

    @property
    def _path(self) -> Any:
        path = self.result.answer.alignment
        if path is None:
            raise InputError(f"{self.result.method} returns only the score; use a method that aligns, or no method")
        return path


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
        return type(self) is type(other) and self._identity() == other._identity()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.data.summary}>"

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
        skbio = _import_optional("skbio", "scikit-bio")
        of_type = {SequenceType.DNA: skbio.DNA, SequenceType.RNA: skbio.RNA, SequenceType.PROTEIN: skbio.Protein}
        rows = zip(self.names, self.rows, strict=True)
        return skbio.TabularMSA([of_type[self.data.type](row, metadata={"id": name}) for name, row in rows])

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row a sequence and a column a column (package pandas)."""
        pandas = _import_optional("pandas")
        return pandas.DataFrame(self.array.astype(str), index=list(self.names))

    def __len__(self) -> int:
        return len(self.data.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __getitem__(self, number: int) -> str:
        return np.asarray(self.data.letters)[number].tobytes().decode("ascii")

    def _identity(self) -> Any:
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
        skbio = _import_optional("skbio", "scikit-bio")
        return skbio.TreeNode.read(io.StringIO(self.newick))

    def plot(self, axes: Any = None) -> Any:
        """Draw the tree with Matplotlib (package matplotlib) and return the axes."""
        from Bio import Phylo

        plt = _import_optional("matplotlib.pyplot", "matplotlib")
        axes = axes or plt.subplots()[1]
        Phylo.draw(self.to_biopython(), axes=axes, do_show=False)
        return axes

    def _identity(self) -> Any:
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
        pandas = _import_optional("pandas")
        return pandas.DataFrame(self.array, index=list(self.names), columns=list(self.names))

    def to_skbio(self) -> Any:
        """Return a `skbio.DistanceMatrix` (package scikit-bio)."""
        skbio = _import_optional("skbio", "scikit-bio")
        return skbio.DistanceMatrix(np.asarray(self.array, np.float64), list(self.names))

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        at = [self.names.index(one) if isinstance(one, str) else one for one in pair]
        return float(self.array[at[0], at[1]])

    def __len__(self) -> int:
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.array, dtype) if dtype is not None or copy else self.array

    def _identity(self) -> Any:
        return self.names, self.array.tobytes()

    def __str__(self) -> str:
        return pictures.matrix_text(self.names, self.array)

    def _repr_html_(self) -> str:
        return pictures.matrix_svg(self.names, self.array)


class StatePath(Answer):
    """The states of a sequence under a hidden Markov model, and the probability of the sequence."""

    @property
    def log_probability(self) -> float:
        """The natural logarithm of the probability: of the path (Viterbi), or of the sequence."""
        return float(self.result.answer.log_probability)

    @property
    def states(self) -> np.ndarray | None:
        """The number of the state of each letter, uint16; None where no path is possible or none was asked for."""
        return getattr(self.result.answer, "states", None)

    @property
    def posterior(self) -> np.ndarray | None:
        """The probability of each state at each letter, shape (letters, states); None for methods without."""
        return getattr(self.result.answer, "posterior", None)

    @property
    def state_names(self) -> list[str] | None:
        """The name of the state of each letter, or None where ``states`` is."""
        names = self.result.problem.hmm.states
        return None if self.states is None else [names[state] for state in self.states.tolist()]


class Structure(Answer):
    """A secondary structure with the most base pairs."""

    @property
    def dot_bracket(self) -> str:
        """The structure in dot-bracket notation."""
        return self.result.answer.dot_bracket

    @property
    def pairs(self) -> int:
        """The number of base pairs."""
        return int(self.result.answer.pairs)

    def __str__(self) -> str:
        return f"{self.result.problem.sequence.letters.decode()}\n{self.dot_bracket}"


class ShortestPaths(Answer):
    """Shortest paths between all vertices of a graph."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the vertices."""
        return tuple(self.result.problem.graph.names)

    @cached_property
    def distances(self) -> np.ndarray:
        """The length of every shortest path, shape (vertices, vertices), float64; infinite where there is none."""
        answer, problem = self.result.answer, self.result.problem
        if answer.distances is None:
            raise InputError(f"{problem.title}: the graph has a negative cycle, so there are no shortest paths")
        found = np.asarray(answer.distances, np.float64)
        return np.where(np.asarray(answer.distances) < problem.limit, found, np.inf)

    def path(self, start: Any, end: Any) -> list[str]:
        """Return the names of the vertices of a shortest path, both ends included; empty if there is none."""
        at = [self.result.problem.graph.find_vertex(str(one)) for one in (start, end)]
        return [self.names[vertex] for vertex in self.result.answer.path(self.result.problem, *at)]


class Product(Answer):
    """The product of two matrices over an algebra such as (min, +)."""

    @property
    def array(self) -> np.ndarray:
        """The product, float64; infinite where no sum is finite."""
        return self.result.answer.as_floats(self.result.problem)


def _import_optional(module: str, package: str = "") -> Any:
    """Import a library that the program does without; InputError says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module
        raise InputError(f"this needs the package {package}; install it: pip install {package}") from error


def _cell(cell: Any) -> tuple[int, int]:
    """Return a cell as whole numbers of Python."""
    return int(cell[0]), int(cell[1])


def make_answer(result: Result) -> Any:
    """Return the answer of a result, of the class that suits its problem."""
    answer = result.answer
    problem = registry.find_method(result.method).problem_type.id
    by_problem: Mapping[str, Any] = {
        "pair": PairAlignment,
        "folding": Structure,
        "paths": ShortestPaths,
        "bipartite-paths": ShortestPaths,
        "product": Product,
        "viterbi": StatePath,
        "hmm-evaluation": StatePath,
        "hmm-posterior": StatePath,
    }
    if problem in by_problem:
        return by_problem[problem](result)
    if problem == "triple" and answer.alignment is not None:
        return Alignment(_triple_rows(result), result)
    if problem == "hmm-learning":
        from antidiag.interface.models import Model

        return Model(answer.hmm, result)
    data = Answer(result).__antidiag__()
    of_type: Mapping[type, Any] = {AlignedSequences: Alignment, TreeData: Tree, DistanceMatrix: Distances}
    return of_type[type(data[0])](data[0], result) if data and type(data[0]) in of_type else Answer(result)


def _triple_rows(result: Result) -> AlignedSequences:
    """Return the alignment of three sequences."""
    sequences = result.problem.sequences
    rows = result.answer.alignment.gapped_rows(sequences)
    letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for row in rows]).reshape(len(rows), -1)
    letters.setflags(write=False)
    return AlignedSequences(tuple(one.name for one in sequences), letters, sequences[0].type, result.problem.title)
