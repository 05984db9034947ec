"""The first two stages of a pipeline, distances and guide tree; or what is given in their place."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.pipeline import DISTANCES, TREE, Job
from antidiag.kernels.scoring import Mode, Scoring, SubstitutionMatrix
from antidiag.kernels.trees.distances.problem import KTUPLE_DEFAULTS, FullProblem, KtupleProblem
from antidiag.kernels.trees.problem import DOUBLE_TAXA, TreeProblem

FULL, KTUPLE = "full", "ktuple"
PAIRWISE = (FULL, KTUPLE)
"""Distances of aligned pairs, or of chains of shared words: ClustalW's slow and its fast mode."""


def tree_of(job: Job, pairwise: str, scoring: Scoring) -> Tree:
    """The guide tree: the one given, else that of neighbor joining with ClustalW's root, of two branches everywhere.

    Its distances are those given, else those of aligned pairs under ``scoring``, or of k-tuples.
    """
    if job.problem.tree is not None:
        return binary(job.problem.tree)
    distances = job.problem.distances or distances_of(job, pairwise, scoring)
    if len(distances) == 1:
        return Tree(distances.names, np.array([-1]), np.array([np.nan]))
    precision = "double" if len(distances) <= DOUBLE_TAXA else "single"
    problem = TreeProblem(distances, precision, "zero", "clustalw")
    return binary(job.stage(TREE, job.tools.joining, problem, {"epoch": 8, "threads": job.tools.threads}).tree)


def distances_of(job: Job, pairwise: str, scoring: Scoring) -> DistanceMatrix:
    """The distances of all pairs, under the names of the taxa."""
    if pairwise == KTUPLE:
        words = KtupleProblem(job.sequences, **KTUPLE_DEFAULTS[job.problem.protein])
        return job.stage(DISTANCES, job.tools.ktuple, words, {"threads": job.tools.threads}).distances
    problem = FullProblem(known_letters(job.sequences, scoring.matrix), scoring, Mode.LOCAL)
    return job.stage(DISTANCES, job.tools.full, problem, {"threads": job.tools.threads}).distances


def known_letters(sequences: Sequences[Sequence], matrix: SubstitutionMatrix) -> tuple[Sequence, ...]:
    """The sequences with a letter for any (X, of nucleotides N) where the matrix does not know theirs."""
    table = bytearray(range(256))
    unknown = {
        kind: next((one for one in wanted if matrix.codes[ord(one)] >= 0), matrix.letters[0])
        for kind, wanted in ((True, "XA"), (False, "NXA"))
    }
    found = []
    for sequence in sequences:
        other = ord(unknown[sequence.type == SequenceType.PROTEIN])
        for letter in set(sequence.letters):
            table[letter] = letter if matrix.codes[letter] >= 0 else other
        found.append(replace(sequence, letters=sequence.letters.translate(bytes(table))))
    return tuple(found)


def binary(tree: Tree) -> Tree:
    """The tree with two branches at every inner node: those beyond the first are joined in their order, by edges of
    length 0. InputError where a node has one branch."""
    degrees = tree.degrees
    if (degrees == 1).any():
        raise InputError(f"{tree.name}: an inner node with one branch; give a guide tree whose nodes have two or more")
    if not (degrees > 2).any():
        return tree
    names, parents, lengths = list(tree.names), tree.parents.tolist(), tree.lengths.tolist()
    for node in np.flatnonzero(degrees > 2).tolist():
        children, above = tree.children(node).tolist(), node
        for child in children[1:-1]:
            names.append("")
            parents.append(above)
            lengths.append(0.0)
            above = len(names) - 1
            parents[child] = above
        parents[children[-1]] = above
    # What was added has a number behind all others, and so stands second below its parent, as it has to.
    return Tree.from_parents(names, np.array(parents), np.array(lengths), tree.name, tree.source)
