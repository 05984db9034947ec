"""Guide trees: every method that takes a tree is run along every tree that a method writes.

Along its own tree a method gives its own alignment back; along the tree of another it gives an alignment that is
checked, and gives that back along the tree which it then writes. Families have equal and empty sequences, and RNA
beside DNA.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np

from antidiag.kernels import registry
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.io import tree_files
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry import data_loading
from antidiag.kernels.trials import TrialChooser, load_trials
from tests.kernels.conformance import checks
from tests.kernels.msa.test_own_tree import MAKES_A_TREE, OPTIONS, TAKES_A_TREE, as_alignment, family, rows

JOINING = [one for one in registry.METHODS if one.problem_type.id == "tree"]
THOROUGH = {"effort": "thorough"}
"""The options of `msa` with which an alignment has four trees, so that one does not give it back."""
SUFFIXES = (".nwk", ".nex", ".nhx", ".phyloxml", ".nexml", ".nwk.gz")
LARGEST_SEED = 10**6


def try_guide_trees(method: Method, backend: str, choose: TrialChooser) -> None:
    """Align a family along the tree of a method, and again along the tree that the first run wrote."""
    data = _draw_family(choose)
    options = dict(choose.choose_one(OPTIONS.get(method.id, [{}])))
    if method.id == "msa" and choose.draw_integer(1, 10) == 1:
        options = dict(THOROUGH)
    given: tuple[Any, ...] = ()
    maker = choose.choose_one([method, *TAKES_A_TREE, *MAKES_A_TREE, *JOINING])
    if maker is not method:
        tree = _tree_of_method(maker, data, choose)
        given = () if tree is None else (_write_and_read(tree, choose),)
    first = _solve(method, backend, (*data, *given), options, choose)
    if first.tree is None:
        return
    again = _solve(method, backend, (*data, _write_and_read(first.tree, choose)), options, choose)
    if options == THOROUGH and not given:
        return
    along = "the tree of its own" if not given else f"the tree that it wrote after that of {maker.id}"
    assert rows(again) == rows(first), f"along {along} the alignment of {data} with {options} is another"
    assert again.tree == first.tree, f"along {along} the tree of {data} with {options} is another"


def _draw_family(choose: TrialChooser) -> tuple[Sequence, ...]:
    """Draw relatives, some equal; perhaps with empty sequences, or with RNA beside DNA."""
    kind = choose.choose_one((SequenceType.PROTEIN, SequenceType.DNA))
    drawn = family.__wrapped__(choose.draw_integer(0, LARGEST_SEED), kind)
    drawn = drawn if len(drawn) > 1 else (*drawn, replace(drawn[0], name="equal"))
    special = choose.choose_one(("none", "none", "empty", "mixed"))
    if special == "empty":
        return (*drawn, *(Sequence(f"empty{at}", b"", kind) for at in range(choose.draw_integer(1, 2))))
    if special == "mixed" and kind is SequenceType.DNA:
        return tuple(_as_rna(one) if choose.draw_integer(0, 1) else one for one in drawn)
    return drawn


def _as_rna(sequence: Sequence) -> Sequence:
    return replace(sequence, letters=sequence.letters.replace(b"T", b"U"), type=SequenceType.RNA)


def _tree_of_method(maker: Method, data: tuple[Sequence, ...], choose: TrialChooser) -> Tree | None:
    """Return the tree of a method for these sequences; joining takes random distances, 0 between equal sequences."""
    if maker not in JOINING:
        answer = _solve(maker, "cpu", data, {}, choose)
        return cast("Tree | None", answer.tree)
    taxa = [one for one in data if len(one)]
    values = np.triu(choose.make_generator().random((len(taxa), len(taxa))).round(2), 1)
    values = values + values.T
    equal = np.array([[one.letters == other.letters for other in taxa] for one in taxa])
    matrix = make_distance_matrix([one.name for one in taxa], np.where(equal, 0, values))
    if len(matrix) < 2:
        return None
    problem = maker.problem_type.make_problem((matrix,), {})
    return cast("Tree | None", checks.run(maker, "cpu", problem, {}).answer.tree)


def _solve(method: Method, backend: str, data: tuple[Any, ...], options: dict[str, Any], choose: TrialChooser) -> Any:
    """Return the checked answer of a method for a family, with drawn parameters."""
    if any(taken.kind is ALIGNMENT for taken in method.problem_type.inputs):
        data = as_alignment(data, 2 * any(taken.kind is SEQUENCE for taken in method.problem_type.inputs))
    place = backend if backend in method.backends else method.backends[0]
    parameters = load_trials(method.problem_type).draw_parameters(method, place, choose)
    return checks.run(method, place, method.problem_type.make_problem(data, options), parameters).answer


def _write_and_read(tree: Tree, choose: TrialChooser) -> Tree:
    """Return a tree as it comes back from a file of a drawn format."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"guide{choose.choose_one(SUFFIXES)}"
        tree_files.write_trees(path, [tree])
        (found,) = data_loading.read_data(path)
    assert isinstance(found, Tree) and found == tree, f"{path.name} gives another tree than was written"
    return found
