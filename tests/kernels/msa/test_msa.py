"""Multiple alignment: what the conformance suite does not ask for, such as the ends of what can be given."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments.comparison import compare_to_reference, core_columns
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io import aligned_sequences, newick, sequences
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import trials
from antidiag.kernels.msa.pipelines import (
    alignment_nodes,
    clustalw,
    cpu_nodes,
    divergent_sequences,
    guide_tree,
    matrix_series,
)
from antidiag.kernels.msa.pipelines.alignment_nodes import PARTS, AlignmentNode
from antidiag.kernels.msa.pipelines.node_encoding import NodeEncoder
from antidiag.kernels.profiles.column_scores.encoding import round_frequencies
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN
from tests.attack import problems
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples

METHODS = ("msa-thesis", "msa-clustalw")
PEERS = Path(__file__).resolve().parents[4] / "shared" / "data" / "balibase3" / "peers.tsv"
each = pytest.mark.parametrize("method_id", METHODS)


def protein(*letters: bytes) -> tuple[Sequence, ...]:
    return tuple(Sequence(f"s{number}", one, SequenceType.PROTEIN) for number, one in enumerate(letters))


def run(method_id: str, data: tuple, monitor: Monitor | None = None, **options) -> Result:
    method = registry.find_method(method_id)
    problem = method.problem_type.make_problem(data, options)
    result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), monitor, keep_rate=False, keep_parts=False)
    result.check(problem)
    return result


def rows(result: Result) -> list[str]:
    return [row.tobytes().decode() for row in result.answer.alignment.letters]


@each
def test_one_two_three_and_equal_ones(method_id):
    assert rows(run(method_id, protein(b"ACDEF"))) == ["ACDEF"]
    assert rows(run(method_id, protein(b"ACDEF", b"ACDEF"))) == ["ACDEF"] * 2
    assert rows(run(method_id, protein(b"WWCDEFWW", b"WWCDWW", b"WWCDEFWW")))[1].replace("-", "") == "WWCDWW"
    assert rows(run(method_id, protein(*[b"ACDEFGHIKL"] * 9))) == ["ACDEFGHIKL"] * 9


@each
def test_empty_sequences_are_rows_of_gaps(method_id):
    found = run(method_id, protein(b"", b"ACDEF", b"", b"ACDEF"))
    assert rows(found) == ["-----", "ACDEF", "-----", "ACDEF"]
    assert found.answer.tree.leaves.size == 2 and "2 sequences have no letters" in " ".join(found.notes)
    assert rows(run(method_id, protein(b"", b"ACDEF"))) == ["-----", "ACDEF"]
    with pytest.raises(InputError, match="all sequences are empty"):
        run(method_id, protein(b"", b""))


@each
def test_a_long_one_among_short_ones(method_id):
    random = np.random.default_rng(1)
    long = random.choice(list(b"ACDEFGHIKLMNPQRSTVWY"), 30_000).astype(np.uint8)
    short = [long[start : start + 60].tobytes() for start in (100, 15_000, 15_010, 29_000)]
    found = run(method_id, protein(*short, long.tobytes()))
    assert found.answer.alignment.letters.shape[1] >= 30_000


@each
def test_letters_that_no_model_knows(method_id):
    assert rows(run(method_id, protein(b"ACDXXBZJUO*EF", b"ACDXXBZJUO*EF"))) == ["ACDXXBZJUO*EF"] * 2
    bases = [Sequence(f"d{n}", letters, SequenceType.DNA) for n, letters in enumerate((b"ACGTNRYACGT", b"ACGTACGT"))]
    assert len(rows(run(method_id, tuple(bases)))[0]) >= 11


@each
def test_given_stages_are_not_computed(method_id):
    family = trials.generate_family(6, 20)
    whole_run = run(method_id, family)
    assert [stage for stage in whole_run.times_ms if stage not in ("compilation", "transfer")] == [
        "distances",
        "tree",
        *(["weights and steps"] if method_id == "msa-clustalw" else []),
        "alignment",
    ]
    by_tree = run(method_id, (*family, whole_run.answer.tree))
    assert rows(by_tree) == rows(whole_run) and "distances" not in by_tree.times_ms and "tree" not in by_tree.times_ms
    names = [sequence.name for sequence in family]
    by_distances = run(method_id, (*family, make_distance_matrix(names, 1 - np.eye(6))))
    assert "distances" not in by_distances.times_ms and "tree" in by_distances.times_ms


@each
def test_what_is_given_must_fit(method_id):
    family = trials.generate_family(3, 20)
    with pytest.raises(InputError, match="leaf s2 is missing"):
        run(method_id, (*family, newick.parse_newick("(s0:1,s1:1);")[0]))
    with pytest.raises(InputError, match="not among the sequences"):
        run(method_id, (*family, newick.parse_newick("((s0:1,s1:1):1,(s2:1,other:1):1);")[0]))
    with pytest.raises(InputError, match="taxon s2 is missing"):
        run(method_id, (*family, make_distance_matrix(["s0", "s1"], np.array([[0.0, 1], [1, 0]]))))


@each
@pytest.mark.parametrize("stage", ["distances", "tree", "alignment"])
def test_every_stage_hears_a_wish_to_cancel(method_id, stage):
    class Cancelling(Monitor):
        def update(self, done: int, total: int, phase: str = "") -> None:
            if phase == stage:
                self.cancel()
            super().update(done, total, phase)

    with pytest.raises(Cancelled):
        run(method_id, trials.generate_family(12, 40), Cancelling())


@try_examples(20)
@given(data=st.data())
def test_whole_shares_are_those_of_profiles(data):
    choose = HypothesisChooser(data.draw)
    random, symbols = choose.make_generator(), choose.choose_one((5, 21))
    counts = random.integers(0, choose.choose_one((2, 50, 10**6)), (symbols, 30))
    counts[0] += counts.sum(axis=0).max() + 1 - counts.sum(axis=0)
    total = int(counts[:, 0].sum())
    found, squares = cpu_nodes.round_shares(counts, total)
    np.testing.assert_array_equal(found[:, :-1], round_frequencies(counts / total))
    np.testing.assert_array_equal(squares, (found.astype(np.int64) ** 2).sum(axis=0))


@try_examples(20)
@given(data=st.data())
def test_nodes_are_encoded_as_their_profiles_are(data):
    choose = HypothesisChooser(data.draw)
    random = choose.make_generator()
    problem = trials.draw_problem(registry.find_method("msa-clustalw").problem_type, choose, {}, 5, 20)
    alphabet = PROTEIN if problem.is_protein else NUCLEOTIDES
    rule = clustalw.ClustalwRule(problem, alphabet, lambda *leaves: float(random.random()))
    nodes = [_node(random, alphabet, choose.draw_integer(1, 12), place) for place in (0, 1)]
    encoder = NodeEncoder(rule, alphabet)
    fixed = rule.plan_pair(*nodes)
    rule.plan_pair = lambda first, second: fixed
    found = encoder.encode_pair(encoder.plan_pair(*nodes), *nodes)
    expected = alignment_nodes.make_pair_problem(rule, *nodes, alphabet, problem.type).encoded
    for name, one, other in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(one, other, name)


def _node(random: np.random.Generator, alphabet: str, columns: int, place: int) -> AlignmentNode:
    rows = random.choice(len(alphabet), (3, columns))
    rows[0] = random.choice(len(alphabet) - 1, columns)
    counts = np.stack([(rows == symbol).sum(axis=0) for symbol in range(len(alphabet))]) * PARTS
    letters = (rows < len(alphabet) - 1).sum(axis=0)
    marks = np.zeros((4, columns), np.int32)
    marks[0], marks[1] = letters, random.integers(0, 2, columns)
    marks[2, 0] = marks[3, -1] = 3
    return AlignmentNode(counts, marks, 3 * PARTS, place, 3)


def test_matrices_of_fewer_mutations_are_powers_of_gonnets():
    known, found = matrix_series.gonnet_matrix(250), matrix_series.gonnet_matrix(120)
    assert known.values[known.letters.index("W"), known.letters.index("W")] == pytest.approx(14.2, abs=0.1)
    assert np.diagonal(found.values).mean() > np.diagonal(known.values).mean()
    np.testing.assert_allclose(found.values, found.values.T)
    odds = 10 ** (matrix_series.gonnet_matrix(125).values / 10)
    frequencies = np.linalg.solve(10 ** (known.values / 10), np.ones(20))
    np.testing.assert_allclose(10 * np.log10(odds * frequencies @ odds), known.values, atol=0.35)


def test_divergent_sequences_wait():
    tree = newick.parse_newick("((a:0.1,b:0.1):0.1,((c:0.1,d:0.1):0.1,(far:2,farther:3):0.1):0.1);")[0]
    followed, alike = divergent_sequences.delay_divergent(tree, 30.0)
    assert followed.taxa == ("a", "b", "c", "d", "far", "farther")
    assert set(followed.taxa[:5]) == set(leaves_below(followed, 1)), "the last one stands beside all others"
    assert alike(0, 1, 1, 1) == pytest.approx(0.8) and alike(0, 4, 4, 1) == 0
    assert divergent_sequences.delay_divergent(tree, 0.0)[0].taxa == tree.taxa[:4] + ("far", "farther")
    near = newick.parse_newick("(a:0.1,(b:0.1,c:0.1):0.1);")[0]
    assert divergent_sequences.delay_divergent(near, 30.0)[0] is near
    apart = newick.parse_newick("(a:2,(b:2,c:3):1);")[0]
    assert len(divergent_sequences.delay_divergent(apart, 30.0)[0]) == len(apart)


def leaves_below(tree: Tree, node: int) -> list[str]:
    return [name for name in tree.names[node : tree.ends[node]] if name]


def test_ways_between_leaves():
    tree = newick.parse_newick("((a:1,b:2):3,(c:4,d:5):6);")[0]
    paths = divergent_sequences.LeafDistances(tree)
    np.testing.assert_allclose(paths.distances_from(0), [0, 3, 14, 15])
    np.testing.assert_allclose(paths.distances_from(2), [14, 15, 0, 9])
    assert paths.nearest_leaf(3) == 2
    np.testing.assert_allclose(divergent_sequences.nearest_distances(tree), [3, 3, 9, 9])
    many = newick.parse_newick("((a:1,b:2,(c:1,d:4):0):3,e:1);")[0]
    ways = np.array([divergent_sequences.LeafDistances(many).distances_from(leaf) for leaf in range(5)])
    np.fill_diagonal(ways, np.inf)
    np.testing.assert_allclose(divergent_sequences.nearest_distances(many), ways.min(axis=0))


def test_branches_beyond_two_are_joined_in_their_order():
    found = guide_tree.resolve_multifurcations(newick.parse_newick("(a:1,b:2,c:3,(d:1,e:1,f:1):2);")[0])
    assert (found.degrees[found.degrees > 0] == 2).all() and found.taxa == tuple("abcdef")
    np.testing.assert_allclose(found.distances[found.leaves], [1, 2, 3, 3, 3, 3])
    with pytest.raises(InputError, match="one branch"):
        guide_tree.resolve_multifurcations(newick.parse_newick("((a:1):1,b:1);")[0])


def test_json_has_the_rows_in_the_order_of_the_input():
    family = trials.generate_family(4, 15)[::-1]
    fields = registry.find_method("msa-clustalw").problem_type.answer_json(run("msa-clustalw", family))
    assert fields["names"] == ["s3", "s2", "s1", "s0"]
    assert [row.replace("-", "").encode() for row in fields["aligned"]] == [one.letters for one in family]
    assert fields["columns"] == len(fields["aligned"][0]) and fields["confidence"] is None
    assert sorted(newick.parse_newick(fields["tree"])[0].taxa) == ["s0", "s1", "s2", "s3"]


@pytest.mark.skipif(not PEERS.exists(), reason="the shared data are elsewhere")
def test_reference_alignments_are_found_at_least_as_well_as_by_clustalw():
    """The small sets of BAliBASE's RV11 and RV12: the mean share of the pairs of core blocks."""
    with open(PEERS, encoding="utf-8") as lines:
        peers = {row["set"]: row for row in csv.DictReader(lines, delimiter="\t") if row["aligner"] == "clustalw"}
    small = [name for name, row in peers.items() if name[:4] in ("RV11", "RV12") and int(row["sequences"]) <= 6]
    assert len(small) > 15
    found = []
    for name in small:
        (reference,) = aligned_sequences.read_alignments(PEERS.parent / f"{name}.xml")
        result = run("msa-clustalw", tuple(sequences.read_sequences(PEERS.parent / f"{name}.tfa")))
        found.append(compare_to_reference(result.answer.alignment, reference).scores(core_columns(reference))[0])
    assert np.mean(found) > np.mean([float(peers[name]["sp_core"]) for name in small]) + 0.01


def test_sequences_of_a_file_keep_their_titles(tmp_path: Path):
    path = tmp_path / "titled.fa"
    path.write_text(">one the first of them\nACDEFG\n>two\nACDFG\n")
    found = run("msa-clustalw", tuple(sequences.read_sequences(path)))
    assert found.answer.alignment.annotations.of_rows == ((0, "DE", "the first of them"),)


def test_whole_sequences_count_beside_fragments_in_clustalw(tmp_path):
    """A family of which a third are halves: whole sequences on short branches hold the halves together."""
    method = registry.find_method("msa-clustalw")
    assert problems.attempt(7, 1960, tmp_path, "cpu", [method]) == ""
