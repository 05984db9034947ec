"""Guide trees of many sequences: distances are those of plain counters, and MAFFT's rules hold at their borders."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree import cpu, sizes, trials
from antidiag.kernels.parttree.cpu_counts import Batch, Found
from antidiag.kernels.parttree.problem import PART_TREE, PartTreeAnswer, PartTreeProblem, draw_key
from antidiag.kernels.parttree.recursion import Told
from antidiag.kernels.parttree.reference import Textbook
from antidiag.kernels.parttree.words import letters_of
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances import reference
from antidiag.kernels.trees.distances.problem import SixmerProblem
from antidiag.kernels.trees.distances.trials import AMINO_ACIDS, family
from antidiag.kernels.trials import Chance

METHODS = ("parttree", "cuda-parttree", "parttree-serial")


def answer(id: str, problem: PartTreeProblem, **parameters) -> PartTreeAnswer:
    return engine.execute(engine.plan(registry.method(id), problem, parameters, "cpu"), keep_rate=False).answer


def proteins(*texts: str) -> tuple[Sequence, ...]:
    return tuple(Sequence(f"s{at}", text.encode(), SequenceType.PROTEIN) for at, text in enumerate(texts))


def all_against_all(problem: PartTreeProblem, kind: str, told: list[tuple[int, int]] | None = None) -> Found:
    """Every sequence is a reference, and a member; ``told`` becomes the progress."""
    count = len(problem.sequences)
    letters, log = letters_of(problem.sequences, problem.protein), cpu.Log(Steps(), 1, 0)
    words = cpu.encoded(letters, problem.protein, 2, Monitor())
    measure = (cpu.Indexed if kind == "index" else cpu.Serial)(words, letters.bins, 2, Monitor(), log)
    if told is not None:
        measure.measured = lambda *progress: told.append(progress)
    ends, every = np.array([0, count]), np.arange(count)
    return measure(Batch(every, ends, every, ends, np.array([[0, 0, count]])), True, 0)


@pytest.mark.parametrize(("kind", "seed"), list(product(("index", "maps"), range(8))))
def test_distances_of_all_pairs_are_those_of_plain_counters(kind: str, seed: int) -> None:
    problem = trials.draw(Chance(seed))
    book, count = Textbook(problem), len(problem.sequences)
    expected = [[book.distance(i, j) for j in range(count)] for i in range(count)]
    np.testing.assert_array_equal(all_against_all(problem, kind).everything.reshape(count, count), expected)


@pytest.mark.parametrize("kind", ["index", "maps"])
def test_progress_of_distances_rises_to_its_end(kind: str) -> None:
    told: list[tuple[int, int]] = []
    all_against_all(trials.draw(Chance(2)), kind, told)
    done, totals = zip(*told, strict=True)
    assert list(done) == sorted(done) and {done[-1]} == set(totals)


def test_a_level_takes_a_share_of_what_is_left_and_no_progress_falls() -> None:
    shares: list[float] = []
    tell = Told(Monitor(lambda done, total, phase: shares.append(done / total)), "recursion")
    for groups in ([2500], [900, 400, 5]):
        tell.begin(np.array(groups), 50)
        for distances in (sum(groups), 50 * sum(groups)):
            tell.measure(distances)
            for done in (0, 1, 2):
                tell.measured(done, 2)
    assert shares == sorted(set(shares)) and len(shares) > 5 and 0.4 < shares[-1] < 0.7
    before = shares.copy()
    tell(1, 10)
    assert shares == before, "less than was told before"
    tell(1, 1)
    assert shares[-1] == 1


def test_distances_are_those_of_the_family_of_trees() -> None:
    """Two textbooks, written apart, have one formula: MAFFT's."""
    problem = trials.draw(Chance(3))
    book, other = Textbook(problem), SixmerProblem(problem.sequences)
    for i, j in product(range(len(problem.sequences)), repeat=2):
        if i != j:
            assert book.distance(i, j) == reference.sixmer(other, i, j)


@pytest.mark.parametrize("id", METHODS)
def test_short_empty_and_equal_sequences_are_leaves(id: str) -> None:
    sequences = proteins("", "ACD", "", "ACDEFGHIKL", "ACDEFGHIKL", "X" * 20, "WWWWWWWWWWWW", "ACD")
    found = answer(id, PartTreeProblem(sequences, 3))
    found.check(PartTreeProblem(sequences, 3))
    assert sorted(found.tree.taxa) == [one.name for one in sequences]


@pytest.mark.parametrize("id", METHODS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_sequences(id: str, count: int) -> None:
    problem = PartTreeProblem(proteins(*("ACDEFGHIKL", "ACDEFGHIKV", "WYWYWYWYWY")[:count]))
    assert answer(id, problem).tree.leaves.size == count


def test_a_seed_gives_one_tree_and_another_seed_another() -> None:
    sequences = trials.synthetic(400, 60, 80)
    first, again, other = (answer("parttree", PartTreeProblem(sequences, 8, seed)) for seed in (1, 1, 2))
    assert first.tree == again.tree
    assert first.tree != other.tree


def test_more_references_than_sequences_are_all_of_them() -> None:
    sequences = trials.synthetic(40)
    assert (
        answer("parttree", PartTreeProblem(sequences, 40)).tree
        == answer("parttree", PartTreeProblem(sequences, 5000)).tree
    )


def test_random_sequences_are_all_kept_by_the_filter() -> None:
    """As the paper found for its synthetic sets (section 5.2)."""
    found = answer("parttree", PartTreeProblem(trials.synthetic(600), 100))
    assert found.splits[0].tolist()[2:] == [600, 100, 100]


def test_equal_sequences_are_joined_evenly() -> None:
    problem = PartTreeProblem(proteins(*["ACDEFGHIKLMN"] * 64))
    found = answer("parttree", problem).tree
    assert found.depths.max() == 6
    assert not found.lengths[1:].any()


@pytest.mark.parametrize("threads", [1, 3])
def test_single_linkage_in_blocks_is_that_of_one_block(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method, (short, long) = registry.method("lcs-single-linkage"), (trials.synthetic(90, 1, 12), related())
    for sequences in (short, long, (*short, *long)):
        problem = PartTreeProblem(trials.numbered(sequences))
        lengths = np.array([len(one) for one in problem.sequences])
        assert sizes.linkage_blocks(lengths, threads) == 1
        whole = answer(method.id, problem, threads=threads)
        with monkeypatch.context() as changed:
            for name, value in (("CACHED_BYTES", 1 << 10), ("LEAST_BLOCK", 5), ("LITTLE", 0)):
                changed.setattr(sizes, name, value)
            assert sizes.linkage_blocks(lengths, threads) > 1
            parts = answer(method.id, problem, threads=threads)
        assert parts.tree == whole.tree
        trials.same(problem, parts, trials.textbook(problem), method)


def related() -> tuple[Sequence, ...]:
    """A family whose masks are of one to three words."""
    return tuple(family(np.random.default_rng(3), 40, 90, AMINO_ACIDS, SequenceType.PROTEIN))


def test_keys_depend_on_seed_level_and_sequence() -> None:
    keys = {draw_key(seed, level, sequence) for seed in range(4) for level in range(4) for sequence in range(4)}
    assert len(keys) == 64


def test_options_are_told_and_build_the_problem_again() -> None:
    problem = PART_TREE.build(trials.synthetic(5), {"references": 7, "pick_seed": 3})
    assert PART_TREE.build(problem.data, PART_TREE.option_values(problem)) == problem
    assert PART_TREE.settings(problem) == [("References", "7"), ("Seed", "3")]


def test_notes_tell_of_short_sequences_and_equal_names() -> None:
    problem = PartTreeProblem(tuple(replace(one, name="same") for one in proteins("ACD", "ACDEFGHI")))
    assert any("no word of 6 letters" in note for note in problem.notes)
    assert any("same_2" in note for note in problem.notes)


@pytest.mark.parametrize("id", ["parttree", "msa-parttree"])
def test_a_problem_holds_the_very_sequences(id: str) -> None:
    """Of a million nothing is copied whenever a method is looked at."""
    given = proteins("ACDEFGHIKL", "ACDEFGHIK")
    assert registry.method(id).problem.make(given, {}).sequences is given


@pytest.mark.parametrize("id", ["lcs-single-linkage", "medoid-tree"])
def test_work_grows_with_letters_and_words_of_64(id: str) -> None:
    method, of_words = registry.method(id), {}
    for words in (1, 2, 4):
        problem = PartTreeProblem(trials.synthetic(200, 64 * words, 64 * words), 5)
        of_words[words] = method.work(problem, {})
    assert of_words[1] % 64 == 0
    assert of_words == {words: words**2 * of_words[1] for words in of_words}
