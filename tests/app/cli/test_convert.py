"""``convert``: files of one format into another, also as a filter."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.app.cli.tasks.convert_command import WRITABLE
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.registry import data_loading

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "resources" / "samples"
ALIGNED = SAMPLES / "globins-aligned.sto"


def convert(*words: object) -> int:
    return program.main(["convert", *map(str, words)])


@pytest.mark.parametrize("suffix", WRITABLE[AlignedSequences].suffixes)
def test_alignments_keep_rows_and_letters(tmp_path, suffix):
    assert convert(ALIGNED, tmp_path / f"a{suffix}") == 0
    (before,), (after,) = data_loading.read_data(ALIGNED), data_loading.read_data(tmp_path / f"a{suffix}")
    assert after.names == before.names
    rows = [aligned_sequences.unaligned_sequences(one) for one in (before, after)]
    assert [one.letters for one in rows[0]] == [one.letters for one in rows[1]]


@pytest.mark.parametrize("suffix", WRITABLE[Tree].suffixes)
def test_trees(tmp_path, suffix):
    (tmp_path / "t.nwk").write_text("((a:1,b:2):0.5,c:3,d:4);\n")
    assert convert(tmp_path / "t.nwk", tmp_path / f"u{suffix}") == 0
    (tree,) = data_loading.read_data(tmp_path / f"u{suffix}")
    assert tree.taxa == ("a", "b", "c", "d") and tree.lengths[2] == 1


@pytest.mark.parametrize("suffix", [".phy", ".npy", ".csv", ".phy.gz"])
def test_distances(tmp_path, suffix):
    source = SAMPLES / "globin-distances.phy"
    assert convert(source, tmp_path / f"d{suffix}") == 0
    (before,), (after,) = data_loading.read_data(source), data_loading.read_data(tmp_path / f"d{suffix}")
    assert after.names == before.names and np.allclose(after.values, before.values, atol=1e-8)


@pytest.mark.parametrize(("suffix", "kind"), [(".json", "hmm"), (".csv", "profile")])
def test_a_model_of_hmmer_is_written_as_model_or_profile(tmp_path, suffix, kind):
    assert convert(ROOT / "tests" / "cases" / "hmm" / "toy.hmm", tmp_path / f"m{suffix}") == 0
    (found,) = data_loading.read_data(tmp_path / f"m{suffix}")
    assert data_loading.find_kind(found).id == kind


def test_sequences_graphs_and_models(tmp_path, capsys):
    assert convert(SAMPLES / "human-haemoglobin.fasta", tmp_path / "s.fa.gz") == 0
    assert [one.name for one in data_loading.read_data(tmp_path / "s.fa.gz")] == ["2HHB_A", "2HHB_B"]
    assert convert(SAMPLES / "five-vertices.csv", tmp_path / "g.csv") == 0
    (before,) = data_loading.read_data(SAMPLES / "five-vertices.csv")
    (after,) = data_loading.read_data(tmp_path / "g.csv")
    assert after.names == before.names and np.array_equal(after.weights, before.weights)
    assert convert(ROOT / "resources/models/cpg-islands.json", tmp_path / "m.json") == 0
    assert data_loading.read_data(tmp_path / "m.json")[0].states[0] == "A+"


def test_a_filter_reads_and_writes_pipes(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"((a,b),c);")))
    assert convert("-", "-", "--to", "nex") == 0
    written = capfdbinary.readouterr()
    assert written.out.startswith(b"#NEXUS") and written.err == b""


def test_what_a_format_does_not_keep_is_said(tmp_path, capsys):
    assert convert(ALIGNED, tmp_path / "a.phy") == 0
    assert "note: .phy does not keep PP_cons of columns" in capsys.readouterr().err
    assert convert(ALIGNED, tmp_path / "a.sto") == 0
    assert capsys.readouterr().err == ""


def test_sequences_of_an_alignment(tmp_path, capsys):
    assert convert(ALIGNED, tmp_path / "s.fasta", "--unaligned", "--quiet") == 0
    assert b"-" not in (tmp_path / "s.fasta").read_bytes().replace(b">", b"").split(b"\n", 1)[1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["globins.fasta", "x.sto"], "or align the sequences first, with msa"),
        (["globins-aligned.sto", "x.nwk"], "an alignment, which cannot be written as .nwk; choose from .fasta"),
        (["globins-aligned.sto", "x"], "cannot be written as (no suffix)"),
        (["globins.fasta", "x.fa", "--unaligned"], "--unaligned takes an alignment"),
        (["absent.fasta", "x.fa"], "absent.fasta"),
        (["globins.fasta", "nowhere/x.fa"], "folder nowhere does not exist"),
        (["globins.fasta", "globins.fasta"], "this input file would be overwritten"),
    ],
)
def test_what_cannot_be_converted_is_refused(refuses, monkeypatch, arguments, text):
    monkeypatch.chdir(SAMPLES)
    assert text in refuses("convert", *arguments)
    assert not (SAMPLES / "x.sto").exists()


def test_a_vertex_without_edges_is_not_dropped(refuses, tmp_path):
    (tmp_path / "g.gml").write_text(
        'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ]\n'
        "edge [ source 0 target 1 weight 2 ] ]\n"
    )
    assert "c has no edges" in refuses("convert", tmp_path / "g.gml", tmp_path / "g.csv")


def test_blanks_in_names_are_noted_and_no_temporary_file_is_named(tmp_path, capsys):
    (tmp_path / "a.nex").write_text("#NEXUS\nbegin data;\nformat gap=-;\nmatrix\n'a b' AC-T\nc ACGT\n;\nend;\n")
    assert convert(tmp_path / "a.nex", tmp_path / "a.sto") == 0
    assert ".sto writes blanks in names as _" in capsys.readouterr().err
    assert convert(tmp_path / "a.nex", tmp_path / "b.nex") == 0
    assert "blanks" not in capsys.readouterr().err
    (tmp_path / "two.sto").write_text(2 * "# STOCKHOLM 1.0\na AC\nb A-\n//\n")
    assert convert(tmp_path / "two.sto", "-", "--to", "fa") == 2
    assert "standard output: FASTA holds one alignment" in capsys.readouterr().err
