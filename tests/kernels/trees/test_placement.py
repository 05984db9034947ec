"""Placed trees: as many true splits as neighbor joining finds, the same on every device, in linear memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antidiag as ad
from antidiag.app.cli.program import main
from antidiag.kernels import engine
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import numbered_names
from antidiag.kernels.io.newick import newick_text
from antidiag.kernels.io.tree_files import read_trees
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import find_method
from antidiag.kernels.trees.alignment_trees.problem import AlignmentTreeProblem
from antidiag.kernels.trees.alignment_trees.split_support import join_splits
from antidiag.kernels.trees.placement import problem as rules
from antidiag.kernels.trees.placement import trials
from antidiag.kernels.trees.placement.sketches import sketch_sequences
from antidiag.kernels.trees.problem import TreeAnswer
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples

ALIGNED, SKETCHED = "place-alignment", "place-sequences"


def evolve(taxa: int, columns: int, branch: float, seed: int) -> tuple[AlignedSequences, np.ndarray]:
    """Rows that evolve along a random tree by substitutions, and the joins of that tree, whose root is left out."""
    random, letters = np.random.default_rng(seed), np.frombuffer(b"ACGT", np.uint8)
    alive = list(range(taxa))
    joins = []
    while len(alive) > 1:
        pair = [alive.pop(int(random.integers(len(alive)))) for _ in range(2)]
        joins.append(pair)
        alive.append(taxa + len(joins) - 1)
    rows: dict[int, np.ndarray] = {2 * taxa - 2: random.integers(0, 4, columns)}
    for number in range(taxa - 2, -1, -1):
        for child in joins[number]:
            changed = random.random(columns) < random.exponential(branch)
            rows[child] = np.where(
                changed, (rows[taxa + number] + random.integers(1, 4, columns)) % 4, rows[taxa + number]
            )
    found = letters[np.array([rows[taxon] for taxon in range(taxa)])]
    return AlignedSequences(tuple(numbered_names(taxa)), found, SequenceType.DNA), np.array(joins[:-1], np.int32)


def test_interchanges_that_undo_each_other_end() -> None:
    """Two interchanges, each of which makes this tree shorter, made it longer together, and back, round after round."""
    random = np.random.default_rng(190)
    letters = np.frombuffer(b"ACGTUN-", np.uint8)
    changed = random.random((9, 123)) < 0.8
    rows = letters[np.where(changed, random.integers(0, letters.size, changed.shape), 0)]
    aligned = AlignedSequences(numbered_names(9), rows, SequenceType.DNA)
    problem = rules.PlacedAlignmentProblem(aligned, "logdet", 4, 3)
    found = engine.execute(engine.plan_run(find_method(ALIGNED), problem, backend="cpu"), keep_rate=False)
    trials.check_placed(problem, found.answer, None, find_method(ALIGNED))


def share_of_splits(joins: np.ndarray, right: np.ndarray, taxa: int) -> float:
    """Return the share of the splits of the right joins that a tree has."""
    wanted = np.unique(join_splits(right, taxa))
    return float(np.isin(wanted, join_splits(joins, taxa)).mean())


def compute_tree(method: str, problem, **parameters: int) -> TreeAnswer:
    return engine.execute(engine.plan_run(find_method(method), problem, parameters, "cpu")).answer


@pytest.mark.parametrize("seed", [1, 2])
def test_as_many_true_splits_are_found_as_by_neighbor_joining(seed: int) -> None:
    family, right = evolve(600, 700, 0.01, seed)
    placed = compute_tree(ALIGNED, rules.PlacedAlignmentProblem(family, "jukes-cantor", backbone=60))
    joined = compute_tree("nj-alignment", AlignmentTreeProblem(family, "jukes-cantor"))
    assert share_of_splits(placed.joins, right, 600) >= share_of_splits(joined.joins, right, 600) - 0.005


def test_sketches_find_most_splits_of_sequences_that_are_not_aligned() -> None:
    family, right = evolve(300, 1500, 0.01, 3)
    sequences = tuple(
        Sequence(name, row.tobytes(), SequenceType.DNA) for name, row in zip(family.names, family.letters, strict=True)
    )
    problem = rules.PLACED_SEQUENCES.build_problem(sequences, {"backbone": 40})
    assert (problem.word, problem.bins) == (7, 1024)
    assert share_of_splits(compute_tree(SKETCHED, problem).joins, right, 300) > 0.75


def test_sketches_of_equal_words_are_equal_and_estimate_the_jaccard_index() -> None:
    random = np.random.default_rng(4)
    text = "".join(random.choice(list("ACGT"), 4000))
    other = text[:2000] + "".join(random.choice(list("ACGT"), 2000))
    short = "ACG"
    found = tuple(
        Sequence(f"s{at}", one.encode(), SequenceType.DNA) for at, one in enumerate((text, text, other, short))
    )
    problem = rules.PlacedSequencesProblem(found, word=10, bins=2048)
    codes = sketch_sequences(problem, np.arange(4))
    assert np.array_equal(codes[0], codes[1]) and (codes[:3] & 1).all() and not codes[3].any()
    alike = float((codes[0] == codes[2]).mean())
    words = [{one[at : at + 10] for at in range(len(one) - 9)} for one in (text, other)]
    jaccard = len(words[0] & words[1]) / len(words[0] | words[1])
    assert alike == pytest.approx(jaccard + (1 - jaccard) / 32, abs=0.04)
    assert "1 sequence is shorter than a word of 10 letters" in problem.notes[0]


@try_examples(10)
@given(choice=st.data(), seed=st.sampled_from((0, 1)))
def test_emulated_trees_are_those_of_the_cpu(emulated, choice, seed) -> None:
    chooser = HypothesisChooser(choice.draw)
    aligned = trials.draw_aligned(chooser, 80)
    trials.check_placed(
        aligned, emulated(ALIGNED, aligned, seed=seed).answer, compute_tree(ALIGNED, aligned), find_method(ALIGNED)
    )


def test_emulated_sketches_are_placed_as_on_the_cpu(emulated) -> None:
    family, _ = evolve(90, 200, 0.05, 5)
    sequences = tuple(Sequence(f"s{at}", row.tobytes(), SequenceType.DNA) for at, row in enumerate(family.letters))
    problem = rules.PlacedSequencesProblem(sequences, word=6, bins=128, backbone=10)
    found, expected = emulated(SKETCHED, problem).answer, compute_tree(SKETCHED, problem)
    trials.check_placed(problem, found, expected, find_method(SKETCHED))


def test_emulated_device_memory_is_foretold(emulated) -> None:
    import cupy

    problem = rules.PlacedAlignmentProblem(evolve(200, 90, 0.05, 6)[0], backbone=20)
    cupy.get_default_memory_pool().free_all_blocks()
    plan = engine.plan_run(find_method(ALIGNED), problem, {}, "cuda")
    assert 0 < engine.execute(plan).device_bytes <= plan.footprint.device_bytes


def test_the_tree_is_the_same_on_any_number_of_threads() -> None:
    problem = rules.PlacedAlignmentProblem(evolve(1500, 60, 0.03, 7)[0], "kimura", backbone=50)
    one, two = (compute_tree(ALIGNED, problem, threads=threads).tree for threads in (1, 2))
    assert one == two


def test_the_command_line_and_python_write_the_same_tree(tmp_path: Path) -> None:
    family, _ = evolve(40, 120, 0.05, 8)
    path, out = tmp_path / "family.fasta", tmp_path / "family.nwk"
    rows = zip(family.names, family.letters, strict=True)
    path.write_text("".join(f">{name}\n{row.tobytes().decode()}\n" for name, row in rows))
    assert main(["run", ALIGNED, str(path), "--backbone", "10", "--root", "midpoint", "--out", str(out)]) == 0
    (read,) = read_trees(out)
    found = ad.tree(family, method=ALIGNED, backbone=10, root="midpoint")
    assert newick_text(found.data) == newick_text(read)


def test_cancelling_stops_a_placement() -> None:
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == "placement" else None)
    problem = rules.PlacedAlignmentProblem(evolve(500, 100, 0.05, 9)[0], backbone=10)
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(find_method(ALIGNED), problem, {}, "cpu"), monitor)


def test_memory_grows_with_the_number_of_rows() -> None:
    method, planned = find_method(ALIGNED), []
    for rows in (100_000, 1_000_000):
        letters = np.broadcast_to(np.frombuffer(b"A", np.uint8), (rows, 1500))
        problem = rules.PlacedAlignmentProblem(AlignedSequences(tuple(numbered_names(rows)), letters, SequenceType.DNA))
        planned.append(method.cost.estimate_memory(problem, method.parameters.restore({"threads": 16}), "cuda"))
    assert 9 < planned[1].host_bytes / planned[0].host_bytes < 11
    assert planned[1].host_bytes < 3 << 30 and planned[1].device_bytes < 1 << 30


def test_words_that_are_too_long_are_refused() -> None:
    with pytest.raises(InputError, match="word=13 is too long for proteins; give at most 12"):
        rules.PLACED_SEQUENCES.build_problem([Sequence("a", b"ACDEFGHIKL", SequenceType.PROTEIN)] * 2, {"word": 13})
