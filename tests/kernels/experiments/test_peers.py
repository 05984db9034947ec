"""Peers: the same scores as the reference, offered only where they can give them."""

from __future__ import annotations

import os
import shutil
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from antidiag.kernels import engine, registry
from antidiag.kernels.experiments import peers
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.peers import PEERS, matrices, programs
from antidiag.kernels.experiments.peers import pairs as peers_pairs
from antidiag.kernels.experiments.point_data.points import PointStatus
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import ProblemInput
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, SubstitutionMatrix, match_mismatch
from tests.example_counts import try_examples
from tests.oracle import best_alignment
from tests.problems import pair, pairs

PAIR_PEERS = [pytest.param(peer, id=peer.id) for peer in peers_pairs.PEERS]


def score(peer, problem: PairProblem) -> float:
    return peer.score(peer.prepare(problem)())


@pytest.mark.parametrize("peer", PAIR_PEERS)
@try_examples(15)
@given(problem=pairs(longest=40))
def test_peers_score_as_the_reference_where_they_are_offered(peer, problem):
    if not peer.why_not(problem):
        assert score(peer, problem) == pytest.approx(problem.scoring.unscale_score(best_alignment(problem).score))


@pytest.mark.parametrize("peer", PAIR_PEERS)
def test_ambiguous_letters_count_the_same(peer):
    if peer.version() is None:
        pytest.skip(f"{peer.name} is not installed")
    unit = peer.id.startswith("edlib")
    scoring = (
        Scoring(match_mismatch(0, -1, "", True), 0, 1) if unit else Scoring(match_mismatch(2, -3, "N", True), 5, 2)
    )
    problems = [pair("ACGTNNACGTACGU", "ACGTACRTACGT", scoring, mode) for mode in Mode]
    offered = [problem for problem in problems if not peer.why_not(problem)]
    assert offered
    assert [score(peer, problem) for problem in offered] == [best_alignment(problem).score for problem in offered]


def test_edlib_is_offered_for_edit_distances_only():
    (peer,) = (peer for peer in peers_pairs.PEERS if peer.id == "edlib-score")
    scoring = Scoring(match_mismatch(0, -1), 0, 1)
    assert peer.refusal(pair("ACGT", "ACCT", scoring, Mode.GLOBAL)) == ""
    for other in (
        pair("ACGT", "ACCT", scoring, Mode.LOCAL),
        pair("ACGT", "ACCT", Scoring(match_mismatch(0, -1), 1, 1), Mode.GLOBAL),
        pair("ACGT", "ACCT", Scoring(match_mismatch(1, -1), 0, 1), Mode.GLOBAL),
    ):
        assert "edit distances only" in peer.refusal(other)


def test_sixteen_bits_are_offered_only_where_they_suffice():
    peer = next(peer for peer in peers_pairs.PEERS if peer.id == "parasail-score-16")
    scoring = Scoring(match_mismatch(2, -3), 5, 2)
    assert peer.refusal(pair("A" * 16_383, "A" * 16_383, scoring)) == ""
    assert "beyond the 16-bit limit" in peer.refusal(pair("A" * 16_384, "A" * 20_000, scoring))
    assert "beyond the 16-bit limit" in peer.refusal(pair("A" * 9000, "A" * 9000, scoring, Mode.GLOBAL))
    assert peer.refusal(pair("A" * 5000, "A" * 5000, scoring, Mode.GLOBAL)) == ""


WIDE = SubstitutionMatrix("wide", "ABCD", np.array(
    [[-20, -160, 100, 160], [-160, -80, -100, 40], [100, -100, -140, 20], [160, 40, 20, 60]], float
))  # fmt: skip
NARROW = SubstitutionMatrix("narrow", "ABCD", np.array(
    [[-27, 41, -46, -22], [41, 5, 9, -33], [-46, 9, 11, -38], [-22, -33, -38, 23]], float
))  # fmt: skip


PROTEIN = SequenceType.PROTEIN


@pytest.mark.parametrize(("problem", "refused"), [
    pytest.param(pair("AACGTTA", "TTACGAA", Scoring(match_mismatch(2, -3), 0, 2), mode), "striped scores", id=str(mode))
    for mode in Mode
] + [
    pytest.param(pair("CCB", "DD", Scoring(WIDE, 3, 1), kind=PROTEIN), "of 160 exceeds", id="score of 160"),
    pytest.param(pair("AAAA", "AA", Scoring(NARROW, 400, 3), kind=PROTEIN), "of 403 exceeds", id="gap of 403"),
])  # fmt: skip
def test_parasail_is_refused_where_its_score_can_be_wrong(problem: PairProblem, refused: str):
    peers_by_id = {peer.id: peer for peer in peers_pairs.PEERS}
    assert refused in peers_by_id["parasail-score-sat"].refusal(problem)
    for name in ("parasail-path-32", "parasail-path-scan"):
        assert peers_by_id[name].refusal(problem) == ""
        assert score(peers_by_id[name], problem) == best_alignment(problem).score


def test_long_gaps_in_a_lane_do_not_overflow_parasails_scan():
    """The scan of 8 bits gives 82 for the first of these, and that of 16 bits is wrong for the second."""
    (peer,) = (peer for peer in peers_pairs.PEERS if peer.id == "parasail-path-scan")
    for scoring in (Scoring(NARROW, 1, 45), Scoring(match_mismatch(-9, -9999), 1, 9000)):
        problem = pair("A" * 67, "A" * 41, scoring, kind=PROTEIN)
        assert score(peer, problem) == best_alignment(problem).score == 0


def test_a_peer_that_is_not_installed_says_how_to_get_it(monkeypatch):
    peer = next(peer for peer in peers_pairs.PEERS if peer.id == "edlib-score")
    monkeypatch.setattr(peers_pairs, "version", lambda _: (_ for _ in ()).throw(peers_pairs.PackageNotFoundError))
    peers_pairs.package_version.cache_clear()
    try:
        reason = peer.why_not(pair("A", "A", Scoring(match_mismatch(0, -1), 0, 1), Mode.GLOBAL))
    finally:
        peers_pairs.package_version.cache_clear()
    assert reason == "edlib, distance is not installed; pip install edlib"


def test_a_peer_whose_matrix_does_not_fit_is_refused(monkeypatch):
    peer = next(peer for peer in peers_pairs.PEERS if peer.id == "biopython-path")
    monkeypatch.setattr("antidiag.kernels.experiments.peers.peer.host_bytes_free", lambda: 100)
    assert "it needs 200 B of host memory; 100 B is free" in peer.why_not(
        pair("A" * 10, "A" * 10, Scoring(match_mismatch(2, -3), 5, 2))
    )


def test_peers_stand_beside_methods_that_give_no_more_than_they_do():
    def found(method: str) -> set[str]:
        return {peer.id for peer in peers.peers_of_method(registry.find_method(method))}

    assert {"parasail-score-32", "parasail-score-sat", "parasail-path-32", "edlib-score"} <= found("striped-score")
    assert "parasail-path-32" in found("striped-alignment")
    assert "parasail-score-32" not in found("striped-alignment")
    assert not found("striped-score") & {"mafft", "quicktree", "scipy-floyd-warshall"}


def test_programs_of_multiple_alignment_suit_any_number_of_sequences():
    problem: Any = SimpleNamespace(id="multiple", inputs=(ProblemInput(SEQUENCE, 2, None),))
    method: Any = SimpleNamespace(id="any", problem_type=problem, returns=frozenset({"alignment"}))
    aligners = {"mafft", "mafft-parttree", "clustalw", "famsa", "pyfamsa"}
    assert {peer.id for peer in peers.peers_of_method(method)} == aligners
    assert {peer.id for peer in peers.peers_of_method(registry.find_method("msa-parttree"))} == aligners
    assert not {peer.id for peer in peers.peers_of_method(registry.find_method("parttree"))} & aligners
    problem.inputs = (ProblemInput(SEQUENCE, 2, 2),)
    assert peers.peers_of_method(method) == ()


def test_a_peer_in_a_sweep_is_a_point_like_any_other():
    first = Sequence("a", b"ACGTACGTAC", SequenceType.DNA)
    sweep = Sweep(
        ("striped-score", "biopython-score", "edlib-score", "quicktree"),
        Loaded((first, first)),
        backends=("cpu",),
        repeats=2,
    )
    ours, theirs, refused, misplaced = runner.run_sweep(sweep)
    assert (ours.score, theirs.score) == (20, 20)
    assert theirs.is_peer
    assert "one thread" in theirs.counts
    assert list(theirs.phase_spreads) == ["call"]
    assert theirs.versions["Biopython PairwiseAligner.score"]
    assert refused.status is PointStatus.REFUSED
    assert "QuickTree" in misplaced.reason


def test_a_peer_with_another_score_is_reported(monkeypatch):
    monkeypatch.setattr(peers_pairs, "_prepare_biopython", None)
    peer = next(peer for peer in peers.PEERS if peer.id == "biopython-score")
    liar = peer.__class__(**{name: getattr(peer, name) for name in peer.__dataclass_fields__} | {
        "id": "liar", "prepare": lambda problem: lambda: 1.0
    })  # fmt: skip
    monkeypatch.setattr(peers, "PEERS", (liar,))
    found = runner.run_sweep(Sweep(("striped-score", "liar"), Generated(length=50), backends=("cpu",), repeats=1))
    assert found[1].status is PointStatus.WRONG
    assert "the answer is 1, and StripedScore on the cpu" in found[1].reason


MATRIX = np.array([[0, 5, 9, 9, 8], [5, 0, 10, 10, 9], [9, 10, 0, 8, 7], [9, 10, 8, 0, 3], [8, 9, 7, 3, 0]], float)
TAXA: Any = SimpleNamespace(matrix=SimpleNamespace(names=tuple("abcde"), values=MATRIX), negative="keep")


@pytest.mark.parametrize("peer", [programs.PEERS[-1], matrices.PEERS[0]], ids=lambda peer: peer.id)
def test_peers_for_trees_make_a_tree_of_all_taxa(peer):
    if peer.why_not(TAXA):
        pytest.skip(peer.why_not(TAXA))
    assert peer.answer(peer.prepare(TAXA)()) == "5 taxa"


@pytest.mark.parametrize(("method", "peer", "length"), [
    ("upgma", "scipy-upgma", 12),
    ("distance-ktuple", "clustalw-quicktree", 30),
])  # fmt: skip
def test_peers_for_trees_and_distances_take_all_taxa(method: str, peer: str, length: int):
    problem_type = registry.find_method(method).problem_type
    problem = problem_type.make_problem(
        Generated(type=SequenceType.PROTEIN, length=length, count=12).make_data(problem_type), {}
    )
    found = next(one for one in PEERS if one.id == peer)
    if reason := found.why_not(problem):
        pytest.skip(reason)
    assert found.accepts(registry.find_method(method))
    assert found.answer(found.prepare(problem)()) == "12 taxa"


@pytest.mark.parametrize("name", ["forward", "posterior", "baum-welch"])
def test_hmmlearn_sums_what_we_sum(name: str):
    method, peer = registry.find_method(f"hmm-{name}"), next(one for one in PEERS if one.id == f"hmmlearn-{name}")
    options = {"iterations": 2, "tolerance": 0.0} if name == "baum-welch" else {}
    problem = method.problem_type.make_problem(
        Generated("random", length=(4, 90)).make_data(method.problem_type), options
    )
    if reason := peer.why_not(problem):
        pytest.skip(reason)
    answer = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False).answer
    expected = answer.log_probabilities[-1] if name == "baum-welch" else answer.log_probability
    assert peer.accepts(method)
    assert peer.prepare(problem)() == pytest.approx(expected, rel=1e-9)


def test_scipy_finds_shortest_paths():
    peer = next(peer for peer in matrices.PEERS if peer.id == "scipy-floyd-warshall")
    weights = np.array([[0, 1, np.inf], [np.inf, 0, 2], [np.inf, np.inf, 0]])
    for predecessors in (False, True):
        problem: Any = SimpleNamespace(graph=SimpleNamespace(names="abc", weights=weights), predecessors=predecessors)
        assert peer.prepare(problem)() == 1 + 2 + 3


FAMSA = f"""#!{sys.executable}
import sys
if len(sys.argv) != 3:
    sys.exit("FAMSA (Fast and Accurate Multiple Sequence Alignment) version 2.2.3")
records = [record.split() for record in open(sys.argv[1]).read().split(">")[1:]]
columns = max(len(letters) for _, letters in records)
open(sys.argv[2], "w").write("".join(f">{{name}}\\n{{letters:-<{{columns}}}}\\n" for name, letters in records))
"""
"""Takes what FAMSA takes and gives an alignment: no system has a package of the program."""


@pytest.fixture
def with_famsa(tmp_path, monkeypatch):
    """FAMSA is there, or what stands for it."""
    if shutil.which("famsa") is None and os.name == "posix":
        (tmp_path / "famsa").write_text(FAMSA)
        (tmp_path / "famsa").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        programs.program_version.cache_clear()
        yield
        programs.program_version.cache_clear()
    else:
        yield


@pytest.mark.usefixtures("with_famsa")
@pytest.mark.parametrize("peer", [peer for peer in programs.PEERS if peer.any_number_of], ids=lambda peer: peer.id)
def test_programs_align_what_they_are_given(peer):
    made = Generated(length=60, count=None).make_data(registry.find_method("striped-score").problem_type)
    problem: Any = pair("A", "C", Scoring(match_mismatch(1, -1), 0, 1))
    problem = PairProblem(made[0], made[1], problem.scoring)
    if peer.version() is None:
        pytest.skip(f"{peer.name} is not on the PATH")
    assert 60 <= peer.prepare(problem)() <= 120
    assert "columns" in peer.answer(60)


def test_a_program_that_fails_says_why(tmp_path):
    from antidiag.kernels.errors import InputError

    with pytest.raises(InputError, match=r"python.* failed \(3\): no luck"):
        programs.run_program(
            [sys.executable, "-c", "import sys; print('no luck', file=sys.stderr); sys.exit(3)"],
            SimpleNamespace(name=str(tmp_path)),  # type: ignore[arg-type]
        )


def test_plain_numpy_finds_the_most_probable_path():
    from antidiag.kernels.experiments.peers import models
    from antidiag.kernels.hmm import reference
    from antidiag.kernels.hmm.model import hmm
    from antidiag.kernels.hmm.model.problem import HmmProblem

    letters = Sequence("x", b"ABHGFCDE" * 20, SequenceType.PROTEIN)
    made = HmmProblem(hmm.make_random_hmm(5, np.random.default_rng(1)), letters)
    found, states = models.numpy_viterbi(*made.log_probabilities, made.observations)
    np.testing.assert_array_equal(states, reference.find_best_path(made))
    peer = next(peer for peer in models.PEERS if peer.id == "numpy-viterbi")
    assert peer.prepare(made)() == found and peer.accepts(registry.find_method("viterbi-persistent"))
