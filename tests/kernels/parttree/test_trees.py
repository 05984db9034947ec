"""Guide trees of many sequences: distances are those of plain counters, and MAFFT's rules hold at their borders."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree import sizes, trials
from antidiag.kernels.parttree.kmers.cpu_shared_words import DistanceBatch, MeasuredDistances
from antidiag.kernels.parttree.kmers.word_arrays import concatenate_letters
from antidiag.kernels.parttree.problem import PART_TREE, PartTreeAnswer, PartTreeProblem, draw_key
from antidiag.kernels.parttree.progress import RecursionProgress
from antidiag.kernels.parttree.reference import PartTreeTextbook
from antidiag.kernels.parttree.splitting import cpu
from antidiag.kernels.trees.distances import reference
from antidiag.kernels.trees.distances.problem import SixmerProblem
from antidiag.kernels.trees.distances.trials import AMINO_ACIDS, random_family
from antidiag.kernels.trials import RandomChooser

METHODS = ("parttree", "cuda-parttree", "parttree-serial")


def answer(id: str, problem: PartTreeProblem, **parameters) -> PartTreeAnswer:
    return engine.execute(engine.plan_run(registry.find_method(id), problem, parameters, "cpu"), keep_rate=False).answer


def proteins(*texts: str) -> tuple[Sequence, ...]:
    return tuple(Sequence(f"s{at}", text.encode(), SequenceType.PROTEIN) for at, text in enumerate(texts))


def all_against_all(
    problem: PartTreeProblem, kind: str, progress: list[tuple[int, int]] | None = None
) -> MeasuredDistances:
    """Every sequence is a reference, and a member; ``progress`` becomes the progress."""
    count = len(problem.sequences)
    letters = concatenate_letters(problem.sequences, problem.is_protein)
    steps: list[tuple[int, int]] = [] if progress is None else progress
    ends, every = np.array([0, count]), np.arange(count)
    with CpuRun(threads=2).phase("words") as phase:
        words = cpu.encode_sixmers(letters, problem.is_protein, phase)
        measure = (cpu.IndexedDistances if kind == "index" else cpu.SerialDistances)(
            words, letters.possible_words, phase, lambda *step: steps.append(step)
        )
        return measure(DistanceBatch(every, ends, every, ends, np.array([[0, 0, count]])), True, 0)


@pytest.mark.parametrize(("kind", "seed"), list(product(("index", "maps"), range(8))))
def test_distances_of_all_pairs_are_those_of_plain_counters(kind: str, seed: int) -> None:
    problem = trials.draw_problem(RandomChooser(seed))
    book, count = PartTreeTextbook(problem), len(problem.sequences)
    expected = [[book.distance(i, j) for j in range(count)] for i in range(count)]
    np.testing.assert_array_equal(all_against_all(problem, kind).everything.reshape(count, count), expected)


@pytest.mark.parametrize("kind", ["index", "maps"])
def test_progress_of_distances_rises_to_its_end(kind: str) -> None:
    progress: list[tuple[int, int]] = []
    all_against_all(trials.draw_problem(RandomChooser(2)), kind, progress)
    done, totals = zip(*progress, strict=True)
    assert list(done) == sorted(done) and {done[-1]} == set(totals)


def test_a_level_takes_a_share_of_what_is_left_and_no_progress_falls() -> None:
    shares: list[float] = []
    report = RecursionProgress(Monitor(lambda done, total, phase: shares.append(done / total)), "recursion")
    for groups in ([2500], [900, 400, 5]):
        report.begin_level(np.array(groups), 50)
        for distances in (sum(groups), 50 * sum(groups)):
            report.begin_distances(distances)
            for done in (0, 1, 2):
                report.report_distances(done, 2)
    assert shares == sorted(set(shares)) and len(shares) > 5 and 0.4 < shares[-1] < 0.7
    before = shares.copy()
    report(1, 10)
    assert shares == before, "progress fell"
    report(1, 1)
    assert shares[-1] == 1


def test_distances_are_those_of_the_family_of_trees() -> None:
    """Two textbooks, written apart, have one formula: MAFFT's."""
    problem = trials.draw_problem(RandomChooser(3))
    book, other = PartTreeTextbook(problem), SixmerProblem(problem.sequences)
    for i, j in product(range(len(problem.sequences)), repeat=2):
        if i != j:
            assert book.distance(i, j) == reference.sixmer_distance(other, i, j)


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
    sequences = trials.random_proteins(400, 60, 80)
    first, again, other = (answer("parttree", PartTreeProblem(sequences, 8, seed)) for seed in (1, 1, 2))
    assert first.tree == again.tree
    assert first.tree != other.tree


def test_more_references_than_sequences_are_all_of_them() -> None:
    sequences = trials.random_proteins(40)
    assert (
        answer("parttree", PartTreeProblem(sequences, 40)).tree
        == answer("parttree", PartTreeProblem(sequences, 5000)).tree
    )


def test_random_sequences_are_all_kept_by_the_filter() -> None:
    """As the paper found for its synthetic sets (section 5.2)."""
    found = answer("parttree", PartTreeProblem(trials.random_proteins(600), 100))
    assert found.splits[0].tolist()[2:] == [600, 100, 100]


def test_equal_sequences_are_joined_evenly() -> None:
    problem = PartTreeProblem(proteins(*["ACDEFGHIKLMN"] * 64))
    found = answer("parttree", problem).tree
    assert found.depths.max() == 6
    assert not found.lengths[1:].any()


@pytest.mark.parametrize("threads", [1, 3])
def test_single_linkage_in_blocks_is_that_of_one_block(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method, (short, long) = registry.find_method("lcs-single-linkage"), (trials.random_proteins(90, 1, 12), related())
    for sequences in (short, long, (*short, *long)):
        problem = PartTreeProblem(trials.rename_sequences(sequences))
        lengths = np.array([len(one) for one in problem.sequences])
        assert sizes.linkage_blocks(lengths, threads) == 1
        whole = answer(method.id, problem, threads=threads)
        with monkeypatch.context() as changed:
            changed.setattr(sizes, "CACHED_BYTES", 1 << 10)
            changed.setattr(sizes, "LEAST_BLOCK", 5)
            changed.setattr(sizes, "LITTLE", 0)
            assert sizes.linkage_blocks(lengths, threads) > 1
            parts = answer(method.id, problem, threads=threads)
        assert parts.tree == whole.tree
        trials.check_same(problem, parts, trials.textbook_trees(problem), method)


def related() -> tuple[Sequence, ...]:
    """A family whose masks are of one to three words."""
    return tuple(random_family(np.random.default_rng(3), 40, 90, AMINO_ACIDS, SequenceType.PROTEIN))


def test_keys_depend_on_seed_level_and_sequence() -> None:
    keys = {draw_key(seed, level, sequence) for seed in range(4) for level in range(4) for sequence in range(4)}
    assert len(keys) == 64


def test_options_are_told_and_build_the_problem_again() -> None:
    problem = PART_TREE.build_problem(trials.random_proteins(5), {"references": 7, "pick_seed": 3})
    assert PART_TREE.build_problem(problem.data, PART_TREE.option_values(problem)) == problem
    assert PART_TREE.setting_rows(problem) == [("References", "7"), ("Seed", "3")]


def test_notes_tell_of_short_sequences_and_equal_names() -> None:
    problem = PartTreeProblem(tuple(replace(one, name="same") for one in proteins("ACD", "ACDEFGHI")))
    assert any("same_2" in note for note in problem.notes)
    for method in map(registry.find_method, ("parttree", "cuda-parttree", "parttree-serial")):
        assert any("no word of 6 letters" in note for note in engine.plan_run(method, problem, {}, "cpu").notes)


@pytest.mark.parametrize("id", ["lcs-single-linkage", "medoid-tree"])
def test_distances_of_unrelated_sequences_are_saturated(id: str) -> None:
    method = registry.find_method(id)
    problem = PartTreeProblem(proteins("ACDAC", "ACDAA", "WWWWW", "", "X", "A" * 3 + "W" * 90))
    result = engine.execute(engine.plan_run(method, problem, backend="cpu"))
    assert np.nanmax(result.answer.tree.lengths) == 10
    assert not any("word" in note for note in result.notes)
    assert any("their distance is saturated at 10" in note for note in result.notes)
    near = engine.execute(engine.plan_run(method, PartTreeProblem(proteins("ACDAC", "ACDAA", "ACDWC")), backend="cpu"))
    assert not any("saturated" in note for note in near.notes)


@pytest.mark.parametrize("id", ["parttree", "msa-parttree"])
def test_a_problem_holds_the_very_sequences(id: str) -> None:
    """Of a million nothing is copied whenever a method is looked at."""
    given = proteins("ACDEFGHIKL", "ACDEFGHIK")
    assert registry.find_method(id).problem_type.make_problem(given, {}).sequences is given


@pytest.mark.parametrize("id", ["lcs-single-linkage", "medoid-tree"])
def test_work_grows_with_letters_and_words_of_64(id: str) -> None:
    method, of_words = registry.find_method(id), {}
    for words in (1, 2, 4):
        problem = PartTreeProblem(trials.random_proteins(200, 64 * words, 64 * words), 5)
        of_words[words] = method.cost.count_work(problem, method.parameters(threads=1))
    assert of_words[1] % 64 == 0
    assert of_words == {words: words**2 * of_words[1] for words in of_words}


def test_single_linkage_says_that_references_have_no_effect() -> None:
    method = registry.find_method("lcs-single-linkage")
    sequences = tuple(Sequence(name, b"MKVLAAGIVG", SequenceType.PROTEIN) for name in "abc")
    for options, noted in (({}, False), ({"references": 3}, True), ({"pick_seed": 2}, True)):
        planned = engine.plan_run(method, method.problem_type.make_problem(sequences, options), {}, "cpu")
        assert any("have no effect" in note for note in planned.notes) == noted
