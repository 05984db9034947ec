"""Distances between sequences: counts against the best alignments, words against plain counters."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import RESOURCES, engine
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.registry import find_method
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.trees.distances import problem as rules
from antidiag.kernels.trees.distances import reference
from antidiag.kernels.trees.distances.alignment_columns.column_distances import MODELS, SATURATED, distances_of_rows
from antidiag.kernels.trees.distances.shared_words import kmers
from antidiag.kernels.trees.distances.word_chains import cpu_single_chains, ktuples
from tests import oracle
from tests.example_counts import try_examples
from tests.problems import sequence

SCORINGS = (
    Scoring(named_matrix("BLOSUM62"), 10, 1),
    Scoring(match_mismatch(2, -3), 5, 2),
    Scoring(match_mismatch(1, -1), 0, 1),
    Scoring(match_mismatch(1, 0), 0, 0),
    Scoring(match_mismatch(5, -4), 3, 0),
)

MODES = st.sampled_from((Mode.LOCAL, Mode.GLOBAL))


def distances(id: str, problem, **parameters) -> np.ndarray:
    result = engine.execute(engine.plan_run(find_method(id), problem, parameters, "cpu"))
    result.check(problem)
    return result.answer.distances.values


@st.composite
def families(draw: st.DrawFn, most: int = 20, longest: int = 40, letters: str = "ACDE"):
    """Sequences of any lengths over a few letters, some of them mutated copies of others."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    found: list[str] = []
    for number in range(draw(st.integers(1, most))):
        if found and random.random() < 0.5:
            copy = list(found[random.integers(number)])
            for place in random.integers(0, len(copy), 3):
                copy[place] = str(random.choice(list(letters)))
            found.append("".join(copy[random.integers(min(3, len(copy))) :]) or "A")
        else:
            found.append("".join(random.choice(list(letters), random.integers(1, longest + 1))))
    return tuple(sequence(text, f"s{number}", SequenceType.PROTEIN) for number, text in enumerate(found))


def of_alignment(first, second, scoring: Scoring, mode: Mode) -> float:
    problem = PairProblem(first, second, scoring, mode)
    path = oracle.best_alignment(problem).alignment
    return 1 - path.find_identical(first, second).sum() / min(len(first), len(second))


@try_examples(30)
@given(
    found=families(),
    scoring=st.sampled_from(SCORINGS),
    mode=MODES,
    threads=st.sampled_from((1, 3)),
)
def test_full_distances_are_those_of_the_best_alignments(found, scoring, mode, threads) -> None:
    values = distances("distance-full", rules.FullProblem(found, scoring, mode), threads=threads)
    for i, j in list(combinations(range(len(found)), 2))[:60]:
        assert values[i, j] == of_alignment(found[i], found[j], scoring, mode), (i, j)


def of_sixmers(first: str, second: str) -> float:
    group = {
        letter: str(code)
        for code, letters in enumerate(("AGPST", "ILMVJ", "NDQEBZ", "RHK", "FWY", "C"))
        for letter in letters
    }
    texts = ["".join(group.get(letter, "") for letter in text) for text in (first, second)]
    words = [Counter(text[at : at + 6] for at in range(len(text) - 5)) for text in texts]
    totals = [words[side].total() for side in range(2)]
    short, long = sorted(map(len, texts))
    factor = 1 / (0.1 * short / max(long, 1) + 10_000 / (long + 10_000) + 0.01)
    unlike = 1 - (words[0] & words[1]).total() / min(totals) if min(totals) else 1.0
    return min(unlike * factor, 10.0)


ODD = tuple(
    sequence(letters, f"s{number}", SequenceType.PROTEIN)
    for number, letters in enumerate(
        ("ACDEF*GHIKLACDEFGHIKL", "A", "***", "AC", "ACACACACAC", "*ACDEFG", "GFEDCA*", "AA")
    )
)
"""Letters that are in no group, at ends and between, and fewer letters than words have."""


def plain_words(letters: str, k: int, numbers: dict[str, int], base: int) -> list[int]:
    words = [letters[at : at + k] for at in range(len(letters) - k + 1)]
    known = [all(letter in numbers for letter in word) for word in words]
    return [
        sum(numbers[letter] * base ** (k - 1 - at) for at, letter in enumerate(word)) if is_known else -1
        for word, is_known in zip(words, known, strict=True)
    ]


@pytest.mark.parametrize("letters_at_once", [1, 10, 25, 1000])
def test_6mers_do_not_depend_on_which_sequences_are_looked_at_together(monkeypatch, letters_at_once: int) -> None:
    monkeypatch.setattr(kmers, "BATCH_LETTERS", letters_at_once)
    found = kmers.count_sixmers(ODD, True)
    numbers = {letter: code for code, group in enumerate(kmers.GROUPS) for letter in group}
    for at, own in enumerate(ODD):
        kept = "".join(letter for letter in own.letters.decode() if letter in numbers)
        expected = sorted(Counter(plain_words(kept, kmers.K, numbers, len(kmers.GROUPS))).items())
        part = slice(found.starts[at], found.starts[at + 1])
        assert list(zip(found.kmers[part].tolist(), found.counts[part].tolist(), strict=True)) == expected
        assert found.totals[at] == sum(count for _, count in expected) and found.letters[at] == len(kept)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("letters_at_once", [1, 10, 25, 1000])
def test_tuples_do_not_depend_on_which_sequences_are_looked_at_together(
    monkeypatch, letters_at_once: int, k: int
) -> None:
    monkeypatch.setattr(kmers, "BATCH_LETTERS", letters_at_once)
    found = ktuples.list_ktuples(rules.KtupleProblem(ODD, k, diagonals=5, window=5, word_gap=3))
    numbers = {letter: code for code, letter in enumerate(ktuples.LETTERS)}
    for at, own in enumerate(ODD):
        part, words = slice(found.starts[at], found.starts[at + 1]), plain_words(own.letters.decode(), k, numbers, 22)
        assert found.kmers[part].tolist() == words
        places, starts = found.places[part].tolist(), found.kmer_starts[at].tolist()
        for word in range(found.bins):
            assert places[starts[word] : starts[word + 1]] == [i for i, one in enumerate(words) if one == word]
        assert places[starts[-1] :] == [0] * words.count(-1)


@try_examples(30)
@given(found=families(longest=80, letters="ACDEFXK"))
def test_6mer_distances_are_those_of_plain_counters(found) -> None:
    values = distances("distance-6mer", rules.SixmerProblem(found))
    for i, j in combinations(range(len(found)), 2):
        expected = of_sixmers(found[i].letters.decode(), found[j].letters.decode())
        assert values[i, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("ACDEFGHIKL", "ACDEFGHIKL", 0.0),
        ("ACDEFGHIKL", "LKIHGFEDCA", 0.9),
        ("ACDEFGHIKL", "ACDEFGHIKLACDEFGHIKL", 0.0),
        ("ACDEFGHIKL", "WWWWW", 1.0),
        # Five letters, a step to the next diagonal for 3, and four letters more.
        ("ACDEFGHIKL", "ACDEFWGHIKL", 0.3),
    ],
)
def test_ktuple_distances_by_hand(first: str, second: str, expected: float) -> None:
    found = tuple(sequence(text, text, SequenceType.PROTEIN) for text in (first, second))
    values = distances("distance-ktuple", rules.KTUPLE_DISTANCES.build_problem(found, {}))
    assert values[0, 1] == pytest.approx(expected)


CLUSTALW = (
    ("alpha_human", "alpha_horse", 87.234),
    ("alpha_trout", "myoglobin_tuna", 15.493),
    ("beta_trout", "lamprey", 19.1781),
    ("myoglobin_human", "plant_lupin", 14.3791),
    ("myoglobin_human", "plant_soybean", 12.5874),
    ("myoglobin_seal", "plant_lupin", 12.4183),
    ("myoglobin_pig", "plant_lupin", 12.4183),
    ("myoglobin_turtle", "plant_soybean", 10.4895),
)
"""Scores that ``clustalw -quicktree`` (2.1) prints, in percent; most are of pairs with diagonals of equal counts."""


def test_ktuple_distances_are_those_of_clustalw() -> None:
    found = read_sequences(RESOURCES / "samples" / "globins.fasta")
    values = distances("distance-ktuple", rules.KTUPLE_DISTANCES.build_problem(found, {}))
    place = {one.name: number for number, one in enumerate(found)}
    for first, second, score in CLUSTALW:
        assert 100 * (1 - values[place[first], place[second]]) == pytest.approx(score, rel=1e-5), (first, second)
    above = np.triu_indices(len(found), 1)
    assert (100 * (1 - values[above])).sum() == pytest.approx(9626.6168, abs=276 * 5e-5)


@given(words=st.lists(st.integers(0, 4), min_size=1, max_size=60), top=st.integers(2, 9))
def test_selected_diagonals_have_the_greatest_counts(words: list[int], top: int) -> None:
    counts, order = np.array(words, np.int32), np.arange(len(words), dtype=np.int32)
    first = max(len(words) - top, 0)
    cpu_single_chains._select_greatest(counts, order, first, np.empty((2, len(words)), np.int32))
    assert (np.array(words)[order] == counts).all() and sorted(order) == list(range(len(words)))
    assert order[-1] == len(words) - 1
    assert sorted(counts[first:-1]) == sorted(words[:-1])[first:]


@try_examples(30)
@given(found=families(most=40, longest=60, letters="ACGN"), k=st.integers(1, 2), gap=st.integers(1, 4))
def test_every_cell_and_every_common_word_make_the_same_chains(found, k: int, gap: int) -> None:
    problem = rules.KTUPLE_DISTANCES.build_problem(found, {"ktuple": k, "word_gap": gap, "diagonals": 3, "window": 2})
    values = distances("distance-ktuple", problem)
    for reach in (0, 30 * ktuples.possible_kmers(problem) ** 0.5):  # no sequence, or about half of them
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ktuples, "REACH", reach)
            np.testing.assert_array_equal(distances("distance-ktuple", problem), values)


@try_examples(40)
@given(found=families(most=8, longest=60), k=st.sampled_from((1, 2)), diagonals=st.integers(1, 6))
def test_ktuple_distances_are_shares_of_the_shorter_length(found, k: int, diagonals: int) -> None:
    values = distances(
        "distance-ktuple", rules.KTUPLE_DISTANCES.build_problem(found, {"ktuple": k, "diagonals": diagonals})
    )
    assert values.max() <= 1
    twice = distances(
        "distance-ktuple",
        rules.KTUPLE_DISTANCES.build_problem((*found, found[0]), {"ktuple": k, "diagonals": diagonals}),
    )
    np.testing.assert_array_equal(twice[:-1, :-1], values)
    assert twice[0, -1] == (0 if len(found[0]) >= k else 1)


def rows(*letters: str, kind: SequenceType = SequenceType.DNA) -> AlignedSequences:
    names = tuple(f"r{number}" for number in range(len(letters)))
    return AlignedSequences(names, np.array([list(row.encode()) for row in letters], np.uint8), kind)


def test_models_of_an_alignment_by_hand() -> None:
    found = rows("ACGTACGTAC--", "ACGTACGTGA-A")
    assert distances_of_rows(found, "p")[0][0, 1] == pytest.approx(0.2)
    assert distances_of_rows(found, "jukes-cantor")[0][0, 1] == pytest.approx(-0.75 * np.log(1 - 0.8 / 3))
    kimura = -0.5 * np.log(1 - 0.2 - 0.1) - 0.25 * np.log(1 - 0.2)
    assert distances_of_rows(found, "kimura")[0][0, 1] == pytest.approx(kimura)
    proteins = rows("ACDEFGHIKL", "ACDEFGHIWW", kind=SequenceType.PROTEIN)
    assert distances_of_rows(proteins, "kimura")[0][0, 1] == pytest.approx(-np.log(1 - 0.2 - 0.008))


def test_pairs_beyond_a_model_are_counted_and_put_far_apart() -> None:
    found = rows("AAAA----", "CCCC----", "----GGGG")
    for model, apart in (("p", 1.0), ("jukes-cantor", SATURATED), ("kimura", SATURATED)):
        values, without = distances_of_rows(found, model)
        assert values[0, 1] == values[0, 2] == apart
        assert without == (2 if model == "p" else 3)


def test_tamura_nei_and_logdet_by_hand() -> None:
    """With equal shares of the bases TN93 is Kimura's distance where both kinds of transitions are as frequent."""
    first, second = "ACGT" * 10, "GCGT" + "ATGT" + "CCGT" + "ACGT" * 7
    found = rows(first, second, "GTAC" * 10)
    counts = np.array([sum(text.count(base) for text in (first, second, "GTAC" * 10)) for base in "AGCT"])
    a, g, c, t = counts / counts.sum()
    purine, pyrimidine, q, r, y = 1 / 40, 1 / 40, 1 / 40, a + g, c + t
    expected = -2 * a * g / r * np.log(1 - r * purine / (2 * a * g) - q / (2 * r))
    expected -= 2 * c * t / y * np.log(1 - y * pyrimidine / (2 * c * t) - q / (2 * y))
    expected -= 2 * (r * y - a * g * y / r - c * t * r / y) * np.log(1 - q / (2 * r * y))
    assert distances_of_rows(found, "tn93")[0][0, 1] == pytest.approx(expected, rel=1e-12)
    F = np.array([[8, 1, 1, 0], [0, 10, 0, 0], [0, 0, 9, 1], [0, 0, 0, 10]], float)  # in the order A G C T
    ratio = np.linalg.det(F) / np.sqrt(F.sum(0).prod() * F.sum(1).prod())
    assert distances_of_rows(found, "logdet")[0][0, 1] == pytest.approx(-np.log(ratio) / 4, rel=1e-12)


def test_equal_rows_are_at_0_and_a_base_that_no_row_has_does_not_matter() -> None:
    found = rows("AACCCTTN-A", "AACCCTTN-A", "AACCTTTA-A")
    for model in MODELS:
        values = distances_of_rows(found, model)[0]
        assert values[0, 1] == 0 and 0 < values[0, 2] < 1


@pytest.mark.parametrize("model", ["tn93", "logdet"])
def test_models_of_nucleotides_are_refused_for_proteins(model: str) -> None:
    found = rows("ACDEF", "ACDEW", kind=SequenceType.PROTEIN)
    with pytest.raises(ParameterError, match=f"{model} is for nucleotides.*choose p, jukes-cantor, kimura"):
        rules.ALIGNMENT_DISTANCES.build_problem([found], {"distance_model": model})


def test_p_distances_are_those_of_scikit_bio() -> None:
    skbio = pytest.importorskip("skbio")
    random = np.random.default_rng(3)
    letters = np.array(list(b"ACGT"), np.uint8)[random.integers(0, 4, (8, 90))]
    found = AlignedSequences(tuple("abcdefgh"), letters, SequenceType.DNA)
    texts = [row.tobytes().decode() for row in letters]
    expected = skbio.DistanceMatrix.from_iterable(map(skbio.DNA, texts), skbio.sequence.distance.hamming)
    np.testing.assert_allclose(distances_of_rows(found, "p")[0], expected.data)


def test_problems_that_no_distance_fits_are_refused() -> None:
    with pytest.raises(InputError, match="1 or more sequences"):
        rules.FULL_DISTANCES.build_problem((), {})
    with pytest.raises(InputError, match="is for nucleotides"):
        rules.KTUPLE_DISTANCES.build_problem((sequence("ACD", "a", SequenceType.PROTEIN),), {"ktuple": 3})


@pytest.mark.parametrize("lengths", [(7, 7), (3, 9, 9, 12, 3, 40), (10**5, 10**5, 99_991)])
def test_cells_are_the_products_of_the_lengths_of_all_pairs(lengths) -> None:
    problem = rules.SixmerProblem(tuple(sequence("A" * length) for length in lengths))
    assert problem.cells == sum(first * second for first, second in combinations(lengths, 2))


def computed(method: str, problem) -> rules.DistanceAnswer:
    return engine.execute(engine.plan_run(find_method(method), problem, {"threads": 1}, "cpu")).answer


@pytest.mark.parametrize(("kind", "expected"), [(SequenceType.DNA, 0.5), (SequenceType.PROTEIN, 0.0)])
def test_ambiguous_letters_are_no_identity_of_aligned_pairs(kind, expected):
    """N is asparagine in a protein."""
    both = tuple(sequence("ACGTNNNN", name, kind) for name in "ab")
    problem = rules.FullProblem(both, Scoring(match_mismatch(2, 1), 5, 2))
    assert reference.full_distance(problem, 0, 1) == expected
    assert computed("distance-full", problem).distances.values.tolist() == [[0, expected], [expected, 0]]


def test_columns_with_an_ambiguous_letter_do_not_count():
    letters = np.array([list(b"ACGNNR-A"), list(b"ATGNAR-A"), list(b"NNNNNNNN")], np.uint8)
    problem = rules.AlignedProblem(AlignedSequences(("a", "b", "c"), letters, SequenceType.DNA))
    assert reference.column_distance(problem, 0, 1) == 0.25
    found = computed("distance-alignment", problem)
    assert found.distances.values[0].tolist() == [0, 0.25, 1] and found.pairs_without == 2
