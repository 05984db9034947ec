"""The commands of tasks, as a person types them: each says which method it takes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.registry import data_loading, task_methods
from antidiag.kernels.registry.task_methods import TASKS

ROOT = Path(__file__).resolve().parents[3]
PAIR = "resources/samples/human-haemoglobin.fasta"
TRIPLE = "resources/samples/horse-globins.fasta"
ALIGNED = "resources/samples/globins-aligned.sto"
DISTANCES = "resources/samples/globin-distances.phy"
RNA = "resources/samples/yeast-trna-phe.fasta"
CPU = ("--backend", "cpu")


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def typed_input(monkeypatch):
    """Give the program some bytes on standard input."""

    def type_in(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return type_in


def test_align_says_which_method_it_takes_and_prints_the_alignment(says):
    text = says("align", PAIR, *CPU)
    assert "StripedAlignment (striped-alignment, recommended), CPU" in text.splitlines()[0]
    assert "score             288" in text
    assert "2HHB_A   2 LSPADKTNVKAAWGKV" in text and "|:| :|: |" in text


def test_a_method_can_be_chosen_and_must_fit_the_task(says, refuses):
    assert "(chunked-alignment-1, as requested)" in says("align", PAIR, "--method", "chunked-alignment-1", *CPU)
    assert json.loads(says("align", PAIR, "-m", "striped-score", "--json", "-", *CPU))["score"] == 288
    assert "msa is no method for align; choose from striped-alignment" in refuses("align", PAIR, "--method", "msa")
    assert "did you mean striped-score or" in refuses("align", PAIR, "--method", "stripedscore")


def test_align_and_run_give_the_same(says):
    options = ("--mode", "global", "--gap-open", "12", "-p", "s=64", "--json", "-", *CPU)
    task, run = (json.loads(says(*command, PAIR, *options)) for command in (("align",), ("run", "striped-alignment")))
    for found in (task, run):
        del found["times_ms"], found["gcups"]
    assert task == run


def test_a_pipe_holds_the_alignment_alone(capfdbinary, tmp_path):
    assert program.main(["align", PAIR, *CPU, "--out", "-", "--to", "aln"]) == 0
    written = capfdbinary.readouterr()
    assert written.out.startswith(b"CLUSTAL W")
    assert written.err.startswith(b"antidiag: method: StripedAlignment (striped-alignment, recommended)")
    (tmp_path / "pipe.aln").write_bytes(written.out)
    (found,) = data_loading.read_data(tmp_path / "pipe.aln")
    assert isinstance(found, AlignedSequences) and found.names == ("2HHB_A", "2HHB_B")
    assert program.main(["run", "striped-alignment", PAIR, *CPU, "--out", "-", "--quiet"]) == 0
    written = capfdbinary.readouterr()
    assert written.out.startswith(b">2HHB_A") and written.err == b""


def test_only_one_result_goes_to_a_pipe(refuses):
    assert "only one of --out and --json" in refuses("align", PAIR, "--out", "-", "--json", "-")
    assert "only one of --out and --json" in refuses("align", PAIR, "--out", "-", "--out", "-")
    assert "unknown suffix .pdf" in refuses("align", PAIR, "--out", "-", "--to", "pdf")


def test_a_format_is_given_by_name(says, tmp_path):
    says("align", PAIR, *CPU, "--out", tmp_path / "alignment", "--to", "sto")
    assert (tmp_path / "alignment").read_text().startswith("# STOCKHOLM")


def test_msa_aligns_and_names_methods_that_have_an_option(says, refuses, tmp_path):
    text = says("msa", TRIPLE, *CPU, "--out", tmp_path / "g.sto")
    assert "(msa, recommended)" in text and "saved" in text
    (found,) = data_loading.read_data(tmp_path / "g.sto")
    assert len(found.names) == 3
    assert "no option --gap-open; give --method msa-" in refuses("msa", TRIPLE, "--gap-open", "9")


@pytest.mark.parametrize("file", [ALIGNED, TRIPLE])
def test_a_tree_of_an_alignment_or_of_sequences_says_which_methods_it_takes(says, tmp_path, file):
    text = says("tree", file, *CPU, "--out", tmp_path / "t.nwk")
    data = data_loading.read_data(file)
    method, _ = TASKS["tree"].recommend(data, "cpu")
    assert f"{method.name} ({method.id}, recommended" in text
    if task_methods.lacks_distances(data, method):
        assert f"({TASKS['distances'].recommend(data, 'cpu')[0].id}, recommended" in text
    (tree,) = data_loading.read_data(tmp_path / "t.nwk")
    assert isinstance(tree, Tree) and len(tree.taxa) == (45 if file == ALIGNED else 3)


def test_trees_and_distances_make_the_same_tree(says, tmp_path):
    says("distances", ALIGNED, *CPU, "--out", tmp_path / "d.phy")
    options = ("--root", "midpoint", "--json", "-", *CPU)
    two, one = (json.loads(says("tree", file, *options))["newick"] for file in (tmp_path / "d.phy", ALIGNED))
    names = [sorted(data_loading.parse_text(text)[0].taxa) for text in (one, two)]
    assert names[0] == names[1]


def test_a_tree_takes_other_distances_and_methods(says, refuses):
    text = says("tree", TRIPLE, *CPU, "--distances", "distance-6mer", "--method", "upgma")
    assert "(upgma, as requested)" in text and "(distance-6mer, as requested)" in text
    assert "(parttree, as requested)" in says("tree", TRIPLE, "--method", "parttree", *CPU)
    assert "--distances has no use" in refuses("tree", DISTANCES, "--distances", "distance-6mer")
    assert "--distances has no use" in refuses("tree", TRIPLE, "--method", "parttree", "--distances", "distance-6mer")


def test_options_of_distances_reach_them_from_a_tree(says, refuses):
    scores = ("--match", "5", "--mismatch", "-4", "--gap-open", "9", "--gap-extend", "1")
    assert "distance-full" in says("tree", TRIPLE, *CPU, *scores)
    assert "no option --match" in refuses("tree", ALIGNED, *CPU, "--match", "5")


EQUAL = ">a\nGATTACAGATTACA\n>b\nGATTACAGATTGCA\n>c\nGCTTACAGGTTACA\n>d\nGCTTACAGGTTAGG\n"


def test_a_tree_says_from_what_it_is_built(says, refuses, tmp_path):
    """Sequences of one length are rows only where the user says so; an alignment can be taken in three ways."""
    (tmp_path / "equal.fa").write_text(EQUAL)
    assert "(distance-full, recommended)" in says("tree", tmp_path / "equal.fa", *CPU)
    text = says("tree", tmp_path / "equal.fa", "--from", "alignment", "--distance-model", "tn93", *CPU)
    assert "(nj-alignment, recommended" in text and "distance-full" not in text
    text = says("tree", ALIGNED, "--from", "distances", *CPU)
    assert "(nj-pruned, recommended for distances)" in text and "(distance-alignment, recommended" in text
    distances = "--method", "nj-pruned", "--distances", "distance-alignment"
    same = [
        json.loads(says("tree", ALIGNED, *options, "--json", "-", *CPU))
        for options in (("--from", "distances"), distances)
    ]
    assert same[0]["newick"] == same[1]["newick"]
    assert "holds distances; a tree from alignment needs" in refuses("tree", DISTANCES, "--from", "alignment")
    assert "rows of an alignment have one length" in refuses("tree", TRIPLE, "--from", "alignment")
    assert "alignment, distances, sequences; got 'rows'" in refuses("tree", ALIGNED, "--from", "rows")


def test_a_tree_of_an_alignment_as_sequences_is_that_of_its_letters_without_gaps(says, tmp_path, capsys):
    says("convert", ALIGNED, tmp_path / "letters.fa", "--unaligned")
    whole = json.loads(says("tree", tmp_path / "letters.fa", "--json", "-", *CPU))
    assert program.main(["tree", ALIGNED, "--from", "sequences", "--json", "-", *CPU]) == 0
    written = capsys.readouterr()
    assert "501 gaps removed" in written.err and json.loads(written.out)["newick"] == whole["newick"]


def test_trees_are_no_input_of_a_tree(refuses, tmp_path):
    (tmp_path / "t.nwk").write_text("((a,b),c);")
    assert "holds trees already" in refuses("tree", tmp_path / "t.nwk")
    assert "holds distances already; give an alignment or sequences" in refuses("distances", DISTANCES)
    assert "--record chooses among sequences" in refuses("tree", ALIGNED, "--record", "HBA_MACSI")


def test_a_bundled_model_that_is_mistyped_is_recognised(refuses):
    assert "did you mean cpg-islands?" in refuses("viterbi", RNA, "--model", "cpg-island")


def test_standard_input_may_hold_an_alignment(says, typed_input):
    typed_input(Path(ALIGNED).read_bytes())
    assert "(distance-alignment, recommended: the sequences are aligned)" in says("distances", "-", *CPU)


def test_errors_of_standard_input_name_it(refuses, typed_input):
    typed_input(b"CLUSTAL W\n\n")
    said = refuses("distances", "-")
    assert "standard input" in said and "/tmp" not in said and "antidiag-" not in said


def test_fold_and_viterbi(says):
    assert "(nussinov, recommended)" in (text := says("fold", RNA, *CPU))
    assert "GCGGAUUUAGCUC" in text
    text = says("viterbi", "resources/samples/human-cpg-clone.fasta", "--model", "cpg-islands", "-q", *CPU)
    assert "recommended: pieces keep all cores busy" in text


def test_many_sequences_get_other_methods(monkeypatch):
    monkeypatch.setattr(task_methods, "FEW_SEQUENCES", 2)
    monkeypatch.setattr(task_methods, "MANY_SEQUENCES", 4)
    names = ["a", "b", "c", "d"]
    assert TASKS["distances"].recommend(names[:2], "cpu")[0].id == "distance-full"
    assert TASKS["distances"].recommend(names[:3], "cpu")[0].id == "distance-6mer"
    assert TASKS["tree"].recommend(names[:3], "cpu")[0].id == "nj-pruned"
    assert TASKS["tree"].recommend(names, "cpu")[0].id == "parttree"


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.id)
def test_the_methods_of_a_task_are_there(task):
    assert task.methods()[0].id == task.usual
    assert all(task.find(method.id) is method for method in task.methods())
    with pytest.raises(ParameterError, match="matrix-chain is no method for"):
        task.find("matrix-chain")


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.id)
def test_help_of_a_task_has_the_options_of_the_method(says, monkeypatch, task):
    monkeypatch.setenv("COLUMNS", "300")
    for method in task.methods():
        text = says(task.id, "--help", "--method", method.id).split("Examples")[0]
        own = {option.name for option in method.problem_type.options}
        others = {one.name for other in registry.METHODS for one in other.problem_type.options} - own
        flags = {f" --{name.replace('_', '-')} " for name in others if name != "distances"}
        assert all(f" --{name.replace('_', '-')} " in text for name in own)
        assert not [flag for flag in flags if flag in text]
        assert all(f"-p {one.name}=" in text for one in method.parameters.declared())


def test_suffixes_in_the_help_are_those_of_the_method(says, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert ".paf" in says("align", "--help") and ".nwk" not in says("align", "--help")
    text = "Continue the interrupted run of this method"
    assert text in says("run", "checkpointed-alignment", "--help")
    assert text not in says("run", "striped-score", "--help")


GENES = ">a one\nATGAAAGGTTGGTAA\n>b two\nATGGGTTAGTGGTAA\n"


def test_codons_follow_a_given_alignment_of_proteins_and_stops_are_told(refuses, tmp_path, capsys):
    genes, proteins, out = tmp_path / "genes.fasta", tmp_path / "proteins.fasta", tmp_path / "codons.phy"
    genes.write_text(GENES)
    proteins.write_text(">a\nMKG-W\n>b\nM-GXW\n")
    command = ["codon-align", str(genes), "--proteins", str(proteins)]
    assert program.main(command) == 0
    written = capsys.readouterr()
    assert [line for line in written.out.splitlines() if line[:1] != ">"] == ["ATGAAAGGT---TGG", "ATG---GGTTAGTGG"]
    assert "b: 1 stop codon before the end, at letter 7; aligned as X" in written.err
    assert "2 stop codons at the end left out" in written.err
    assert program.main([*command, "--out", str(out)]) == 0 and out.read_text().split()[:2] == ["2", "15"]
    capsys.readouterr()
    proteins.write_text(">a\nMKWW\n>b\nM-GX\n")
    assert program.main(command) == 2
    assert "a: amino acid 3 of the protein is W, but its codon GGT codes for G" in capsys.readouterr().err
    assert "is no alignment format" in refuses("codon-align", str(genes), "--out", str(tmp_path / "codons.foo"))


def test_coding_sequences_are_aligned_by_their_proteins(tmp_path):
    genes, out = tmp_path / "genes.fasta", tmp_path / "codons.fasta"
    genes.write_text(">a\nATGGCTGAAGTTCTGAAATGGCATGAACGTCTGTAA\n>b\nATGGCTGAAGTTAAATGGCATGAACGTCTGTAA\n")
    assert program.main(["codon-align", str(genes), "--out", str(out), "--quiet"]) == 0
    assert "ATGGCTGAAGTT---AAATGGCATGAACGTCTG" in out.read_text()


def test_compare_names_the_test_and_the_reference(says, tmp_path):
    mine, wanted = tmp_path / "mine.fa", tmp_path / "wanted.fa"
    mine.write_text(">a\nAC-GT\n>b\nACGGT\n")
    wanted.write_text(">a\nACG-T\n>b\nACGGT\n")
    lines = [line.split(maxsplit=1) for line in says("compare", mine, wanted).splitlines()]
    assert lines[:3] == [["test", str(mine)], ["reference", str(wanted)], ["rows", "2"]]
    found = json.loads(says("compare", mine, wanted, "--json"))
    assert (found["test"], found["reference"]) == (str(mine), str(wanted)) and found["all_columns"]["sp"] == 0.75
