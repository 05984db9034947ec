"""Files of trees: what they are taken for, NEXUS, and errors that name the file."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from Bio import Phylo
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import (
    TREE,
    is_tree_file,
    newick_file_lines,
    nexus_file_lines,
    parse_nexus_trees,
    random_tree,
    read_trees,
    write_trees,
)
from antidiag.kernels.registry import data_loading as data
from tests.trees import NASTY, trees

NEXUS = """#NEXUS
[a comment; with (marks)]
BEGIN TAXA;
  DIMENSIONS NTAX=3;
  TAXLABELS 'Homo sapiens' b c;
END;
begin trees;
  Translate
    1 'Homo sapiens',
    2 [two] b_long,
    3 'it''s; 3'
  ;
  tree * 'the; best' = [&R] ((1:1,2:2)0.9:3,3:4);
  UTREE other = (2,(3,1));
ENDBLOCK;
"""


def test_nexus_with_translation() -> None:
    best, other = parse_nexus_trees(NEXUS, "x.nex")
    assert best.name == "the; best" and other.name == "other"
    assert best.names == ("", "0.9", "Homo sapiens", "b_long", "it's; 3")
    assert other.taxa == ("b_long", "it's; 3", "Homo sapiens")
    assert best.source == "x.nex"


@given(st.lists(trees(nodes=6, names=NASTY), min_size=1, max_size=3))
def test_nexus_and_newick_files_come_back(many: list[Tree]) -> None:
    assert parse_nexus_trees("".join(nexus_file_lines(many))) == many


@pytest.mark.parametrize("begins", [2, 100_000])
def test_a_block_ends_where_it_says_however_often_it_begins(begins: int) -> None:
    (tree,) = parse_nexus_trees("#NEXUS\n" + "begin trees;\n" * begins + "tree a = (b,c);\nend;\n")
    assert (tree.name, tree.taxa) == ("a", ("b", "c"))
    one, other = parse_nexus_trees("#NEXUS begin trees; tree a = (b,c); end; begin trees; tree d = (e,f); end;")
    assert (one.name, other.name) == ("a", "d")


def test_biopython_reads_our_nexus() -> None:
    names = ["", "Homo sapiens", "plain", "b" * 200]
    tree = Tree.from_parents(names, np.array([-1, 0, 0, 0]), np.arange(4.0))
    judge = Phylo.read(io.StringIO("".join(nexus_file_lines([tree]))), "nexus")
    assert [leaf.branch_length for leaf in judge.get_terminals()] == [1, 2, 3]
    assert [leaf.name for leaf in judge.get_terminals()][1:] == names[2:]


@pytest.mark.parametrize("packed", [False, True])
def test_files_are_read_plain_or_packed(tmp_path: Path, packed: bool) -> None:
    many = [Tree.from_parents(["", "a", "b"], np.array([-1, 0, 0]), name="one")] * 2
    data = "\ufeff".encode() + "".join(newick_file_lines(many)).encode()
    path = tmp_path / f"some.trees.nwk{'.gz' * packed}"
    path.write_bytes(gzip.compress(data) if packed else data)
    found = read_trees(path)
    assert found == many
    assert [tree.name for tree in found] == ["some.trees 1", "some.trees 2"]
    assert found[0].source == str(path)


def test_latin_1_names(tmp_path: Path) -> None:
    path = tmp_path / "x.nwk"
    path.write_bytes("(Bär,b);".encode("latin-1"))
    assert read_trees(path)[0].taxa == ("Bär", "b")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"(a,b", "line 1, column 1: this '\\(' is never closed"),
        (b"(a,b);\n(a,\0b);", "line 2: a zero byte, as binary files have; remove it, or give trees"),
        (b"\1", "a binary file"),
        (b"#NEXUS\nbegin data; matrix a ACGT; end;", "no tree in a TREES block"),
        (b"#NEXUS\nbegin trees; tree a = (a,b);", "line 2, column 1: this block has no END"),
        (
            b"#NEXUS\nbegin trees;\ntranslate 1 a,\n1 b; tree a = (1,2); end;",
            "line 4, column 1: '1' stands in TRANSLATE",
        ),
        (b"#NEXUS\nbegin trees;\ntranslate 1 a,\n2; tree a = (1,2); end;", "line 4, column 1: '2' in TRANSLATE"),
        (b"#NEXUS\nbegin trees;\ntree a = (1,2; end;", "line 3, column 10: this '\\(' is never closed"),
    ],
)
def test_errors_name_the_file_and_the_place(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "bad.nwk"
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"bad.nwk.*{reason}"):
        read_trees(path)


@pytest.mark.parametrize(
    ("name", "head", "claimed"),
    [
        ("x.nwk", b"(a,b);", True),
        ("x.txt", b"\n [&R] ((a", True),
        ("x.nwk.gz", b"a;", True),
        ("x.nex", b"#NEXUS\nbegin  Trees;\n tree", True),
        ("x.nex", b"#nexus\nBegin data; matrix a ACGT; end; begin trees;", False),
        ("x.nex", b"#NEXUS\nbegin data;", False),
        ("x.fasta", b">a\nACGT", False),
        ("x.txt", b"ACGT", False),
    ],
)
def test_what_files_are_taken_for(name: str, head: bytes, claimed: bool) -> None:
    assert is_tree_file(Path(name), head) is claimed


@pytest.mark.parametrize("name", ["x.nwk", "x.nex", "x.tree.gz", "x.nex.gz"])
def test_written_files_are_read_again(tmp_path: Path, name: str) -> None:
    tree = random_tree(9, np.random.default_rng(2))
    write_trees(tmp_path / name, [tree, tree])
    assert read_trees(tmp_path / name) == [tree, tree]


@pytest.mark.parametrize("taxa", [1, 2, 3, 40])
def test_random_trees_have_the_size_that_was_asked_for(taxa: int) -> None:
    tree = random_tree(taxa, np.random.default_rng(taxa))
    assert tree.leaves.size == taxa == len(set(tree.taxa))
    assert TREE.generate is random_tree and isinstance(tree, TREE.type)


def test_trees_are_among_the_kinds_of_data_and_can_be_pasted(tmp_path: Path) -> None:
    (tmp_path / "any.txt").write_text("((a,b),c);")
    assert data.find_kind_of_file(tmp_path / "any.txt") is TREE
    assert data.read_data(tmp_path / "any.txt") == data.parse_text(" ((a,b),c);")
    (pasted,) = data.parse_text("#NEXUS\nbegin trees;\ntree one = (a,(b,c));\nend;")
    assert (pasted.name, pasted.taxa) == ("one", ("a", "b", "c"))
    assert [sequence.name for sequence in data.parse_text(">one\nACGT\n")] == ["one"]


def test_a_number_without_a_name_is_noted() -> None:
    (tree,) = parse_nexus_trees("#NEXUS\nbegin trees;\ntranslate 1 a, 2 b;\ntree t = (1,2,3);\nend;\n")
    assert tree.taxa == ("a", "b", "3")
    assert tree.note == "1 leaf without a name in TRANSLATE or TAXLABELS: 3"
    assert not parse_nexus_trees("#NEXUS\nbegin trees;\ntree t = (1,2,3);\nend;\n")[0].note
