"""Frame alignment: every path written out, FASTX and FASTY on genes of phage lambda, genetic codes, strands, texts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from Bio.Data.CodonTable import unambiguous_dna_by_id
from Bio.Seq import Seq

from antidiag.kernels import RESOURCES, engine
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise.frames import codon_text, genetic_codes, reference, segments
from antidiag.kernels.pairwise.frames.model import OPERATION_BASES, FramePath, FrameProblem, rescore_path
from antidiag.kernels.pairwise.frames.problem import build_frame_problem
from antidiag.kernels.pairwise.frames.trials import draw_problem, make_frame_problem, make_related
from antidiag.kernels.registry import find_method
from antidiag.kernels.registry.result_saving import write_result
from antidiag.kernels.trials import RandomChooser

LAMBDA = RESOURCES / "samples" / "phage-lambda.fasta"
AMINO_ACIDS = list("ACDEFGHIKLMNPQRSTVWY")


def run(problem: FrameProblem, threads: int = 2) -> Result:
    """Return the result on the CPU, which has checked itself."""
    planned = engine.plan_run(find_method("frame-alignment"), problem, {"threads": threads}, "cpu", use_tuned=False)
    result = engine.execute(planned, keep_rate=False, keep_parts=False)
    result.check(problem)
    return result


def all_paths(rows: int, bases: int, start: tuple[int, int]) -> Iterator[FramePath]:
    """Yield every path from a cell within so many amino acids and bases."""

    def extend(i: int, j: int, operations: tuple[int, ...]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        yield i, j, operations
        for operation in range(5):
            to = i + (operation != 2), j + int(OPERATION_BASES[operation])
            if to[0] <= rows and to[1] <= bases and (operation in (1,) or to[1] >= 3):
                yield from extend(*to, (*operations, operation))

    for i, j, operations in extend(*start, ()):
        yield FramePath(start, (i, j), np.array(operations, np.uint8))


@pytest.mark.parametrize("mode", ["local", "query-in-target"])
@pytest.mark.parametrize("seed", range(6))
def test_no_path_that_is_written_out_scores_more(seed: int, mode: str) -> None:
    random = np.random.default_rng(seed)
    protein, bases = "".join(random.choice(list("MKW"), 3)), "".join(random.choice(list("ATGA"), 9))
    problem = make_frame_problem(protein, bases, frameshift=3, gap_open=1, mode=mode, strand="forward")
    starts = [(i, j) for i in range(4 if mode == "local" else 1) for j in range(10)]
    scores = [
        rescore_path(problem, 1, path)
        for start in starts
        for path in all_paths(3, 9, start)
        if mode == "local" or path.end[0] == 3
    ]
    assert run(problem).score == max(scores) == reference.align_frames(problem).score


@pytest.mark.parametrize("seed", range(10))
def test_segments_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = draw_problem(RandomChooser(seed))
    expected = reference.align_frames(problem)
    monkeypatch.setattr(segments.cut_segments, "__defaults__", (5, 0))
    found = run(problem).answer
    assert (found.score, found.strand, found.end) == (expected.score, expected.strand, expected.end)
    np.testing.assert_array_equal(found.path.operations, expected.path.operations)


def mutated_genes(count: int) -> Iterator[tuple[str, str]]:
    """Yield proteins of phage lambda with changed amino acids, and its bases with inserted and lost ones."""
    random, letters = np.random.default_rng(5), read_sequences(LAMBDA)[0].letters.decode()
    found = 0
    for frame in range(3):
        protein = str(Seq(letters[frame : len(letters) - (len(letters) - frame) % 3]).translate())
        for orf in re.finditer(r"[^*]{120,300}", protein):
            if found == count:
                return
            changed = [amino if random.random() < 0.8 else str(random.choice(AMINO_ACIDS)) for amino in orf.group()]
            start, size = frame + 3 * orf.start(), 3 * len(changed)
            bases = list(letters[max(0, start - 300) : start + size + 300])
            for _ in range(found % 4):
                place = int(random.integers(330, 270 + size))
                if random.random() < 0.5:
                    del bases[place]
                else:
                    bases.insert(place, "A")
            text = "".join(bases)
            yield "".join(changed), str(Seq(text).reverse_complement()) if found % 2 else text
            found += 1


@pytest.mark.parametrize("program", ["tfastx36", "fastx36", "tfasty36"])
def test_scores_are_those_of_the_fasta_package(program: str, tmp_path: Path) -> None:
    """FASTX scores stops by a rule of its own, and FASTY shifts within codons: it can only score more."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    query, target, compared = tmp_path / "protein.fa", tmp_path / "bases.fa", 0
    for protein, bases in mutated_genes(16):
        result = run(make_frame_problem(protein, bases, gap_open=11, gap_extend=1, frameshift=20))
        query.write_text(f">p\n{protein}\n")
        target.write_text(f">d\n{bases}\n")
        files = (target, query) if program == "fastx36" else (query, target)
        shift = ("-j", "-20") if program != "tfasty36" else ("-j", "-20 -20")
        command = [found, "-q", "-s", "BP62", "-f", "-11", "-g", "-1", *shift, "-E", "1000", "-z", "-1", "-m", "10"]
        said = subprocess.run([*command, *map(str, files), "1"], capture_output=True, text=True).stdout
        score = int(re.search(r"_opt:\s*(\d+)", said)[1])
        if codon_text.count_stops(result) == 0 and program != "tfasty36":
            assert result.score == score
            compared += 1
        else:
            assert result.score <= score
    assert compared >= 12 or program == "tfasty36"


@pytest.mark.parametrize("code", genetic_codes.code_ids())
def test_codons_are_those_of_biopython(code: str) -> None:
    table = unambiguous_dna_by_id[int(code)]
    for codon in (a + b + c for a in "ACGT" for b in "ACGT" for c in "ACGT"):
        letters = np.frombuffer(codon.encode(), np.uint8)
        found = genetic_codes.AMINO_LETTERS[genetic_codes.translate_places(letters, int(code), False)[3]]
        assert found == table.forward_table.get(codon, "*")


def test_ambiguous_codons_are_translated_where_all_meanings_agree() -> None:
    def translate(codon: str) -> str:
        letters = np.frombuffer(codon.encode(), np.uint8)
        return genetic_codes.AMINO_LETTERS[genetic_codes.translate_places(letters, 1, False)[3]]

    assert [translate(codon) for codon in ("GGN", "TAR", "UGG", "MGR", "NNN", "GAN")] == ["G", "*", "W", "R", "X", "X"]


def test_the_reverse_strand_gives_the_same_with_positions_on_the_forward_strand() -> None:
    problem = make_related(30, 300)
    turned = str(Seq(problem.dna.letters.decode()).reverse_complement())
    forward, reverse = run(problem), run(make_frame_problem(problem.protein.letters.decode(), turned))
    assert (forward.score, forward.answer.strand, reverse.answer.strand) == (reverse.score, 1, -1)
    path = forward.answer.path
    first, last = codon_text.base_range(problem, 1, path.start[1], path.end[1])
    turned_range = codon_text.base_range(reverse.problem, -1, path.start[1], path.end[1])
    assert turned_range == (301 - last, 301 - first)
    assert run(make_frame_problem(problem.protein.letters.decode(), turned, strand="forward")).score < forward.score


def test_the_text_tells_codons_shifts_and_stops(tmp_path: Path) -> None:
    bases = "ATGAAAACTGCTTATATTGCTAAATAACAACGTCAAATTTCTTTTGTTAAA"
    skipped = f"GG{bases[:12]}C{bases[12:]}"
    result = run(make_frame_problem("MKTAYIAKQRQISFVK", skipped, frameshift=2, gap_open=2, gap_extend=1, stop=-1))
    write_result(tmp_path / "x.txt", result)
    text = (tmp_path / "x.txt").read_text()
    assert "Frameshift: base 15 is skipped (\\)" in text and "ATG AAA ACT GCT\\TAT ATT GCT" in text
    assert codon_text.list_shifts(result) == [(15, "\\")]
    assert codon_text.count_stops(result) == 1


def test_what_does_not_fit_is_refused() -> None:
    protein = Sequence("p", b"MKT", SequenceType.PROTEIN)
    bases = Sequence("d", b"ATGAAA", SequenceType.DNA)
    for pair, kind in (((protein, protein), "proteins"), ((bases, bases), "nucleotides")):
        with pytest.raises(InputError, match=f"both {kind}; give a protein and DNA or RNA"):
            build_frame_problem(pair, {})
    with pytest.raises(ParameterError, match="frameshift must have no more decimals"):
        build_frame_problem((bases, protein), {"frameshift": 2.5})
    with pytest.raises(InputError, match="the sequence is empty"):
        build_frame_problem((protein, Sequence("d", b"", SequenceType.DNA)), {})


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_kernel_compiles(architecture: str) -> None:
    pytest.importorskip("cupy")
    from antidiag.kernels.pairwise.frames.cuda_sources import SWEEP
    from tests.nvrtc import compile_without_device

    for is_local in (0, 1):
        assert compile_without_device(SWEEP, {"LOCAL": is_local}, architecture)
