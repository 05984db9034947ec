"""Both strands of nucleotides: the better one is found, told, and written in the convention of each format."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from Bio import Align
from Bio.Seq import reverse_complement

import antidiag as ad
from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.io import aligned_sequences, sequences
from antidiag.kernels.machine import measured_rates
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import formats
from antidiag.kernels.pairwise.encoding import encode_pair
from antidiag.kernels.pairwise.problem import PAIR, answer_rows, build_pair, option_values
from antidiag.kernels.recovery.checkpoint_files import Checkpoint
from antidiag.kernels.recovery.variant_store import SharedParts, VariantStore
from antidiag.kernels.registry import result_saving
from antidiag.kernels.scoring import FreeEnds, Mode, Strand
from tests import oracle

CASES = Path(__file__).parents[2] / "cases/score"
METHODS = [method for method in registry.METHODS if method.problem_type is PAIR]


def dna(name: str, letters: str, kind: SequenceType = SequenceType.DNA) -> Sequence:
    return Sequence(name, letters.encode(), kind)


def run(method: str, data: list[Sequence], monitor: Monitor | None = None, **options: Any) -> Result:
    found = registry.find_method(method)
    return engine.execute(engine.plan_run(found, build_pair(data, options), {}, "cpu"), monitor)


def reported_case() -> list[Sequence]:
    return list(sequences.read_sequences(CASES / "c11_rev.fa"))


def draw_reads(seed: int, length: int = 90) -> tuple[str, str]:
    """A genome, and a read of its reverse strand with errors and a piece left out."""
    random = np.random.default_rng(seed)
    genome = "".join(random.choice(list("ACGT"), length))
    read = list(reverse_complement(genome[length // 5 : -length // 6]))
    for place in random.integers(0, len(read), 6).tolist():
        read[place] = "ACGT"[int(random.integers(4))]
    del read[20:25]
    return "".join(read), genome


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_every_method_finds_the_better_strand(method):
    forward, reverse, both = (run(method.id, reported_case(), strand=strand) for strand in Strand)
    assert (forward.score, reverse.score, both.score) == (6, 40, 40)
    assert both.answer.end == reverse.answer.end == (20, 24)
    assert both.problem.is_reversed and both.problem == build_pair(reported_case(), {"strand": "both"})
    assert dict(answer_rows(both))["Strand"] == "reverse: the reverse complement of q is aligned"
    assert "forward strand scores 6, the reverse strand 40" in both.notes[-1]
    both.check(both.problem)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.CUSTOM])
def test_both_strands_agree_with_a_brute_comparison(seed, mode):
    read, genome = draw_reads(seed)
    if seed % 3 == 0:
        read = reverse_complement(read)
    found = run("striped-alignment", [dna("read", read), dna("genome", genome)], mode=str(mode), strand="both")
    given = [
        oracle.best_alignment(build_pair([dna("read", letters), dna("genome", genome)], {"mode": str(mode)}))
        for letters in (read, reverse_complement(read))
    ]
    assert found.answer.score == max(answer.score for answer in given)
    assert found.problem.is_reversed == (given[1].score > given[0].score)
    found.check(found.problem)


def test_a_tie_is_the_forward_strand():
    palindrome = dna("p", "GAATTC")
    found = run("striped-alignment", [palindrome, dna("t", "AAGAATTCAA")], strand="both")
    assert not found.problem.is_reversed and found.score == 12
    assert dict(answer_rows(found))["Strand"] == "forward: p is aligned as given"


def test_proteins_are_refused_with_the_reason():
    proteins = [dna("a", "MKV", SequenceType.PROTEIN), dna("b", "MKV", SequenceType.PROTEIN)]
    assert build_pair(proteins, {"strand": "forward"}).strand is Strand.FORWARD
    for strand in ("reverse", "both"):
        with pytest.raises(ParameterError, match=f"strand {strand} needs nucleotides, and a and b are protein"):
            build_pair(proteins, {"strand": strand})


def test_rna_and_ambiguity_codes_are_complemented():
    problem = build_pair(
        [dna("q", "GAUNR", SequenceType.RNA), dna("t", "YNAUC", SequenceType.RNA)], {"strand": "reverse"}
    )
    assert problem.sequences[0].letters == b"YNAUC" and problem.data[0].letters == b"GAUNR"


def test_free_ends_are_those_of_the_sequence_as_given():
    options = {"mode": "custom", "free_first_start": True, "strand": "reverse"}
    problem = build_pair([dna("q", "GGGGATTACA"), dna("t", "TGTAATC")], options)
    assert problem.free_ends == FreeEnds(first_end=True)
    found = run("striped-alignment", list(problem.data), **options)
    assert found.score == 14 and found.answer.alignment.end == (7, 7)


def test_what_a_run_costs_is_that_of_both_strands(tmp_path):
    """Cells, time and recomputed cells are those of both strands; memory is that of one."""
    for method in METHODS:
        plans = []
        for strand in ("forward", "reverse", "both"):
            problem = build_pair([dna("q", "ACGT" * 2000), dna("t", "GATTACA" * 2000)], {"strand": strand})
            with measured_rates.use_rates_file(tmp_path / "rates.json"):  # not what other tests have measured
                plans.append(engine.plan_run(method, problem, {}, "cpu"))
        work = [plan.method.cost.count_work(plan.problem, plan.parameters) for plan in plans]
        assert work[2] == pytest.approx(work[0] + work[1], rel=0.01)
        assert plans[2].time_ms == pytest.approx(plans[0].time_ms + plans[1].time_ms, rel=0.35)
        assert plans[2].footprint.host_bytes == plans[0].footprint.host_bytes
    result = run("striped-score", reported_case(), strand="both")
    assert result.cells == 2 * 20 * 28 and result.problem.cells == 20 * 28


def test_both_strands_are_no_single_matrix():
    with pytest.raises(ParameterError, match="choose the strand forward or reverse"):
        encode_pair(build_pair(reported_case(), {"strand": "both"}))


def test_files_have_the_positions_of_their_convention(tmp_path):
    read, genome = draw_reads(1)
    data = [dna("read", f"ACACAC{read}"), dna("genome", genome)]
    result = run("striped-alignment", data, strand="both")
    path = result.answer.alignment
    assert result.problem.is_reversed and path.end[0] < len(data[0])
    result_saving.write_result(tmp_path / "out.sam", result)
    record = (tmp_path / "out.sam").read_text().splitlines()[-1].split("\t")
    assert record[:2] == ["read", "16"] and record[9] == reverse_complement(data[0].letters.decode())
    parsed = next(iter(Align.parse(str(tmp_path / "out.sam"), "sam")))  # Biopython: descending where reversed
    own = ad.align(*(one.letters.decode() for one in data), strand="both").to_biopython()
    np.testing.assert_array_equal(parsed.indices[::-1], own.indices)
    assert (
        own.coordinates[0][0] == len(data[0]) - path.start[0] and own.coordinates[0][-1] == len(data[0]) - path.end[0]
    )
    result_saving.write_result(tmp_path / "out.paf", result)
    columns = (tmp_path / "out.paf").read_text().split("\t")
    start, end = int(columns[2]), int(columns[3])
    assert columns[4] == "-" and (start, end) == (len(data[0]) - path.end[0], len(data[0]) - path.start[0])
    for suffix in (".sam", ".paf"):
        (back,) = aligned_sequences.read_alignments(tmp_path / f"out{suffix}")
        rows = path.gapped_rows(*result.problem.sequences)
        assert [row.tobytes().decode() for row in back.letters] == [rows[1], rows[0]]
    saved = result_saving.result_json(result)
    assert saved["strand"] == "reverse" and saved["first"]["range"] == [start, end]
    assert saved["second"]["range"] == [path.start[1], path.end[1]]


def test_rows_of_aligned_formats_tell_the_strand(tmp_path):
    result = run("striped-alignment", reported_case(), strand="both")
    result_saving.write_result(tmp_path / "out.fasta", result)
    (found,) = aligned_sequences.read_alignments(tmp_path / "out.fasta")
    assert list(found.names) == ["q_reverse_complement", "t"]


def test_the_text_view_counts_down_on_the_reverse_strand():
    text = "".join(formats.text_view_lines(run("striped-alignment", reported_case(), strand="both"), width=12))
    assert "First : q (20 letters), aligned 20-1, reverse strand\n" in text
    assert "q 20 GGATGCCGTAAT 9\n" in text and "q  8 GTGTAATC 1\n" in text and "t 17 GTGTAATC 24" in text


def test_python_prints_and_tells_the_strand():
    hit = ad.align(*(one.letters.decode() for one in reported_case()), strand="both")
    assert hit.strand == "reverse" and hit.identities == {"columns": 1.0, "without gaps": 1.0, "shorter": 1.0}
    assert str(hit).splitlines()[0] == "sequence 1 20 GGATGCCGTAATGTGTAATC 1"
    assert ad.align("GATTACA", "GATTACA").strand == "forward"


def test_a_result_rebuilds_its_problem_and_its_session_entry(tmp_path):
    result = run("striped-alignment", reported_case(), strand="both")
    assert option_values(result.problem)["strand"] == "both"
    assert build_pair(result.problem.data, option_values(result.problem)) == result.problem
    assert replace(result.problem, found_strand=None).is_undecided


class MemoryStore:
    """A store of parts in a list."""

    failure, is_save_due = "", True

    def __init__(self, kept: list[Checkpoint] | None = None) -> None:
        self.kept = kept or []

    @property
    def fraction(self) -> float:
        return self.kept[-1].facts["fraction"] if self.kept else 0.0

    def parts(self, check: Any = None):
        yield from list(self.kept)

    def save(self, facts, arrays, fraction, ready=lambda: None) -> Future[None]:
        ready()
        self.kept.append(
            Checkpoint({**facts, "fraction": fraction}, {name: one.copy() for name, one in arrays.items()})
        )
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def saved(self, number: int) -> Checkpoint:
        return self.kept[number]

    def wait(self, check, future) -> None:
        future.result()


def test_each_strand_sees_its_own_saved_parts():
    store = MemoryStore()
    shared = SharedParts(store, 2)
    forward, reverse = (VariantStore(shared, number) for number in (0, 1))
    forward.save({}, {"a": np.zeros(1)}, 0.5)
    forward.save({}, {"a": np.ones(1)}, 1.0)
    reverse.save({}, {"a": np.full(1, 7.0)}, 0.5)
    assert store.fraction == 0.75 and reverse.saved(0).arrays["a"][0] == 7 and forward.saved(1).arrays["a"][0] == 1
    again = SharedParts(MemoryStore(store.kept), 2)
    assert [part.arrays["a"][0] for part in VariantStore(again, 0).parts()] == [0, 1]
    second = VariantStore(again, 1)
    assert [part.arrays["a"][0] for part in second.parts()] == [7]
    second.save({}, {"a": np.full(1, 8.0)}, 1.0)
    assert second.saved(1).arrays["a"][0] == 8


def test_an_interrupted_run_of_both_strands_goes_on(monkeypatch):
    """Cancelled within the reverse strand; the run that goes on has the answer of one that was never interrupted."""
    random = np.random.default_rng(3)
    genome = "".join(random.choice(list("ACGT"), 600))
    data = [dna("read", reverse_complement(genome[50:500])), dna("genome", genome)]
    problem = build_pair(data, {"strand": "both"})
    method = registry.find_method("checkpointed-alignment")
    chosen = {"s": 32, "T": 32, "threads": 1, "precision": "32", "tile": 64, "checkpoint_memory": 1}
    plan = engine.plan_run(method, problem, chosen, "cpu")
    expected = engine.execute(plan, keep_rate=False, keep_parts=False)
    store = MemoryStore()

    def stop_late(done: int, total: int, phase: str) -> None:
        if store.kept and store.kept[-1].facts["variant"] == 1:  # the reverse strand has saved something
            monitor.cancel()

    monitor = Monitor(stop_late)
    monitor.store = store
    with pytest.raises(Cancelled):
        engine.execute(plan, monitor, keep_rate=False, keep_parts=False)
    assert {part.facts["variant"] for part in store.kept} == {0, 1}
    monitor = Monitor()
    monitor.store = MemoryStore(store.kept)
    found = engine.execute(plan, monitor, keep_rate=False, keep_parts=False)
    assert found.problem.is_reversed and found.score == expected.score == 900
    np.testing.assert_array_equal(found.answer.alignment.operations, expected.answer.alignment.operations)
