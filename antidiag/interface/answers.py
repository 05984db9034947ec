"""What functions return: answers that print well and convert to what other libraries take."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.interface import pictures
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.file_conventions import use_conventions
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.model import Result, SequenceType, common_type
from antidiag.kernels.pairwise.model import UNKNOWN_END
from antidiag.kernels.registry import result_saving
from antidiag.kernels.scoring import Strand


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
        return type(self) is type(other) and self._compared_content() == other._compared_content()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.result.method))

    def _compared_content(self) -> Any:
        """Return what makes two answers equal."""
        return {**self.method.problem_type.answer_json(self.result)}

    def __repr__(self) -> str:
        problem = self.method.problem_type
        text = f"{problem.answer_label} {problem.format_answer(self.result)}".strip()
        return f"<{type(self).__name__} by {self.result.method}: {text}>"

    def _repr_html_(self) -> str:
        return pictures.rows_html(self.method.problem_type.answer_rows(self.result))

    def __str__(self) -> str:
        rows = self.method.problem_type.answer_rows(self.result)
        width = max((len(label) for label, _ in rows), default=0)
        return "\n".join(f"{label:{width}}  {text}" for label, text in rows)


class PairAlignment(Answer):
    """The best alignment of two sequences.

    Iteration gives the two rows. A method that returns only a score has no rows.
    """

    @property
    def problem(self) -> Any:
        """Both sequences, the scoring and the mode."""
        return self.result.problem

    @property
    def answer(self) -> Any:
        """Score, end and alignment in the units of the method."""
        return self.result.answer

    @property
    def score(self) -> int | float:
        """The score in the units of the matrix."""
        return self.problem.scoring.unscale_score(self.answer.score)

    @property
    def start(self) -> tuple[int, int]:
        """Letters before the alignment in the first and in the second sequence, as they are aligned.

        On the reverse strand those of the first are letters of its reverse complement.
        """
        return _cell(self._path.start)

    @property
    def end(self) -> tuple[int, int]:
        """Letters of both sequences up to the end of the alignment, as they are aligned."""
        end = self.answer.end
        if end == UNKNOWN_END:
            raise InputError("scores of many pairs have no ends; use align_many without a method")
        return _cell(end)

    @property
    def strand(self) -> str:
        """The strand of the first sequence: "forward", or "reverse" where its reverse complement is aligned."""
        return str(Strand.REVERSE if self.problem.is_reversed else Strand.FORWARD)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sequences."""
        first, second = self.problem.data
        return first.name, second.name

    @cached_property
    def rows(self) -> tuple[str, str]:
        """Both rows with '-' for gaps."""
        return self._path.gapped_rows(*self.problem.sequences)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self._path.operations.size)

    @cached_property
    def identities(self) -> Mapping[str, float]:
        """The columns with the same letter twice, divided by all "columns", by those "without gaps", and by the letters
        of the "shorter" sequence; 0 for an empty alignment."""
        shares = self._path.count_identities(*self.problem.sequences).shares
        return {name: share for name, (_, share) in zip(("columns", "without gaps", "shorter"), shares, strict=True)}

    @property
    def identity(self) -> float:
        """Columns with the same letter twice, divided by all columns; see `identities` for other definitions."""
        return self.identities["columns"]

    @property
    def cigar(self) -> str:
        """The CIGAR with = X I D; the first sequence is the query."""
        return self.format_cigar("extended")

    def format_cigar(self, style: str) -> str:
        """Return the CIGAR in the style "extended" (= X I D) or "match" (M I D)."""
        with use_conventions(cigar=style):
            return self._path.format_cigar(*self.problem.sequences)

    def save(self, path: str | Path, format: str | None = None, cigar: str | None = None) -> None:
        """Save the answer in the format of the file's suffix, or of ``format``, such as ".paf".

        ``cigar`` is the style of CIGARs: "extended" (= X I D, the default) or "match" (M I D).
        """
        with use_conventions(cigar=cigar):
            super().save(path, format)

    @property
    def match_line(self) -> str:
        """A character a column: '|' for equal letters, '.' for others, ' ' for a gap."""
        kinds = self._path.column_kinds(*self.problem.sequences)
        return np.frombuffer(b"|  .", np.uint8)[kinds].tobytes().decode()

    def to_alignment(self) -> Any:
        """Return both rows as an `Alignment`, which converts to NumPy, pandas and scikit-bio."""
        from antidiag.interface.data_answers import Alignment

        letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for row in self.rows]).reshape(2, -1)
        letters.setflags(write=False)
        first, second = self.problem.sequences
        kind = common_type((first.type, second.type))
        names = make_names_unique((first.name, second.name))
        return Alignment(AlignedSequences(names, letters, kind, self.problem.title))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row a sequence and a column a column (package pandas)."""
        return self.to_alignment().to_pandas()

    def to_skbio(self) -> Any:
        """Return a `skbio.TabularMSA` of both rows (package scikit-bio)."""
        return self.to_alignment().to_skbio()

    def to_biopython(self) -> Any:
        """Return a `Bio.Align.Alignment` of the aligned letters, its first row the first sequence."""
        from Bio.Align import Alignment as BioAlignment
        from Bio.Seq import Seq
        from Bio.SeqRecord import SeqRecord

        cells = self._path.list_cells()
        turns = np.flatnonzero(np.diff(self._path.operations.astype(np.int16))) + 1
        corners = np.unique(np.concatenate(([0], turns, [len(cells) - 1])))
        records = [
            SeqRecord(Seq(one.letters.decode()), id=one.name, description=one.description) for one in self.problem.data
        ]
        coordinates = cells[corners].T.copy()
        if self.problem.is_reversed:  # as Biopython has it: the sequence as given, in descending coordinates
            coordinates[0] = len(self.problem.first) - coordinates[0]
        found = BioAlignment(records, coordinates)
        found.score = self.score
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return as_array(self.to_alignment().array, dtype, copy)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __str__(self) -> str:
        if self.answer.alignment is None:
            return super().__str__()
        return pictures.pair_text(self.rows, self.match_line, self.start, self.names, self.problem.number_letters)

    def _repr_html_(self) -> str:
        if self.answer.alignment is None:
            return f"<p>{repr(self)[1:-1]}</p>"
        return pictures.alignment_html(self.names, [row.encode() for row in self.rows], self._is_protein)

    @property
    def _is_protein(self) -> bool:
        return any(one.type == SequenceType.PROTEIN for one in self.problem.sequences)

    @property
    def _path(self) -> Any:
        path = self.answer.alignment
        if path is None:
            raise InputError(f"{self.result.method} returns only the score; use a method that aligns, or no method")
        return path


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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        found = self.states if self.posterior is None else self.posterior
        if found is None:
            raise InputError(f"{self.result.method} gives a probability alone; use viterbi or posterior")
        return as_array(found, dtype, copy)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row a letter: its state, or the probability of each state."""
        pandas, letters = import_optional("pandas"), list(self.result.problem.sequence.letters.decode("ascii"))
        if self.posterior is not None:
            found = pandas.DataFrame(self.posterior, columns=list(self.result.problem.hmm.states))
            found.insert(0, "letter", letters)
            return found
        if self.states is None:
            raise InputError(f"{self.result.method} gives a probability alone; use viterbi or posterior")
        return pandas.DataFrame({"letter": letters, "state": self.state_names})


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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return as_array(self.distances, dtype, copy)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` of the distances with the names as index and columns (package pandas)."""
        names = list(self.names)
        return import_optional("pandas").DataFrame(self.distances, index=names, columns=names)

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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return as_array(self.array, dtype, copy)


def as_array(values: np.ndarray, dtype: Any, copy: bool | None) -> np.ndarray:
    """Return values for NumPy's ``__array__``: themselves, or a copy of another type or where one is wanted."""
    return np.array(values, dtype) if dtype is not None or copy else values


def import_optional(module: str, package: str = "") -> Any:
    """Import a library that the program does without; InputError says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module
        raise InputError(f"this needs the package {package}; install it: pip install {package}") from error


def _cell(cell: Any) -> tuple[int, int]:
    """Return a cell as whole numbers of Python."""
    return int(cell[0]), int(cell[1])
