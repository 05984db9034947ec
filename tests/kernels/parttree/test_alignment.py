"""Alignments of many sequences: two are aligned as the textbook has it, rows are whole, given trees are followed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from antidiag.kernels import engine, memory, registry
from antidiag.kernels.errors import MemoryRefused, ParameterError
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.io.newick import newick_text
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parttree import ALIGNMENT_PROBLEM, sizes, symbols, trials
from antidiag.kernels.parttree.progressive import alignment_rules, cpu_profile_pair, cpu_profiles
from antidiag.kernels.parttree.progressive.alignment_rules import leaves_of_tree, make_score_rules
from antidiag.kernels.parttree.progressive.tree_tasks import order_steps
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.steps import StepLog

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"


def proteins(*texts: str) -> tuple[Sequence, ...]:
    return tuple(Sequence(f"s{at}", text.encode(), SequenceType.PROTEIN) for at, text in enumerate(texts))


def answer(problem: MsaProblem) -> MsaAnswer:
    planned = engine.plan_run(registry.find_method("msa-parttree"), problem, {"threads": 2}, "cpu")
    found = engine.execute(planned, keep_rate=False).answer
    found.check(problem)
    return found


def related(count: int, seed: int) -> tuple[Sequence, ...]:
    random = np.random.default_rng(seed)
    ancestor = random.choice(list(AMINO_ACIDS), 40)
    texts = []
    for _ in range(count):
        changed = np.where(random.random(40) < 0.3, random.choice(list(AMINO_ACIDS), 40), ancestor)
        first, last = sorted(random.integers(0, 41, 2).tolist())
        gone = random.random() < 0.5
        texts.append("".join([*changed[:first], *changed[last:]] if gone and last - first < 20 else changed))
    return proteins(*texts)


def costs_of(problem: MsaProblem) -> tuple[dict[tuple[str, str], float], float, float, float]:
    rules = make_score_rules(problem, 2)
    scores = {
        (a, b): float(rules.table[i, j]) for (i, a), (j, b) in itertools.product(enumerate(AMINO_ACIDS), repeat=2)
    }
    return scores, rules.opening, rules.extension, rules.end


def textbook(problem: MsaProblem) -> float:
    """The best score of two sequences (Gotoh 1982), gaps before and behind a sequence by the letter."""
    one, other = (sequence.letters.decode() for sequence in problem.sequences)
    scores, opening, extension, end = costs_of(problem)
    m, n = len(one), len(other)
    never = float("-inf")
    H = {(0, 0): 0.0}
    E, F = {}, {}
    for i, j in itertools.product(range(m + 1), range(n + 1)):
        E[i, j] = F[i, j] = never
        if i:
            first, further = (end, end) if j in (0, n) else (opening, extension)
            E[i, j] = max(H[i - 1, j] - first, E[i - 1, j] - further)
        if j:
            first, further = (end, end) if i in (0, m) else (opening, extension)
            F[i, j] = max(H[i, j - 1] - first, F[i, j - 1] - further)
        if i or j:
            both = H[i - 1, j - 1] + scores[one[i - 1], other[j - 1]] if i and j else never
            H[i, j] = max(both, E[i, j], F[i, j])
    return H[m, n]


def scored(problem: MsaProblem, rows: np.ndarray) -> float:
    """The score of two rows."""
    scores, opening, extension, end = costs_of(problem)
    texts = [row.tobytes().decode() for row in rows]
    total = 0.0
    for at, (a, b) in enumerate(zip(*texts, strict=True)):
        if a != "-" and b != "-":
            total += scores[a, b]
            continue
        row = texts[0] if a == "-" else texts[1]
        if not row[:at].strip("-") or not row[at:].strip("-"):
            total -= end
        else:
            total -= extension if row[at - 1] == "-" else opening
    return total


@pytest.mark.parametrize("seed", range(12))
def test_two_sequences_are_aligned_as_the_textbook_has_it(seed: int) -> None:
    sequences = related(2, seed)
    options = {"gap_open": 6.0, "gap_extend": 1.0, "gap_end": (0.0, 0.5, 1.0)[seed % 3]}
    problem = ALIGNMENT_PROBLEM.make_problem(sequences, options)
    found = answer(problem)
    assert scored(problem, found.alignment.letters) == pytest.approx(textbook(problem), abs=1e-3)


@pytest.mark.parametrize("guide", alignment_rules.GUIDES)
def test_many_sequences_keep_their_letters(guide: str) -> None:
    found = answer(ALIGNMENT_PROBLEM.make_problem(related(60, 5), {"guide": guide}))
    assert found.alignment.letters.shape[0] == 60


def test_equal_sequences_have_equal_rows() -> None:
    sequences = related(12, 3)
    twice = proteins(*(one.letters.decode() for one in (*sequences, *sequences)))
    letters = answer(ALIGNMENT_PROBLEM.make_problem(twice, {})).alignment.letters
    np.testing.assert_array_equal(letters[:12], letters[12:])


def test_the_alignment_of_equal_sequences_has_no_gap() -> None:
    assert (answer(ALIGNMENT_PROBLEM.make_problem(proteins(*["ACDEFGHIKL"] * 9), {})).alignment.letters != GAP).all()


def test_empty_sequences_are_rows_of_gaps() -> None:
    found = answer(ALIGNMENT_PROBLEM.make_problem(proteins("ACDEF", "", "ACDF", "A"), {}))
    assert (found.alignment.letters[1] == GAP).all()
    assert len(found.tree.taxa) == 3


def test_a_given_tree_is_followed() -> None:
    sequences = related(5, 7)
    tree = Tree.from_joins([one.name for one in sequences], np.array([[3, 1], [5, 0], [2, 4], [6, 7]]))
    found = answer(ALIGNMENT_PROBLEM.make_problem((*sequences, tree), {}))
    assert newick_text(found.tree) == newick_text(tree)


def test_joins_of_a_tree_are_those_that_made_it() -> None:
    sequences = related(5, 7)
    names = [one.name for one in sequences]
    tree = Tree.from_joins(names, np.array([[3, 1], [5, 0], [2, 4], [6, 7]]))
    leaves, joins = leaves_of_tree(ALIGNMENT_PROBLEM.make_problem(sequences, {}), tree)
    assert Tree.from_joins(names, joins) == tree
    assert leaves.sequences.tolist() == leaves.own.tolist() == [0, 1, 2, 3, 4]


def test_a_branch_of_equal_sequences_is_one_leaf() -> None:
    sequences = proteins("ACDEF", "GHIKL", "GHIKL", "ACDEF", "GHIKL")
    tree = Tree.from_joins([one.name for one in sequences], np.array([[4, 2], [5, 1], [3, 6], [0, 7]]))
    leaves, joins = leaves_of_tree(ALIGNMENT_PROBLEM.make_problem(sequences, {}), tree)
    assert leaves.sequences.tolist() == [0, 1, 3]
    assert leaves.own.tolist() == [0, 1, 1, 2, 1]
    assert joins.tolist() == [[2, 1], [0, 3]]


def test_the_larger_branch_is_aligned_first_and_few_profiles_wait() -> None:
    chain = np.array([[0, 1], *([at + 1, 63 + at] for at in range(1, 63))])
    waiting = most = 0
    for leaf in order_steps(chain, 64).leaf.tolist():
        waiting += 1 if leaf >= 0 else -1
        most = max(most, waiting)
    assert most == 2


def test_gap_costs_grow_with_the_family() -> None:
    problem = ALIGNMENT_PROBLEM.make_problem(related(3, 1), {"growth": 1.0})
    small, large = (make_score_rules(problem, count).opening for count in (100, 100_000))
    assert small == 15.0
    assert large == pytest.approx(15.0 * np.log2(100_000 / 7) ** 2 / 45)


def test_extending_a_gap_costs_no_more_than_opening_it() -> None:
    with pytest.raises(ParameterError, match="gap_extend must be at most gap_open"):
        ALIGNMENT_PROBLEM.make_problem(related(3, 1), {"gap_open": 3.0, "gap_extend": 9.0})


def test_many_long_sequences_get_a_tree_that_is_quickly_made() -> None:
    assert alignment_rules.choose_guide(trials.random_proteins(200)) == "single-linkage"
    assert (
        alignment_rules.choose_guide(trials.random_proteins(200) * 500) == "single-linkage"
    )  # equal ones are linked once
    different = tuple(Sequence(str(size), b"A" * size, SequenceType.PROTEIN) for size in range(8000, 9500))
    assert alignment_rules.choose_guide(different) == "medoid"


def test_many_long_nucleotide_sequences_get_a_tree_of_sketches() -> None:
    related = mutated(200, 1500, 0.05)
    assert alignment_rules.choose_guide(related) == "sketch"
    assert alignment_rules.choose_guide(related[:20]) == "single-linkage", "few are compared as quickly"
    assert alignment_rules.choose_guide(mutated(200, 1500, 0.8)) == "single-linkage", "hardly a word in common"
    proteins_of_that_length = trials.random_proteins(200, 1500, 1500)
    assert alignment_rules.choose_guide(proteins_of_that_length) == "single-linkage"


def mutated(count: int, length: int, changed: float) -> tuple[Sequence, ...]:
    """Return sequences of which each letter of one ancestor is drawn anew with a probability."""
    random = np.random.default_rng(3)
    ancestor = random.integers(0, 4, length)
    rows = np.where(random.random((count, length)) < changed, random.integers(0, 4, (count, length)), ancestor)
    return tuple(
        Sequence(f"s{number}", np.frombuffer(b"ACGT", np.uint8)[row].tobytes(), SequenceType.DNA)
        for number, row in enumerate(rows)
    )


def test_rows_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ALIGNMENT_PROBLEM.make_problem(related(6, 2), {})
    planned = engine.plan_run(registry.find_method("msa-parttree"), problem, {"threads": 1}, "cpu")
    monkeypatch.setattr(memory, "host_bytes_free", lambda: 100)
    with pytest.raises(MemoryRefused, match="6 rows of"):
        registry.find_method("msa-parttree").load_backend("cpu")(problem, planned.parameters, Monitor(), StepLog())


def planned(*texts: str) -> RunPlan:
    return engine.plan_run(
        registry.find_method("msa-parttree"), ALIGNMENT_PROBLEM.make_problem(proteins(*texts), {}), backend="cpu"
    )


def test_one_long_sequence_among_short_ones_takes_little() -> None:
    foretold = planned(30_000 * "A", *("ACDEFGHIKL" + one for one in AMINO_ACIDS)).footprint.host
    assert foretold["directions"] < 100 * 2**20


def test_work_is_that_of_the_different_sequences() -> None:
    texts = [one.letters.decode() for one in related(30, 1)]
    once, twice = (planned(*texts, *more) for more in ((), texts))
    work = registry.find_method("msa-parttree").cost.count_work
    assert work(once.problem, once.parameters) == pytest.approx(work(twice.problem, twice.parameters), rel=1e-3)


def test_nucleotides_are_aligned_too() -> None:
    texts = ("ACGTACGTACGT", "ACGTACGACGT", "ACGUACGTACGN")
    sequences = tuple(Sequence(f"s{at}", text.encode(), SequenceType.DNA) for at, text in enumerate(texts))
    assert answer(ALIGNMENT_PROBLEM.make_problem(sequences, {})).alignment.letters.shape == (3, 12)


@pytest.mark.parametrize(("count", "shortest", "longest"), [(64, 130, 149), (200, 30, 40), (128, 20, 250)])
@pytest.mark.parametrize("guide", ["single-linkage", "parttree"])
def test_columns_are_foretold_of_unrelated_sequences_too(guide: str, count: int, shortest: int, longest: int) -> None:
    sequences = trials.random_proteins(count, shortest, longest, seed=3)
    problem = ALIGNMENT_PROBLEM.make_problem(list(sequences), {"guide": guide})
    assert not problem.are_related
    columns = answer(problem).alignment.letters.shape[1]
    assert columns / 2 <= sizes._expected_columns(problem) <= 2 * columns


def test_a_family_is_told_from_sequences_that_have_nothing_in_common() -> None:
    assert ALIGNMENT_PROBLEM.make_problem(list(related(60, 1)), {}).are_related
    assert not ALIGNMENT_PROBLEM.make_problem(list(trials.random_proteins(60)), {}).are_related
    assert ALIGNMENT_PROBLEM.make_problem(list(trials.random_proteins(5)), {}).are_related, "few are taken for a family"


def whole_sequences_among_fragments(count: int, seed: int) -> tuple[tuple[Sequence, ...], np.ndarray, np.ndarray]:
    """Two whole sequences with loops between four shared stretches of 15 letters, and fragments of what follows these;
    also the places of the shared letters in both."""
    random = np.random.default_rng(seed)
    draw = lambda size: random.choice(list(AMINO_ACIDS), size)  # noqa: E731
    common, stretches, loops = draw(80), [draw(15) for _ in range(4)], [draw(8) for _ in range(4)]

    def change(letters: np.ndarray, share: float) -> np.ndarray:
        return np.where(random.random(letters.size) < share, draw(letters.size), letters)

    texts, places = [], []
    for side, share in ((0, 0.0), (1, 0.5)):
        parts = [(change(stretches[at], share), loops[at][: 8 * (at % 2 == side)]) for at in range(4)]
        texts.append(np.concatenate([*itertools.chain(*parts), change(common, 0.6 * share)]))
        starts = np.cumsum([0, *(15 + loop.size for _, loop in parts[:-1])])
        places.append((starts[:, None] + np.arange(15)).reshape(-1))
    texts += [change(common, 0.3) for _ in range(count)]
    return proteins(*("".join(text) for text in texts)), *places


def test_fragments_do_not_make_gaps_in_whole_sequences_dearer() -> None:
    found, costs = {}, {"gap_open": 10.0, "gap_extend": 1.5, "gap_end": 1.0}
    for count in (4, 400):
        shares = []
        for seed in range(4):
            family, first, second = whole_sequences_among_fragments(count, seed)
            letters = answer(ALIGNMENT_PROBLEM.make_problem(family, costs)).alignment.letters
            columns = [np.flatnonzero(row != GAP) for row in letters[:2]]
            shares.append((columns[0][first] == columns[1][second]).mean())
        found[count] = np.mean(shares)
    assert found[400] > 0.7
    assert found[400] > found[4] - 0.06


def test_columns_with_hardly_a_letter_take_no_part_in_alignments() -> None:
    rows, columns = 24, 5
    counts = np.zeros((symbols.SYMBOLS, columns), np.float32)
    counts[0] = rows
    counts[:, 1] = counts[:, 2] = 0
    counts[0, 1], counts[symbols.OPENS, 1] = 1, rows - 1
    counts[0, 2], counts[symbols.EXTENDS, 2], counts[symbols.ENDS, 2] = 1, 1, rows - 2
    counts[0, 3], counts[symbols.OPENS, 3], counts[symbols.EXTENDS, 3] = rows - 6, 2, 4
    kept, target = np.zeros(columns + 1, np.int64), np.zeros(counts.size, np.float32)
    size = cpu_profiles.pack_profile(counts.reshape(-1), 0, columns, np.float32(rows), 1, kept, target, 0)
    assert kept[: size + 1].tolist() == [0, 2, 3, 4, 5], "of column 2 one of two rows between their ends has a letter"
    packed = target[: symbols.SYMBOLS * size].reshape(symbols.SYMBOLS, size)
    assert packed[symbols.OPENS].tolist() == [0, 1, 2, 0]
    assert packed[symbols.EXTENDS].tolist() == [0, 0, 4, 0]
    runs = np.zeros((columns + 8, 2), np.int64)
    path = np.array([[0, 1], [cpu_profile_pair.UP, 2], [0, 1]])
    found = cpu_profiles.unpack_runs(path, kept, np.arange(3), runs)
    assert runs[:found].tolist() == [[0, 1], [cpu_profile_pair.UP, 3], [0, 1]]
    path = np.array([[0, 1], [cpu_profile_pair.LEFT, 3], [0, 3]])
    found = cpu_profiles.unpack_runs(path, kept, np.arange(8), runs)
    expected = [[0, 2], [cpu_profile_pair.LEFT, 2], [0, 3]]
    assert runs[:found].tolist() == expected, "letters without a partner stand in the column that was left out"


def family_with_insertions(count: int) -> tuple[Sequence, ...]:
    """Nucleotides that differ in some letters, many with an insertion of their own."""
    random = np.random.default_rng(8)
    text, found = random.choice(list("ACGT"), 60), []
    for number in range(count):
        own = np.where(random.random(60) < 0.1, random.choice(list("ACGT"), 60), text).tolist()
        at = int(random.integers(5, 55))
        own[at:at] = random.choice(list("ACGT"), number % 4).tolist()
        found.append(Sequence(f"s{number}", "".join(own).encode(), SequenceType.DNA))
    return tuple(found)


def test_a_gap_beside_a_column_with_hardly_a_letter_costs_an_opening() -> None:
    family = family_with_insertions(120)
    letters = answer(ALIGNMENT_PROBLEM.make_problem(family, {})).alignment.letters
    occupied = (letters != ord("-")).mean(axis=0)
    assert (occupied > 0.5).sum() == 60
    assert letters.shape[1] < 200
    assert ((letters != ord("-")) & (occupied > 0.5)).sum() >= 0.985 * 60 * len(family)
