"""What takes an alignment gives the same for one that is being edited, whose letters are tiles, as for its arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments import (
    alignment_edits,
    block_edits,
    column_confidence,
    column_statistics,
    comparison,
    motif_search,
    row_notes,
    row_statistics,
)
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.io import alignment_writer
from antidiag.kernels.io.aligned_sequences import (
    AlignedSequences,
    read_alignment_text,
    unaligned_sequences,
    written_letters,
)
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import pair_support
from antidiag.kernels.profiles.profile import profile_from_alignment
from antidiag.kernels.profiles.profile_files import PROFILE
from antidiag.kernels.registry import realignment
from antidiag.kernels.serialization import digest_value

PROTEINS = """# STOCKHOLM 1.0
#=GC SS_cons HHHHH-EEEEEE..EEEEE
first        MKVA-LNDSTcCGHW.KIV
second       MKVAALNESTC-GHW.KLV
third        MRIA--NDSTC-GHFTKIV
fourth       --IAALNDSPCCGHW.RIV
#=GR fourth  PP ..999998888777667*9
fifth        MKVG-LQDSTCCGYW.KI-
//
"""
NUCLEOTIDES = ">a\nACGTACGTTA-GCA\n>b\nACGTTCGATAAGCA\n>c\nAC--ACGTTA-GGA\n>d\nACGTACCTTT-GCA\n"
TEXTS = {"proteins": PROTEINS, "nucleotides": NUCLEOTIDES}
TAKING = [
    method for method in registry.METHODS if {ALIGNMENT, PROFILE} & {one.kind for one in method.problem_type.inputs}
]


def both(text: str) -> tuple[AlignedSequences, AlignedSequences]:
    """An alignment after edits, as tiles, and as arrays."""
    (found,) = read_alignment_text(text)
    tiles = alignment_edits.insert_gaps(block_edits.to_blocks(found), np.array([1, 3]), 4, 2)
    tiles = alignment_edits.delete_columns(tiles, np.arange(tiles.letters.shape[1]) == 8)
    tiles = alignment_edits.set_letters(tiles, np.array([0]), np.arange(tiles.letters.shape[1]) == 2, "A")
    assert isinstance(tiles.letters, BlockedCells)
    flat = block_edits.to_arrays(tiles)
    assert isinstance(flat.letters, np.ndarray)
    return tiles, flat


def given(method: Method, alignment: AlignedSequences) -> list[Any]:
    """Data for a method, of an alignment and of its rows."""
    found: list[Any] = []
    for taken in method.problem_type.inputs:
        if taken.kind in (ALIGNMENT, PROFILE):
            found += [alignment] * taken.minimum
        elif taken.kind is SEQUENCE:
            found += unaligned_sequences(alignment)[: taken.minimum]
        else:
            assert not taken.minimum, f"{method.id} takes a {taken.kind.label}, which this test does not make"
    return found


def answer(method: Method, alignment: AlignedSequences) -> str:
    data = given(method, alignment)
    problem = method.problem_type.make_problem(data, dict(method.problem_type.default_options(data)))
    result = engine.execute(engine.plan_run(method, problem, backend="cpu"), keep_rate=False, keep_parts=False)
    result.check(result.problem)
    return digest_value(result.answer)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("method", [method for method in TAKING if "cpu" in method.backends], ids=lambda one: one.id)
def test_every_method_that_takes_an_alignment(method: Method, kind: str) -> None:
    tiles, flat = both(TEXTS[kind])
    assert answer(method, tiles) == answer(method, flat)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("suffix", alignment_writer.WRITERS)
def test_every_format(tmp_path: Path, suffix: str, kind: str) -> None:
    written = []
    for number, alignment in enumerate(both(TEXTS[kind])):
        path = tmp_path / f"{number}{suffix}"
        alignment_writer.write_alignments(path, [alignment])
        written.append(path.read_bytes())
    assert written[0] == written[1] != b""


@pytest.mark.parametrize("method", realignment.realigning_methods(3), ids=lambda one: one.id)
def test_realigning_by_every_method(method: Method) -> None:
    tiles, flat = both(PROTEINS)
    rows = np.array([0, 2, 4])
    found, wanted = (realignment.realign_block(one, method, rows, 2, 14) for one in (tiles, flat))
    assert np.array_equal(written_letters(found), written_letters(wanted)) and found.annotations == wanted.annotations


def test_joining_splitting_and_adding() -> None:
    tiles, flat = both(PROTEINS)
    new = unaligned_sequences(flat)[:2]
    for change in (
        lambda one: realignment.merge_alignments(one, one),
        lambda one: realignment.append_columns(one, one),
        lambda one: realignment.add_sequences(one, new),
        lambda one: realignment.realign_rows_to_others(one, np.array([1, 3])),
        lambda one: alignment_edits.take_rows(one, np.array([3, 1])),
    ):
        found, wanted = change(tiles), change(flat)
        assert found.names == wanted.names and np.array_equal(written_letters(found), written_letters(wanted))


def test_adding_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realignment, "PAIRWISE_LIMIT", 0)
    tiles, flat = both(PROTEINS)
    found, wanted = (realignment.add_sequences(one, unaligned_sequences(flat)[:2]) for one in (tiles, flat))
    assert np.array_equal(written_letters(found), written_letters(wanted))


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_told_of_an_alignment(kind: str) -> None:
    tiles, flat = both(TEXTS[kind])
    order = np.arange(len(flat.names))
    every = {
        "counts": lambda one: column_statistics.count_columns(one.letters).counts,
        "identities": lambda one: row_statistics.row_identities(one, 1),
        "lengths": lambda one: row_statistics.row_lengths(one),
        "sorted": lambda one: row_statistics.sort_by_letters(one, order, np.array([3, 5])),
        "found": lambda one: np.array(motif_search.find_motif(one, order, "AN 1")),
        "expression": lambda one: np.array(motif_search.find_motif(one, order, "/[AC]+/")),
        "place": lambda one: np.array(
            [row_statistics.column_of_letter(one, 1, 4), row_statistics.count_letters_up_to(one, 1, 7)]
        ),
        "core": lambda one: np.array(comparison.core_columns(one) is None),
        "confidence": lambda one: np.array(column_confidence.column_confidence(one) is None),
        "tags": lambda one: np.array(row_notes.note_tags(one)),
        "profile": lambda one: profile_from_alignment(one).frequencies,
        "gaps": lambda one: alignment_edits.gap_columns(one),
        "sparse": lambda one: alignment_edits.sparse_columns(one, 0.7),
    }
    for name, told in every.items():
        assert np.array_equal(told(tiles), told(flat)), name
    if flat.type != SequenceType.PROTEIN:
        for change in (alignment_edits.translate_columns, alignment_edits.reverse_complement):
            assert change(tiles) == change(flat)
    assert tiles == flat and hash(tiles) == hash(flat)
    assert [one.letters for one in unaligned_sequences(tiles)] == [one.letters for one in unaligned_sequences(flat)]


def test_comparisons_and_posteriors() -> None:
    tiles, flat = both(PROTEINS)
    moved = alignment_edits.move_cells(flat, np.array([1]), 3, 4, 1)
    for test, reference in ((tiles, moved), (moved, tiles), (tiles, flat)):
        found = comparison.compare_to_reference(test, reference)
        wanted = comparison.compare_to_reference(*(flat if one is tiles else one for one in (test, reference)))
        assert np.array_equal(found.kept, wanted.kept) and found.scores() == wanted.scores()
    assert comparison.compare_to_reference(tiles, flat).scores() == (1, 1)
    first, second = (pair_support.compute_pair_support(one, 0, 2, Monitor()) for one in (tiles, flat))
    assert np.array_equal(first.after, second.after) and np.array_equal(first.mean_support, second.mean_support)
