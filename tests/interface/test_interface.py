"""``import antidiag``: what users type, what they get, and what errors say."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pickle
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from Bio import Align
from Bio.Align import MultipleSeqAlignment
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from hypothesis import given
from hypothesis import strategies as some

import antidiag as ad
from antidiag.interface import runs
from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.machine import measured_rates
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from tests.documents import ROOT

SAMPLES = ROOT / "resources" / "samples"
FAMILY = {"a": "GATTACAGATTACA", "b": "GATTACATTACA", "c": "GATTACAGATACA", "d": "GATTTCAGATACA"}


def test_the_examples_are_right() -> None:
    public = [getattr(ad, name) for name in ad.__all__]
    functions = {one.__name__: one.__module__ for one in public if inspect.isfunction(one)}
    for module in ("antidiag", *sorted(set(functions.values()))):
        assert not doctest.testmod(importlib.import_module(module)).failed, module
    without = [one for one, module in functions.items() if ">>> " not in getattr(ad, one).__doc__]
    assert without == ["make_database", "read"]  # they write and read files


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, antidiag; print(sorted({'PySide6', 'cupy', 'numba', 'numpy', 'Bio'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    for name in ad.__all__:
        assert getattr(ad, name).__doc__ or name == "__version__"
    assert set(ad.__all__) <= set(dir(ad))
    with pytest.raises(AttributeError, match="no attribute 'aligne'"):
        ad.aligne  # noqa: B018


@pytest.mark.parametrize(
    "first",
    [
        "GATTACA",
        b"gattaca",
        "GAT TAC\nA",
        Seq("GATTACA"),
        SeqRecord(Seq("GATTACA"), id="x"),
        Sequence("x", b"GATTACA", SequenceType.DNA),
        ">x\nGATTACA\n",
    ],
)
def test_a_sequence_may_be_given_in_many_ways(first) -> None:
    assert ad.align(first, "GATACA", match=1, mismatch=-1).score == 4


def test_a_path_is_read_and_letters_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.fasta").write_text(">one\nGATTACA\n")
    (tmp_path / "GATTACA").write_text(">two\nCCC\n")
    assert ad.align(tmp_path / "one.fasta", "GATTACA").names[0] == "one"
    assert ad.align(str(tmp_path / "one.fasta"), "GATTACA").identity == 1
    monkeypatch.chdir(tmp_path)
    assert ad.align("GATTACA", "CCC").names[0] == "two", "a file of this name goes first"


LETTERS = some.text("ACGT", min_size=1, max_size=30)


@given(first=LETTERS, second=LETTERS)
def test_global_alignments_are_those_of_biopython(first: str, second: str) -> None:
    hit = ad.align(first, second, mode="global", match=2, mismatch=-1, gap_open=3, gap_extend=1)
    judge = Align.PairwiseAligner(
        mode="global", match_score=2, mismatch_score=-1, open_gap_score=-4, extend_gap_score=-1
    )
    assert hit.score == judge.score(first, second)
    found = hit.to_biopython()
    assert [found[0], found[1]] == list(hit.rows)
    assert hit.rows[0].replace("-", "") == first
    assert hit.rows[1].replace("-", "") == second


def test_answers_are_equal_copied_and_pickled() -> None:
    for answer in (
        ad.align("GATTACA", "GCATGCA"),
        ad.align_family(FAMILY),
        ad.tree(FAMILY),
        ad.distances(FAMILY),
        ad.fold("GGGAAACCC"),
        ad.hmm("cpg-islands"),
        ad.hmm("cpg-islands").viterbi("CGCGATAT"),
    ):
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer
        assert hash(again) == hash(answer)
        assert repr(answer).startswith("<") and len(repr(answer)) < 120
    assert ad.align("GATTACA", "GCATGCA") != ad.align("GATTACA", "GATTACC")


def test_a_family_its_distances_and_its_tree() -> None:
    family = ad.align_family(FAMILY)
    assert family.sequences == FAMILY
    assert (len(family), family.columns) == family.array.shape
    assert family.column(0) == "GGGG"
    assert family[1] == family.rows[1]
    assert family.confidence is not None and family.confidence.shape == (family.columns,)
    assert [record.id for record in family.to_biopython()] == list(FAMILY)
    assert family.to_pandas().shape == family.array.shape
    between = ad.distances(family)
    assert between["a", "b"] == between.array[0, 1]
    assert np.array_equal(np.asarray(between), between.array)
    assert list(between.to_pandas().index) == list(FAMILY)
    tree = ad.tree(between)
    assert set(tree.leaves) == set(FAMILY)
    assert {leaf.name for leaf in tree.to_biopython().get_terminals()} == set(FAMILY)
    assert ad.tree(family) == tree, "distances of an alignment are computed on the way"


def test_what_is_saved_reads_back(tmp_path: Path) -> None:
    family = ad.align_family(FAMILY)
    family.save(tmp_path / "a.sto")
    assert ad.read(tmp_path / "a.sto").rows == family.rows
    ad.read(tmp_path / "a.sto").save(tmp_path / "b.fasta")
    assert ad.read(tmp_path / "b.fasta") == family
    ad.tree(family).save(tmp_path / "t.nwk")
    assert ad.read(tmp_path / "t.nwk").leaves == ad.tree(family).leaves
    ad.distances(family).save(tmp_path / "d.phy")
    assert ad.read(tmp_path / "d.phy").names == tuple(FAMILY)
    ad.align("GATTACA", "GCATGCA").save(tmp_path / "p.paf")
    assert (tmp_path / "p.paf").read_text().startswith("sequence_1\t7\t")


def test_notebooks_show_answers() -> None:
    pair, family = ad.align("GATTACA", "GCATGCA"), ad.align_family(FAMILY)
    assert "<span" in pair._repr_html_() and "<span" in family._repr_html_()
    for picture in (ad.tree(family)._repr_html_(), ad.distances(family)._repr_html_()):
        assert picture.startswith("<svg") and all(f">{name}<" in picture for name in FAMILY)


def test_many_pairs_come_one_after_another() -> None:
    assert [hit.score for hit in ad.align_many(["ACGT", "CCC"], ["ACGT", "CCC"], match=1, mismatch=-1)] == [4, 3]
    with pytest.raises(ad.InputError, match="second has 1 sequences and the other more; pass as many of both"):
        list(ad.align_many(["ACGT", "CCC"], ["ACGT"]))


def test_many_pairs_are_aligned_as_single_ones(tmp_path) -> None:
    random = np.random.default_rng(1)
    firsts = ["".join(random.choice(list("ACGT"), size)) for size in (5, 40, 33, 64, 7)]
    seconds = [one[3:] + "ACGTT" for one in firsts]
    for mode in ("local", "global", "overlap"):
        hits = list(ad.align_many(firsts, seconds, mode=mode))
        single = [ad.align(one, other, mode=mode) for one, other in zip(firsts, seconds, strict=True)]
        assert [(hit.score, hit.start, hit.end, hit.cigar) for hit in hits] == [
            (hit.score, hit.start, hit.end, hit.cigar) for hit in single
        ]
        scores = ad.align_many(firsts, seconds, mode=mode, method="batch-score")
        assert [hit.score for hit in scores] == [hit.score for hit in single]
    hits[1].save(tmp_path / "pair.paf")
    assert f"cg:Z:{hits[1].cigar}" in (tmp_path / "pair.paf").read_text()


def test_many_pairs_take_options_of_single_ones() -> None:
    pairs = ["ACGTTGCA", "ACC", "TTTAAACCAGT"], ["TGCAACGA", "GGT", "TTTAACAGT"]
    for strand in ("reverse", "both"):
        settings = {"strand": strand, "mode": "global", "match": 2, "mismatch": -4}
        hits = list(ad.align_many(*pairs, **settings))
        single = [ad.align(one, other, **settings) for one, other in zip(*pairs, strict=True)]
        assert [(hit.strand, hit.rows, hit.identities) for hit in hits] == [
            (hit.strand, hit.rows, hit.identities) for hit in single
        ]
    assert [hit.strand for hit in hits] == ["reverse", "reverse", "forward"]


def test_a_pair_of_a_batch_says_by_which_run_it_was_computed(tmp_path) -> None:
    hits = list(ad.align_many(["ACGTTGCA", "ACC"], ["ACGTGCA", "GGT"], strand="both"))
    assert hits[1].result.method == hits[1].batch.method == "batch-alignment"
    assert hits[1].result.problem.pair_count == 1 and hits[1].to_dict()["pairs"][0]["cigar"] == "3="
    assert "computed together with 1 other pairs" in hits[1].notes[-1]
    assert "3=" in str(hits[1].to_dict()) and hits[1] != hits[0] and hits[0] == hits[0]
    hits[1].save(tmp_path / "pair.sam", cigar="match")
    assert "sequence_2\t16\tsequence_2\t1\t255\t3M" in (tmp_path / "pair.sam").read_text()


def test_graphs_of_networkx_arrays_and_edges() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=2)
    graph.add_edge("b", "c", weight=3)
    paths = ad.shortest_paths(graph)
    assert paths.path("c", "a") == ["c", "b", "a"] and paths.distances[2, 0] == 5
    weights = np.array([[0, 1], [np.inf, 0]])
    assert ad.shortest_paths(weights).distances.tolist() == [[0, 1], [np.inf, 0]]
    assert weights.flags.writeable


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ad.run("slopd", ["A"]), ad.ParameterError, "did you mean sloped"),
        (lambda: ad.run("sloped", "GATTACA"), ad.InputError, "takes 3 sequences; got 1; pass 3 sequences"),
        (lambda: ad.align("GAT", "GA7T"), ad.InputError, "no such file, and no sequence"),
        (lambda: ad.align("GAT", b"GA7T"), ad.InputError, "letter '7' at position 3"),
        (lambda: ad.align("GAT", "x.fasta"), ad.InputError, "x.fasta: no such file"),
        (lambda: ad.align("ACGT", "ACGT", gap_opn=1), ad.ParameterError, "did you mean gap_open"),
        (lambda: ad.align("ACGT", "ACGT", mode="globl"), ad.ParameterError, "mode must be one of local, global"),
        (lambda: ad.align("ACGT", 4), ad.InputError, "cannot take data of the type int; pass letters"),
        (lambda: ad.align("ACGT", "ACGT", type="dns"), ad.ParameterError, 'type must be "DNA", "RNA" or "protein"'),
        (lambda: ad.align("ACGT", "ACGT", method="striped-score").rows, ad.InputError, "returns only the score"),
        (lambda: ad.align("ACGT"), ad.InputError, "takes 2 sequences; got 1; pass 2 sequences"),
        (lambda: ad.hmm("nothing"), ad.InputError, "cpg-islands"),
        (lambda: ad.hmm("cpg-islands").viterbi("MKLP"), ad.InputError, "not observed with unknown='missing'"),
        (lambda: ad.distances(["ACGT", "ACGA"])["x", "y"], ad.InputError, "no taxon is called 'x'"),
        (lambda: ad.tree(ad.hmm("cpg-islands")), ad.InputError, "takes"),
    ],
)
def test_errors_say_what_to_do_in_python(call, error, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("no GPU. Choose --backend cpu", "no GPU. Choose backend='cpu'"),
        ("give both --start and --end, or neither", "give both start and end, or neither"),
        ("give its file with --gap-open", "give its file with gap_open"),
    ],
)
def test_options_in_errors_are_keywords(message: str, text: str) -> None:
    with pytest.raises(ad.InputError) as error, runs.errors_in_python():
        raise ad.InputError(message)
    assert str(error.value) == text


def test_both_sequences_may_be_in_the_first() -> None:
    assert ad.align({"a": "GATTACA", "b": "GATACA"}).names == ("a", "b")
    assert ad.align(["GATTACA", "GATACA"]) == ad.align("GATTACA", "GATACA")


def test_profiles_are_made_of_rows() -> None:
    first, second = {"a": "GATTACA", "b": "GAT-ACA"}, {"c": "GATACA"}
    records = MultipleSeqAlignment([SeqRecord(Seq(row), id=name) for name, row in first.items()])
    found = ad.align_profiles(first, second)
    assert found.rows[:2] == list(first.values()) and found.names == ("a", "b", "c")
    assert ad.align_profiles(records, second) == found
    assert ad.align_profiles(list(first.values()), second).rows == found.rows
    with pytest.raises(ad.InputError, match="second has rows of different lengths"):
        ad.align_profiles(first, ["GAT", "GA"])
    with pytest.raises(ad.InputError, match="first has no rows"):
        ad.align_profiles([], second)
    with pytest.raises(ad.InputError, match="absent.sto: no such file"):
        ad.align_profiles(["absent.sto"], second)


def test_distances_are_saved_as_a_table(tmp_path: Path) -> None:
    found = ad.distances(FAMILY)
    found.save(tmp_path / "found.csv")
    again = ad.read(tmp_path / "found.csv")
    assert again.names == found.names and np.allclose(again.array, found.array)


def test_notes_tell_what_reading_removed() -> None:
    assert any("2 gaps removed" in note for note in ad.align("GA--TTACA", "GATTACA").notes)


def test_answers_are_arrays() -> None:
    model, weights = ad.hmm("cpg-islands"), np.array([[0, 1], [np.inf, 0]])
    assert np.asarray(ad.align("GATTACA", "GATTACA")).shape == (2, 7)
    assert np.asarray(model.viterbi("ACGTACGT")).shape == (8,)
    assert np.asarray(model.posterior("ACGTACGT")).shape == (8, 8)
    assert np.array(ad.shortest_paths(weights), np.float32).tolist() == [[0, 1], [np.inf, 0]]
    with pytest.raises(ad.InputError, match="a probability alone"):
        np.asarray(model.forward("ACGTACGT"))


def test_a_short_run_is_computed_on_the_thread_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handing it over would take longer than the run; a long one is handed over, so that Ctrl-C is heard."""
    ad.align("GATTACA", "GCATGCA", mode="global")  # compiled
    handed: list[bool] = []
    workers = runs._workers
    monkeypatch.setattr(runs, "_workers", lambda: handed.append(True) or workers())
    before = ad.align("GATTACA", "GCATGCA", mode="global")
    assert not handed
    monkeypatch.setattr(runs, "SHORT_MS", 0.0)
    assert ad.align("GATTACA", "GCATGCA", mode="global") == before
    assert handed


def test_a_tree_is_built_from_rows_distances_or_sequences() -> None:
    rows = {"a": "GATTACAGATTACA", "b": "GATTACAGATTGCA", "c": "GCTTACAGGTTACA"}
    assert ad.tree(rows).result.method == "nj-pruned"
    assert ad.tree(rows, source="alignment").result.method == "nj-alignment"
    gapped = ad.tree(["GA-TT", "GAT-T", "GATT-"], source="alignment")
    assert gapped.result.problem.data[0].letters.shape == (3, 5)
    assert ad.tree(gapped.result.problem.data[0], source="distances").result.method == "nj-pruned"
    with pytest.raises(ad.InputError, match="different lengths"):
        ad.tree(["GATTACA", "GATTA", "GATT"], source="alignment")
    with pytest.raises(ad.ParameterError, match="alignment, distances, sequences; got 'rows'"):
        ad.tree(rows, source="rows")


def test_ctrl_c_cancels_and_waits() -> None:
    """The first wait is interrupted; the run then hears Cancel and ends, and only then does the call."""
    monitor, ended = Monitor(), threading.Event()

    class InterruptedOnce(Future):
        interrupted = False

        def result(self, timeout=None):
            if not self.interrupted:
                self.interrupted = True
                raise KeyboardInterrupt
            return super().result(timeout)

    def run_until_cancelled() -> None:
        monitor._cancelled.wait()
        ended.set()
        future.set_exception(Cancelled())

    future = InterruptedOnce()
    threading.Thread(target=run_until_cancelled).start()
    with pytest.raises(KeyboardInterrupt):
        runs.wait_for_run(future, monitor)
    assert ended.is_set()


def test_ctrl_c_is_not_forgotten_where_the_run_ends_first() -> None:
    monitor, future = Monitor(), Future()
    future.set_result("done")
    monitor.cancel()
    with pytest.raises(KeyboardInterrupt):
        runs.wait_for_run(future, monitor)


@pytest.mark.parametrize(
    "letters",
    [
        bytearray(b"GATTACA"),
        memoryview(b"GATTACA"),
        np.frombuffer(b"GATTACA", np.uint8),
        np.frombuffer(b"GATTACA", "S1"),
    ],
    ids=["bytearray", "memoryview", "uint8", "S1"],
)
def test_bytes_come_in_many_forms(letters) -> None:
    assert ad.align(letters, "GATTACA", mode="global").identity == 1


def test_letters_as_text_are_encoded_or_refused_at_once() -> None:
    assert Sequence("a", "ACGT", SequenceType.DNA).letters == b"ACGT"  # type: ignore[arg-type]
    for wrong in ("ACG\u00dc", 7, None):
        with pytest.raises(ad.InputError, match="letters must be bytes or a str"):
            Sequence("a", wrong, SequenceType.DNA)  # type: ignore[arg-type]


def test_a_type_holds_for_all_sequences_however_they_are_passed() -> None:
    hit = ad.align(Sequence("a", b"ACGT", SequenceType.DNA), "ACGT", type="protein")
    assert [one.type for one in hit.result.problem.sequences] == [SequenceType.PROTEIN] * 2


def test_a_method_of_another_task_is_refused() -> None:
    for call, first in ((ad.align, "GATTACA"), (ad.distances, ["GATTACA"]), (ad.tree, ["GATTACA"])):
        with pytest.raises(ad.ParameterError, match="nussinov is no method for"):
            call(first, *(["GATTACA"] if call is ad.align else []), method="nussinov")


def test_arrays_are_matrices_and_graphs_for_methods_that_take_them() -> None:
    values = np.array([[0.0, 1.0], [5.0, 0.0]])
    assert ad.run("minplus-product", values, values).array.tolist() == values.tolist()
    assert ad.run("floyd-blocked", values).distances.tolist() == values.tolist()
    assert values.flags.writeable


def test_answers_convert_to_tables() -> None:
    hit = ad.align("GATTACA", "GATACA", mode="global")
    family = hit.to_alignment()
    assert family.rows == list(hit.rows) and np.asarray(family).shape == (2, 7)
    assert hit.to_pandas().shape == (2, 7)
    path = ad.hmm("cpg-islands").viterbi("CGCGAT")
    assert list(path.to_pandas().columns) == ["letter", "state"] and len(path.to_pandas()) == 6
    posterior = ad.hmm("cpg-islands").posterior("CGCGAT").to_pandas()
    assert posterior.shape == (6, 9) and posterior.iloc[:, 1:].sum(axis=1).round(6).tolist() == [1] * 6
    graph = ad.shortest_paths([("a", "b", 2)]).to_pandas()
    assert graph.loc["a", "b"] == 2
    for answer in (path, ad.fold("GGGAAACCC"), ad.hmm("cpg-islands")):
        assert answer._repr_html_().startswith("<table>")


def test_a_short_call_stays_on_its_thread_and_does_little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Functions of Python that are called are counted, because times depend on what else the machine does."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    ad.align("GATTACA", "GCATGCA")
    monkeypatch.setattr(threading.Thread, "start", lambda thread: pytest.fail("it starts a thread"))
    monkeypatch.setattr(workers, "share_work", lambda *arguments: pytest.fail("it hands its work over"))
    with measured_rates.use_rates_file(tmp_path / "rates.json"):
        sys.setprofile(count)
        try:
            ad.align("GATTACA", "GCATGCA")
        finally:
            sys.setprofile(None)
    assert 0 < calls < 1000
