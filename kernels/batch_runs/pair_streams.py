"""Many pairs of files of any size: read, computed and written in pieces, so that memory holds a piece at a time.

Files are read once before anything is computed, to count their sequences and to learn types, letters and names, on
which options and tables depend; then again while the pairs are computed. Tables come out in the order of the input.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, repeat
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import engine
from antidiag.kernels.batch_runs.split_runs import SplitRun
from antidiag.kernels.errors import InputError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.io import packed_files, sequences
from antidiag.kernels.io.files import file_version, write_lines
from antidiag.kernels.io.hit_tables import Hit, QueryHits, group_by_query
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor, PartMonitor
from antidiag.kernels.pairwise.batch import formats, problem
from antidiag.kernels.pairwise.batch.model import ALL, QUERIES, RECORDS, BatchAnswer, BatchProblem
from antidiag.kernels.pairwise.batch.pair_blocks import MOST_LETTERS, MOST_PAIRS, block_problem
from antidiag.kernels.pairwise.hit_records import table_lines
from antidiag.kernels.sequences.sequence_set import pack_sequences

LetterPair = tuple[Sequence, Sequence]

LARGEST_CELLS = 1 << 26
"""Cells of the largest pair that is aligned together with others."""
STREAMED_BYTES, STREAMED_CELLS = 1 << 26, 1 << 34
"""From so many bytes of both files on, or of their product with the pairs QUERIES, files are read in pieces."""
KEPT_BYTES = 1 << 27
"""Targets of up to so many bytes stay in memory while queries pass; larger files are read again for every query."""
PACKED_SHARE = 0.25
"""Share of its size to which a file is packed, as a rule."""


def cut_batches(
    pairs: Iterable[LetterPair], most_letters: int | None = None, most_pairs: int | None = None
) -> Iterator[list[LetterPair]]:
    """Yield batches of pairs whose sequences are of one type; a pair of more than LARGEST_CELLS cells is a batch alone.

    An InputError of the iterable is raised after the pairs before it were yielded.
    """
    most_letters, most_pairs = most_letters or MOST_LETTERS, most_pairs or MOST_PAIRS
    batch: list[LetterPair] = []
    letters = 0
    stream = iter(pairs)
    while True:
        try:
            pair = next(stream, None)
        except InputError:
            if batch:
                yield batch
            raise
        is_large = pair is not None and len(pair[0]) * len(pair[1]) > LARGEST_CELLS
        types = {one.type for one in pair} if pair else set()
        is_full = letters > most_letters or len(batch) == most_pairs
        if batch and (pair is None or is_large or is_full or types != {one.type for one in batch[0]}):
            yield batch
            batch, letters = [], 0
        if pair is None:
            return
        if is_large:
            yield [pair]
            continue
        batch.append(pair)
        letters += len(pair[0]) + len(pair[1])


@dataclass(frozen=True)
class SequenceFile:
    """A file that is read one sequence at a time, and what holds of all its sequences.

    ``letters`` are those that occur in the sequences of each type, ``repeated`` the hashes of first words with which
    several different titles begin.
    """

    path: Path
    version: Any
    type: SequenceType | None
    count: int
    letters: Mapping[SequenceType, bytes]
    repeated: frozenset[int]
    notes: tuple[str, ...]

    @property
    def has_proteins(self) -> bool:
        """Whether any sequence is a protein, so that short ones are taken as proteins, too."""
        return self.type is None and SequenceType.PROTEIN in self.letters

    def iterate_sequences(self, monitor: Monitor) -> Iterator[Sequence]:
        """Yield the sequences, under the names and with the types that `read_sequences` gives them."""
        for one in sequences.iterate_sequences(self.path, self.type, CancelOnlyMonitor(monitor)):
            if self.has_proteins:
                one = sequences.as_peptide(one)
            if hash(one.name) in self.repeated:
                one = replace(one, name=" ".join(sequences.title_of(one).split()))
            yield one

    def refuse_change(self) -> None:
        """Raise InputError where the file changed since it was counted."""
        if file_version(self.path) != self.version:
            raise InputError(f"{self.path}: the file changed while it was read; run again when it is complete")


def survey_file(path: Path, type: SequenceType | None, monitor: Monitor) -> SequenceFile:
    """Read a file once, and return what holds of all its sequences. Raise InputError for a bad record."""
    letters: dict[SequenceType, bytes] = {}
    hashes = array("q")  # of the name and of the title of each sequence

    def look_at_each() -> Iterator[Sequence]:
        for one in sequences.iterate_sequences(path, type, monitor):
            if not one.letters:
                raise InputError(f"{path}: {one.name}: the sequence is empty; remove it")
            if more := one.letters.translate(None, letters.get(one.type, b"")):
                letters[one.type] = letters.get(one.type, b"") + bytes(set(more))
            hashes.extend((hash(one.name), hash(sequences.title_of(one))))
            yield one

    version = file_version(path) if path.is_file() else None
    notes = sequences.reading_notes(look_at_each())
    if not hashes:
        raise InputError(f"{path}: the file has no sequence; give FASTA, GenBank or plain letters")
    different = np.unique(np.frombuffer(hashes, np.int64).reshape(-1, 2), axis=0)[:, 0]
    words, counts = np.unique(different, return_counts=True)
    repeated = frozenset(words[counts > 1].tolist())
    return SequenceFile(path, version, type, len(hashes) // 2, letters, repeated, notes)


@dataclass
class StreamedPairs:
    """What was computed of the pairs of two files: scores in engine units, times, cells, notes, and the best pair."""

    template: BatchProblem
    pair_count: int
    notes: list[str] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)
    times_ms: dict[str, float] = field(default_factory=dict)
    cells: int = 0
    best: tuple[int, str, str] | None = None
    device: tuple[str, str] = ("", "")
    parameters: Mapping[str, Any] = field(default_factory=dict)
    wall_ms: float = 0.0


def is_large_input(pairing: str, files: Sequences[Path]) -> bool:
    """Return whether the pairs of files are read in pieces: where all of them at once could need much memory."""
    sizes = [_unpacked_size(path) for path in files]
    cells = {QUERIES: sizes[0] * sizes[-1], ALL: sum(sizes) ** 2 // 2}.get(pairing, 0)
    return cells > STREAMED_CELLS or sum(sizes) > STREAMED_BYTES


def _unpacked_size(path: Path) -> int:
    """Return the size of a file, an estimate of its unpacked size where it is packed; 0 where there is none."""
    size = path.stat().st_size if path.is_file() else 0
    return int(size / PACKED_SHARE) if packed_files.is_packed(path) else size


class PairStream:
    """The pairs of files, computed in pieces: by this process, or by an executor, whose workers have the sequences."""

    def __init__(
        self,
        method: Method,
        pairing: str,
        files: Sequences[Path],
        options: Mapping[str, Any],
        type: SequenceType | None,
        monitor: Monitor,
        executor: Executor | None = None,
    ) -> None:
        self.method, self.pairing, self.monitor, self.executor = method, pairing, monitor, executor
        self.files = [survey_file(path, type, monitor) for path in files]
        self.pair_count = self._count_pairs()
        self.template = problem.make_batch_problem(self._make_samples(), {**options, "pairing": RECORDS})
        self.found = StreamedPairs(self.template, self.pair_count)

    def _count_pairs(self) -> int:
        first, second = self.files[0], self.files[-1]
        if self.pairing == QUERIES:
            return first.count * second.count
        if self.pairing == ALL:
            problem.SEQUENCES.check(self._count_sequences())
            return self._count_sequences() * (self._count_sequences() - 1) // 2
        if len(self.files) == 1:
            problem.refuse_odd_records(first.count)
            return first.count // 2
        problem.refuse_missing_records({str(one.path): one.count for one in self.files})
        return first.count

    def _count_sequences(self) -> int:
        return sum(one.count for one in self.files)

    def _make_samples(self) -> list[Sequence]:
        """Return a sequence for each file and type, with all letters that occur: what options depend on."""
        samples = [
            Sequence(one.path.name, letters, kind)
            for one in self.files
            for kind, letters in sorted(one.letters.items())
        ]
        return samples + samples[-1:] * (len(samples) % 2)

    @property
    def reading_notes(self) -> tuple[str, ...]:
        """What reading left out or changed."""
        return tuple(dict.fromkeys(note for one in self.files for note in one.notes))

    def _iterate_pairs(self) -> Iterator[LetterPair]:
        """Yield the pairs in their order. Raise InputError at the end where a file changed meanwhile."""
        yield from self._join_sequences()
        self._refuse_changes()

    def _refuse_changes(self) -> None:
        for one in self.files:
            one.refuse_change()

    def _join_sequences(self) -> Iterator[LetterPair]:
        first, second = self.files[0], self.files[-1]
        if self.pairing == ALL:
            yield from combinations(self._iterate_sequences(), 2)
            return
        if self.pairing == QUERIES:
            kept = list(second.iterate_sequences(self.monitor)) if _unpacked_size(second.path) <= KEPT_BYTES else None
            for query in first.iterate_sequences(self.monitor):
                for target in kept if kept is not None else second.iterate_sequences(self.monitor):
                    yield query, target
            return
        others = second.iterate_sequences(self.monitor)
        if len(self.files) == 1:
            others = islice(others, self.pair_count, None)
        yield from zip(islice(first.iterate_sequences(self.monitor), self.pair_count), others, strict=True)

    def _iterate_sequences(self) -> Iterator[Sequence]:
        """Yield the sequences of all files."""
        return chain.from_iterable(one.iterate_sequences(self.monitor) for one in self.files)

    def iterate_hits(self, backend: Any, device: int, parameters: Mapping[str, Any]) -> Iterator[Hit]:
        """Yield each pair as tables take it, while it is computed."""
        begun = time.perf_counter()
        compute = self._compute_batches if self.executor is None else self._share_batches
        for batch, answer in compute(backend, device, parameters):
            self._count_scores(batch, answer)
            for number in range(batch.pair_count):
                self.monitor.check()
                yield formats.make_hit(batch, answer, number)
        self.monitor.update(self.pair_count, self.pair_count, "pairs")
        self.found.wall_ms = 1e3 * (time.perf_counter() - begun)

    def _compute_batches(
        self, backend: Any, device: int, parameters: Mapping[str, Any]
    ) -> Iterator[tuple[BatchProblem, BatchAnswer]]:
        """Yield batches of pairs in their order, each computed by a run of its own."""
        found, done = self.found, 0
        for batch in cut_batches(self._iterate_pairs()):
            whole = replace(self.template, sequences=[one for side in zip(*batch, strict=True) for one in side])
            planned = engine.plan_run(self.method, whole, parameters, backend, device)
            part = PartMonitor(self.monitor, done, self.pair_count, "pairs", size=len(batch), steps=1)
            result = engine.execute(planned, part)
            for name, time_ms in result.times_ms.items():
                found.times_ms[name] = found.times_ms.get(name, 0.0) + time_ms
            found.cells += result.cells
            found.notes += [note for note in result.notes if note not in found.notes]
            found.device, found.parameters = (result.backend, result.device), result.parameters
            done += len(batch)
            yield whole, result.answer

    def _share_batches(
        self, backend: Any, device: int, parameters: Mapping[str, Any]
    ) -> Iterator[tuple[BatchProblem, BatchAnswer]]:
        """Yield batches of pairs in their order, which the workers of the executor compute."""
        assert self.executor is not None
        queries = self.files[0].count if self.pairing == QUERIES else 0
        sequences = pack_sequences(self._iterate_sequences())
        whole = replace(self.template, sequences=sequences, pairing=self.pairing, query_count=queries)
        split = SplitRun(self.method, whole, parameters, self.executor, self.monitor, backend, device)
        for block, answer in split.compute_pieces(split.pieces, self.monitor, in_order=True):
            yield block_problem(whole, block.numbers), answer
        self._refuse_changes()
        place = split.run_place
        self.found.cells, self.found.notes = whole.cells, [split.describe_pieces()]
        self.found.device, self.found.parameters = (place["backend"], place["device"]), place["parameters"]

    def _count_scores(self, batch: BatchProblem, answer: BatchAnswer) -> None:
        """Keep the scores of a batch, and the names of the best pair."""
        found, scores = self.found, answer.scores
        found.scores.append(scores)
        best = int(np.argmax(scores))
        if found.best is None or scores[best] > found.best[0]:
            pair = batch.make_pair(best)
            found.best = int(scores[best]), pair.first.name, pair.second.name

    def write_table(
        self, path: Path, suffix: str, backend: Any, device: int, parameters: Mapping[str, Any]
    ) -> StreamedPairs:
        """Compute all pairs and write them to a file, which appears when it is complete."""
        write_lines(path, self.iterate_lines(suffix, backend, device, parameters))
        return self.found

    def iterate_lines(self, suffix: str, backend: Any, device: int, parameters: Mapping[str, Any]) -> Iterator[str]:
        """Yield the lines of a table of all pairs, in the format of a suffix."""
        hits = self.iterate_hits(backend, device, parameters)
        grouped = group_by_query(hits) if self.pairing == RECORDS else self._group_targets(hits)
        subjects = ((one.name, len(one)) for one in self._iterate_subjects())
        columns = formats.choose_columns(self.template.columns, "alignments" in self.method.returns)
        return table_lines(suffix, formats.drop_unaligned(suffix, grouped), columns, subjects)

    def _iterate_subjects(self) -> Iterator[Sequence]:
        """Yield the sequences that are the second of some pair."""
        if self.pairing == ALL:
            return islice(self._iterate_sequences(), 1, None)
        start = self.pair_count if len(self.files) == 1 else 0
        return islice(self.files[-1].iterate_sequences(self.monitor), start, None)

    def _group_targets(self, hits: Iterator[Hit]) -> Iterator[QueryHits]:
        """Yield the hits of each query, which are read from the stream of all."""
        every_two = range(self._count_sequences() - 1, 0, -1)
        counts: Iterable[int] = every_two if self.pairing == ALL else repeat(self.files[-1].count)
        for first, count in zip(hits, counts, strict=False):
            yield QueryHits(first.query, StreamedHits(first, islice(hits, count - 1), count))


class StreamedHits(Sequences[Hit]):
    """The hits of a query, whose number is known; they can be iterated once, in their order."""

    def __init__(self, first: Hit, others: Iterator[Hit], count: int) -> None:
        self._first, self._others, self._count = first, others, count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Hit]:
        yield self._first
        yield from self._others

    def __getitem__(self, index: Any) -> Any:
        raise TypeError("streamed hits are iterated once, and have no places")
