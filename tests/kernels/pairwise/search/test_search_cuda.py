"""The GPU's scores of a search, on the emulator: against the textbook, in every shape, with strips and large scores."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.pairwise.search import cuda_shapes
from antidiag.kernels.pairwise.search.score_blocks import DatabaseBlock, SearchQueries, make_code_table
from antidiag.kernels.scoring import Scoring, named_matrix

BLOSUM62 = Scoring(named_matrix("BLOSUM62"), 10, 1)


WIDE = cuda_shapes.SearchKernelShape(8, 8, False)


def _use_shape(monkeypatch, shape: cuda_shapes.SearchKernelShape) -> None:
    """Have the kernels of one shape computed, so that few are compiled."""
    monkeypatch.setattr(cuda_shapes, "choose_shape", lambda letters, paired: shape if paired else WIDE)


def _queries(*queries: np.ndarray, scoring: Scoring = BLOSUM62, factor: int = 1) -> SearchQueries:
    table = make_code_table(scoring.scores * factor, scoring.matrix.codes)
    return SearchQueries(queries, table, scoring.open * factor, scoring.extend * factor)


def _block(sequences: list[np.ndarray], first: int = 0) -> DatabaseBlock:
    lengths = [sequence.size for sequence in sequences]
    return DatabaseBlock(np.concatenate(sequences), np.concatenate([[0], np.cumsum(lengths)]), first)


def _textbook(query: np.ndarray, sequence: np.ndarray, queries: SearchQueries) -> int:
    """Return the score of the best local alignment, a row at a time; F of a row is a running maximum."""
    columns = np.arange(1, sequence.size + 1)
    H, E, best = np.zeros(sequence.size + 1, np.int64), np.full(sequence.size, -(2**40)), 0
    for letter in query:
        E = np.maximum(E, H[1:] - queries.open) - queries.extend
        above = np.maximum(np.maximum(H[:-1] + queries.table[letter, sequence], E), 0)
        opened = np.concatenate([[0], above]) + queries.extend * np.arange(sequence.size + 1) - queries.open
        F = np.maximum.accumulate(opened)[:-1] - queries.extend * columns
        H = np.concatenate([[0], np.maximum(above, F)])
        best = max(best, int(H.max()))
    return best


def _random_sequences(random: np.random.Generator, lengths: list[int]) -> list[np.ndarray]:
    return [random.integers(0, 25, length).astype(np.uint8) for length in sorted(lengths, reverse=True)]


def _plant(query: np.ndarray, sequence: np.ndarray, random: np.random.Generator) -> None:
    """Put a changed copy of the query into a sequence, so that scores are large and gaps are worthwhile."""
    size = min(query.size, sequence.size)
    at, of = random.integers(sequence.size - size + 1), random.integers(query.size - size + 1)
    kept = random.random(size) < 0.8
    sequence[at : at + size][kept] = query[of : of + size][kept]
    if size > 12:
        sequence[at + size // 2 : at + size - 3] = sequence[at + size // 2 + 3 : at + size].copy()


def _score(queries: SearchQueries, blocks: list[DatabaseBlock], report=lambda cells: None) -> list[np.ndarray]:
    scores = importlib.import_module("antidiag.kernels.pairwise.search.cuda_scores")
    run = importlib.import_module("antidiag.kernels.cuda.run").DeviceRun(
        importlib.import_module("antidiag.kernels.monitor").Monitor()
    )
    return [found.scores for found in scores.score_blocks(run, queries, blocks, report)]


def _check(queries: SearchQueries, blocks: list[list[np.ndarray]]) -> None:
    found = _score(queries, [_block(sequences) for sequences in blocks])
    for sequences, scores in zip(blocks, found, strict=True):
        expected = [[_textbook(query, sequence, queries) for sequence in sequences] for query in queries.queries]
        np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("shape", [(4, 16), (8, 24), (32, 16)], ids=str)
def test_scores_are_those_of_the_textbook(emulated, monkeypatch, shape):
    random = np.random.default_rng(1)
    chosen = cuda_shapes.SearchKernelShape(*shape, True)
    _use_shape(monkeypatch, chosen)
    queries = [random.integers(0, 25, size).astype(np.uint8) for size in (1, 33, chosen.strip, 2 * chosen.strip + 5)]
    blocks = [
        _random_sequences(random, lengths) for lengths in ([1, 2, 3, 3, 4, 5, 40, 90, 141, 7, 8], [150], [61, 30])
    ]
    for number, sequences in enumerate(blocks):
        _plant(queries[-1 - number % 2], sequences[0], random)
    _check(_queries(*queries), blocks)


@pytest.mark.slow
@pytest.mark.parametrize("letters", [20, 70], ids=["a strip", "strips"])
def test_groups_start_anew_with_every_sequence(emulated, monkeypatch, letters):
    """Many more sequences than groups of lanes: nothing of one may remain in the next."""
    _use_shape(monkeypatch, cuda_shapes.SearchKernelShape(4, 16, True))
    random = np.random.default_rng(6)
    query = random.integers(0, 20, letters).astype(np.uint8)
    sequences = _random_sequences(random, random.integers(1, 30, 2500).tolist())
    for sequence in sequences[::5]:
        _plant(query, sequence, random)
    _check(_queries(query), [sequences])


def test_large_scores_are_computed_again_in_32_bits(emulated, monkeypatch):
    monkeypatch.setattr(
        cuda_shapes,
        "choose_shape",
        lambda letters, paired: (
            cuda_shapes.SearchKernelShape(32, 16, True) if paired else cuda_shapes.SearchKernelShape(8, 4, False)
        ),
    )
    random = np.random.default_rng(2)
    query = random.integers(0, 20, 90).astype(np.uint8)
    sequences = _random_sequences(random, [100, 60, 60, 20])
    sequences[0][5:95] = query
    sequences[1][:] = query[:60]
    queries = _queries(query, factor=40)  # scores of thousands, costs that fit half precision
    assert cuda_shapes.fits_paired(queries)
    assert _textbook(query, sequences[0], queries) > 4 * cuda_shapes.PAIRED_LIMIT
    _check(queries, [sequences])


def test_costs_beyond_half_precision_are_computed_in_32_bits(emulated, monkeypatch):
    _use_shape(monkeypatch, WIDE)
    random = np.random.default_rng(3)
    query = random.integers(0, 25, 70).astype(np.uint8)
    sequences = _random_sequences(random, [90, 33, 32, 31, 5])
    _plant(query, sequences[0], random)
    queries = _queries(query, factor=1000)
    assert not cuda_shapes.fits_paired(queries)
    _check(queries, [sequences])


def test_long_sequences_are_cut_into_parts_that_overlap(emulated, monkeypatch):
    _use_shape(monkeypatch, cuda_shapes.SearchKernelShape(4, 16, True))
    scores = importlib.import_module("antidiag.kernels.pairwise.search.cuda_scores")
    monkeypatch.setattr(scores, "SHORTEST_PART", 64)
    random = np.random.default_rng(4)
    query = random.integers(0, 25, 6).astype(np.uint8)
    sequences = _random_sequences(random, [1500, 70])
    for at in (0, 317, 900, 1494):
        sequences[0][at : at + 6] = query
    queries = _queries(query)
    span = cuda_shapes.longest_span(query, queries)
    assert cuda_shapes.cut_into_parts(np.array([0, 1500, 1570]), 4 * span, span).owners.size > 3
    _check(queries, [sequences])


def test_parts_hold_every_alignment_of_the_longest_span():
    offsets = np.array([0, 1000, 1010, 1020])
    parts = cuda_shapes.cut_into_parts(offsets, 100, 30)
    assert (np.diff(parts.lengths) <= 0).all() and parts.lengths.max() <= 130
    for begin in range(1000 - 30 + 1):
        inside = (parts.owners == 0) & (parts.begins <= begin) & (parts.begins + parts.lengths >= begin + 30)
        assert inside.any(), f"letters {begin} to {begin + 30} lie in no part"
    assert (parts.owners == 1).sum() == (parts.owners == 2).sum() == 1


def test_cancel_is_heard_between_launches(emulated):
    def cancel(cells: int) -> None:
        raise Cancelled

    random = np.random.default_rng(5)
    with pytest.raises(Cancelled):
        _score(
            _queries(random.integers(0, 25, 9).astype(np.uint8)), [_block(_random_sequences(random, [9, 3]))], cancel
        )


@pytest.mark.parametrize("letters", [1, 40, 144, 500, 1000, 5000])
def test_the_chosen_shape_wastes_little(letters):
    for paired in (True, False):
        shape = cuda_shapes.choose_shape(letters, paired)
        assert shape.table_bytes <= cuda_shapes.TABLE_BYTES
        if letters >= 144:
            assert shape.count_strips(letters) * shape.strip <= (1.35 if paired else 1.8) * letters
