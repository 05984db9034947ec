"""What takes an alignment gives the same for one that is being edited, whose letters are tiles, as for its arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io import (
    aligned_columns,
    aligned_compare,
    aligned_confidence,
    aligned_edits,
    aligned_notes,
    aligned_rows,
    aligned_search,
    aligned_writing,
    tiled_edits,
)
from antidiag.kernels.io.aligned import AlignedSequences, as_written, read_text, unaligned
from antidiag.kernels.io.aligned_kind import ALIGNMENT
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import support
from antidiag.kernels.profiles.files import PROFILE
from antidiag.kernels.profiles.profile import from_alignment
from antidiag.kernels.registry import realigning
from antidiag.kernels.serialization import digest

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
TAKING = [method for method in registry.METHODS if {ALIGNMENT, PROFILE} & {one.kind for one in method.problem.inputs}]


def both(text: str) -> tuple[AlignedSequences, AlignedSequences]:
    """An alignment after edits, as tiles, and as arrays."""
    (found,) = read_text(text)
    tiles = aligned_edits.insert_gaps(tiled_edits.tiled(found), np.array([1, 3]), 4, 2)
    tiles = aligned_edits.delete_columns(tiles, np.arange(tiles.letters.shape[1]) == 8)
    tiles = aligned_edits.set_letters(tiles, np.array([0]), np.arange(tiles.letters.shape[1]) == 2, "A")
    assert isinstance(tiles.letters, Tiles)
    flat = tiled_edits.flat(tiles)
    assert isinstance(flat.letters, np.ndarray)
    return tiles, flat


def given(method: Method, alignment: AlignedSequences) -> list[Any]:
    """Data for a method, of an alignment and of its rows."""
    found: list[Any] = []
    for taken in method.problem.inputs:
        if taken.kind in (ALIGNMENT, PROFILE):
            found += [alignment] * taken.minimum
        elif taken.kind is SEQUENCE:
            found += unaligned(alignment)[: taken.minimum]
        else:
            assert not taken.minimum, f"{method.id} takes a {taken.kind.label}, which this test does not make"
    return found


def answer(method: Method, alignment: AlignedSequences) -> str:
    data = given(method, alignment)
    problem = method.problem.make(data, dict(method.problem.defaults(data)))
    result = engine.execute(engine.plan(method, problem, backend="cpu"), keep_rate=False, keep=False)
    result.check(result.problem)
    return digest(result.answer)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("method", [method for method in TAKING if "cpu" in method.backends], ids=lambda one: one.id)
def test_every_method_that_takes_an_alignment(method: Method, kind: str) -> None:
    tiles, flat = both(TEXTS[kind])
    assert answer(method, tiles) == answer(method, flat)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("suffix", aligned_writing.WRITERS)
def test_every_format(tmp_path: Path, suffix: str, kind: str) -> None:
    written = []
    for number, alignment in enumerate(both(TEXTS[kind])):
        path = tmp_path / f"{number}{suffix}"
        aligned_writing.write(path, [alignment])
        written.append(path.read_bytes())
    assert written[0] == written[1] != b""


@pytest.mark.parametrize("method", realigning.methods(3), ids=lambda one: one.id)
def test_realigning_by_every_method(method: Method) -> None:
    tiles, flat = both(PROTEINS)
    rows = np.array([0, 2, 4])
    found, wanted = (realigning.realigned(one, method, rows, 2, 14) for one in (tiles, flat))
    assert np.array_equal(as_written(found), as_written(wanted)) and found.annotations == wanted.annotations


def test_joining_splitting_and_adding() -> None:
    tiles, flat = both(PROTEINS)
    new = unaligned(flat)[:2]
    for change in (
        lambda one: realigning.merged(one, one),
        lambda one: realigning.appended(one, one),
        lambda one: realigning.added(one, new),
        lambda one: realigning.aligned_to_the_rest(one, np.array([1, 3])),
        lambda one: aligned_edits.take_rows(one, np.array([3, 1])),
    ):
        found, wanted = change(tiles), change(flat)
        assert found.names == wanted.names and np.array_equal(as_written(found), as_written(wanted))


def test_adding_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realigning, "MANY", 0)
    tiles, flat = both(PROTEINS)
    found, wanted = (realigning.added(one, unaligned(flat)[:2]) for one in (tiles, flat))
    assert np.array_equal(as_written(found), as_written(wanted))


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_told_of_an_alignment(kind: str) -> None:
    tiles, flat = both(TEXTS[kind])
    order = np.arange(len(flat.names))
    every = {
        "counts": lambda one: aligned_columns.count(one.letters).counts,
        "identities": lambda one: aligned_rows.identities(one, 1),
        "lengths": lambda one: aligned_rows.lengths(one),
        "sorted": lambda one: aligned_rows.sorted_by_letters(one, order, np.array([3, 5])),
        "found": lambda one: np.array(aligned_search.find(one, order, "AN 1")),
        "expression": lambda one: np.array(aligned_search.find(one, order, "/[AC]+/")),
        "place": lambda one: np.array([aligned_rows.column_of(one, 1, 4), aligned_rows.positions(one, 1, 7)]),
        "core": lambda one: np.array(aligned_compare.core_columns(one) is None),
        "confidence": lambda one: np.array(aligned_confidence.confidence(one) is None),
        "tags": lambda one: np.array(aligned_notes.tags(one)),
        "profile": lambda one: from_alignment(one).frequencies,
        "gaps": lambda one: aligned_edits.gap_columns(one),
        "sparse": lambda one: aligned_edits.sparse_columns(one, 0.7),
    }  # fmt: skip
    for name, told in every.items():
        assert np.array_equal(told(tiles), told(flat)), name
    if flat.type != SequenceType.PROTEIN:
        for change in (aligned_edits.translate, aligned_edits.reverse_complement):
            assert change(tiles) == change(flat)
    assert tiles == flat and hash(tiles) == hash(flat)
    assert [one.letters for one in unaligned(tiles)] == [one.letters for one in unaligned(flat)]


def test_comparisons_and_posteriors() -> None:
    tiles, flat = both(PROTEINS)
    moved = aligned_edits.move(flat, np.array([1]), 3, 4, 1)
    for test, reference in ((tiles, moved), (moved, tiles), (tiles, flat)):
        found = aligned_compare.compare(test, reference)
        wanted = aligned_compare.compare(*(flat if one is tiles else one for one in (test, reference)))
        assert np.array_equal(found.kept, wanted.kept) and found.scores() == wanted.scores()
    assert aligned_compare.compare(tiles, flat).scores() == (1, 1)
    first, second = (support.of_rows(one, 0, 2, Monitor()) for one in (tiles, flat))
    assert np.array_equal(first.after, second.after) and np.array_equal(first.mean_support, second.mean_support)
