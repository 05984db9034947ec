"""Alignments that are given: refined, judged, and added to, by posteriors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import Cancelled, InputError, ParameterError
from antidiag.kernels.io import newick
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import trials
from antidiag.kernels.msa.consistency import given_alignment, refinement
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.consistency.groups.column_scorer import CpuColumnScorer
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner, is_better
from antidiag.kernels.msa.consistency.posteriors import cpu_stages, pair_models
from antidiag.kernels.msa.problem import MsaAnswer

FAMILY = trials.generate_family(7, 40)


def run(method: str, *data: Any, **options: object) -> MsaAnswer:
    declared = registry.find_method(method)
    problem = declared.problem_type.make_problem(data, options)
    result = engine.execute(
        engine.plan_run(declared, problem, {"threads": 1}, "cpu"), keep_rate=False, keep_parts=False
    )
    result.check(problem)
    return result.answer


def alignment(*rows: str, kind: SequenceType = SequenceType.PROTEIN) -> AlignedSequences:
    letters = np.frombuffer("".join(rows).encode(), np.uint8).reshape(len(rows), -1)
    return AlignedSequences(tuple(f"s{k}" for k in range(len(rows))), letters, kind)


def text(answer: MsaAnswer) -> list[str]:
    return [row.tobytes().decode() for row in answer.alignment.letters]


@pytest.fixture
def poor() -> AlignedSequences:
    """The family with its gaps anywhere."""
    return insert_random_gaps(FAMILY, np.random.default_rng(2), more=6)


@pytest.fixture
def aligner(poor: AlignedSequences) -> GroupAligner:
    """Its rows in their columns, with weights that differ."""
    encoded = [pair_models.encode_letters(one.letters, True) for one in FAMILY]
    found = cpu_stages.CpuStages(CpuRun()).compute_posteriors(encoded, pair_models.make_protein_models())
    made = GroupAligner.start_alignment(CpuColumnScorer(found, np.arange(1, 8) * 100, CpuRun()), CpuRun())
    refinement.place_given_rows(made, given_alignment.REFINING.make_problem([poor], {}))
    return made


def accuracy(aligner: GroupAligner) -> int:
    """Weighted sum of the posteriors of all pairs of letters in one column, in units."""
    total, places = 0, np.split(aligner.places, aligner.starts[1:])
    for x in range(len(places)):
        for y in range(x + 1, len(places)):
            P = np.rint(aligner.scorer.posteriors.dense(x, y) * 65536).astype(np.int64)
            _, i, j = np.intersect1d(places[x], places[y], return_indices=True)
            total += int(aligner.scorer.weights[x] * aligner.scorer.weights[y] * P[i, j].sum())
    return total


def test_no_merge_lowers_expected_accuracy_and_only_what_is_better_is_taken(
    aligner: GroupAligner,
) -> None:
    columns, random = int(aligner.places.max()) + 1, np.random.default_rng(1)
    rose = 0
    for first, second in refinement.random_splits(7, random):
        before, width, places = accuracy(aligner), columns, aligner.places.copy()
        _, columns = aligner.try_splits([(first, second)], columns, is_better)
        after = accuracy(aligner)
        moved = not np.array_equal(places, aligner.places)
        assert (
            (after > before or (after == before and columns < width)) if moved else (after, columns) == (before, width)
        )
        rose += after > before
        assert np.unique(aligner.places).tolist() == list(range(columns)), "a column is of gaps alone"
    assert rose > 2


def test_every_edge_column_and_half_parts_the_rows(aligner: GroupAligner) -> None:
    joins = np.array([[0, 1], [2, 3], [7, 8], [9, 4], [10, 5], [11, 6]], np.int32)
    edges = refinement.edge_splits(joins)
    assert len({frozenset(map(int, side)) for split in edges for side in split}) == 2 * len(edges) == 2 * (2 * 7 - 3)
    columns = int(aligner.places.max()) + 1
    for first, second in (*edges, *refinement.column_splits(aligner, columns, np.random.default_rng(1))):
        assert first.size and second.size and sorted([*first, *second]) == list(range(7))
    assert refinement.edge_splits(np.empty((0, 2), np.int32)) == []


def test_a_poor_alignment_becomes_as_good_as_one_made_anew(poor: AlignedSequences) -> None:
    before = run("msa-refine", poor, refinement="none")
    after = run("msa-refine", poor, refinement="thorough")
    anew = run("msa", *FAMILY)
    found = [float(one.confidence.sum()) for one in (before, after, anew)]
    assert found[0] < 0.5 * found[2] and found[1] > 0.95 * found[2]
    again = run("msa-refine", after.alignment, refinement="thorough", refinement_seed=7)
    assert again.confidence.sum() >= 0.99 * found[1]


def test_equal_seeds_give_equal_alignments(poor: AlignedSequences) -> None:
    one, other = (run("msa-refine", poor, refinement_seed=5) for _ in range(2))
    assert text(one) == text(other)


def test_confidence_is_what_the_method_said_that_made_the_alignment() -> None:
    made = run("msa", *FAMILY)
    judged = run("msa-refine", made.alignment, refinement="none")
    assert text(judged) == text(made)
    np.testing.assert_array_equal(judged.confidence, made.confidence)
    assert judged.tree == made.tree


def test_judging_keeps_what_is_said_and_leaves_out_columns_of_gaps_alone() -> None:
    said = Annotations(of_rows=((0, "OS", "mouse"),), of_columns=(("SS_cons", "HHHHEE"), ("PP_cons", "999999")))
    whole = replace(alignment("MKVALN", "MK-ALN"), annotations=said)
    found = run("msa-refine", whole, refinement="none").alignment
    assert found.annotations.of_rows == said.of_rows
    assert dict(found.annotations.of_columns).keys() == {"SS_cons", "confidence"}
    with_gaps = replace(alignment("MKV-ALN", "MK--ALN"), annotations=replace(said, of_columns=()))
    problem = given_alignment.REFINING.make_problem([with_gaps], {"refinement": "none"})
    assert problem.notes[-1] == "Dropped 1 column of gaps alone."
    found = run("msa-refine", with_gaps, refinement="none")
    assert text(found) == ["MKVALN", "MK-ALN"] and found.alignment.annotations.of_rows == said.of_rows


def test_a_row_without_letters_stays_one() -> None:
    assert text(run("msa-refine", alignment("MKVALN", "------", "MK-ALN")))[1] == "------"
    assert text(run("msa-refine", alignment("MK-VA"))) == ["MKVA"]


def test_a_given_tree_is_followed(poor: AlignedSequences) -> None:
    tree = newick.parse_newick("((((((s0,s1),s2),s3),s4),s5),s6);")[0]
    assert set(run("msa-refine", poor, tree).tree.taxa) == set(poor.names)
    with pytest.raises(InputError, match="is not among the sequences"):
        given_alignment.REFINING.make_problem(
            [poor, newick.parse_newick("((((((s0,s1),s2),s3),s4),s5),(s6,x));")[0]], {}
        )


LONG = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVV"


def test_added_sequences_leave_the_rows_as_they_are_beside_each_other() -> None:
    # Nobody would align these two rows so; adding must not mend them.
    odd = alignment(LONG + "-----", "-----" + LONG)
    more = Sequence("long", (LONG[:30] + "WWWW" + LONG[30:]).encode(), SequenceType.PROTEIN)
    found = run("msa-add", odd, more, replace(more, name="s0", letters=LONG[:40].encode()))
    assert found.alignment.names == ("s0", "s1", "long", "s0_2")
    rows = found.alignment.letters[:2]
    kept = (rows != GAP).any(axis=0)
    np.testing.assert_array_equal(rows[:, kept], odd.letters)
    assert found.alignment.letters.shape[1] == 79 and found.confidence.shape == (79,)


def test_a_row_taken_out_comes_back_where_it_was() -> None:
    made = run(
        "msa",
        *(
            Sequence(f"s{k}", row.encode(), SequenceType.PROTEIN)
            for k, row in enumerate((LONG, LONG[:30] + LONG[36:], LONG[5:]))
        ),
    ).alignment
    rest = replace(made, names=made.names[:2], letters=made.letters[:2])
    found = run("msa-add", rest, Sequence("s2", LONG[5:].encode(), SequenceType.PROTEIN))
    np.testing.assert_array_equal(found.alignment.letters, made.letters)


def test_what_cannot_be_done_says_why() -> None:
    row = Sequence("dna", b"ACGT", SequenceType.DNA)
    with pytest.raises(InputError, match="use sequences of one type"):
        given_alignment.ADDING.make_problem([alignment("MKVLW"), row], {})
    with pytest.raises(InputError, match="all rows are gaps alone"):
        given_alignment.REFINING.make_problem([alignment("--", "--")], {})
    with pytest.raises(InputError, match="got 0"):
        given_alignment.ADDING.make_problem([alignment("MKVLW")], {})
    with pytest.raises(InputError, match="got 0"):
        given_alignment.REFINING.make_problem([], {})
    with pytest.raises(ParameterError, match="refinement must be one of none, once, thorough; got 'slow'"):
        given_alignment.REFINING.make_problem([alignment("MKVLW")], {"refinement": "slow"})


@pytest.mark.parametrize(
    ("method", "stage"), [("msa-refine", "refinement"), ("msa-add", "adding"), ("msa-add", "refinement")]
)
def test_it_can_be_cancelled(poor: AlignedSequences, method: str, stage: str) -> None:
    declared = registry.find_method(method)
    data = [poor] if method == "msa-refine" else [poor, *(replace(one, name="new") for one in FAMILY)]

    def told(done: int, total: int, phase: str) -> None:
        if phase == stage:
            monitor.cancel()

    monitor = Monitor(told)
    planned = engine.plan_run(declared, declared.problem_type.make_problem(data, {}), {"threads": 1}, "cpu")
    with pytest.raises(Cancelled):
        engine.execute(planned, monitor, keep_rate=False, keep_parts=False)
