"""The first two stages of a pipeline, distances and guide tree, or the user's data in their place."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence
from antidiag.kernels.msa.pipelines.pipeline import DISTANCES, TREE, PipelineJob
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Mode, Scoring, add_letters
from antidiag.kernels.trees.distances.problem import KTUPLE_DEFAULTS, FullProblem, KtupleProblem
from antidiag.kernels.trees.parameters import PairParameters, PrunedParameters
from antidiag.kernels.trees.problem import DOUBLE_TAXA, TreeProblem

FULL, KTUPLE = "full", "ktuple"
PAIRWISE_OPTION = Parameter(
    "pairwise",
    "choice",
    "Distances",
    "full: identity of aligned pairs. ktuple: chains of shared words, as in ClustalW's fast mode.",
    default=FULL,
    choices=(FULL, KTUPLE),
)


def build_guide_tree(job: PipelineJob, pairwise: str, scoring: Scoring) -> Tree:
    """Return the guide tree: the given one, else a neighbor joining tree with ClustalW's root, made binary.

    Distances are the given ones, else those of aligned pairs under ``scoring`` or of k-tuples.
    """
    if job.problem.tree is not None:
        return resolve_multifurcations(job.problem.tree)
    distances = job.problem.distances or compute_distances(job, pairwise, scoring)
    if len(distances) == 1:
        return Tree(distances.names, np.array([-1]), np.array([np.nan]))
    precision = "double" if len(distances) <= DOUBLE_TAXA else "single"
    problem = TreeProblem(distances, precision, "zero", "clustalw")
    parameters = PrunedParameters(threads=job.run.threads)
    return resolve_multifurcations(job.run_stage(TREE, job.tools.join_tree, problem, parameters).tree)


def compute_distances(job: PipelineJob, pairwise: str, scoring: Scoring) -> DistanceMatrix:
    """Return the distances of all pairs, under the names of the taxa."""
    parameters = PairParameters(threads=job.run.threads)
    if pairwise == KTUPLE:
        words = KtupleProblem(job.sequences, **KTUPLE_DEFAULTS[job.problem.is_protein])
        return job.run_stage(DISTANCES, job.tools.ktuple_distances, words, parameters).distances
    sequences, scoring = with_scored_letters(job.sequences, scoring)
    problem = FullProblem(sequences, scoring, Mode.LOCAL)
    return job.run_stage(DISTANCES, job.tools.full_distances, problem, parameters).distances


def with_scored_letters(sequences: Sequences[Sequence], scoring: Scoring) -> tuple[tuple[Sequence, ...], Scoring]:
    """Return sequences and a scoring of all their letters.

    Letters that the matrix lacks score as what they stand for; those that stand for nothing it has, such as a stop,
    become the letter of an unknown residue (X, for nucleotides N), or the first letter of a matrix without it.
    """
    unknown = "N" if scoring_options.are_nucleotides(sequences) else "X"
    lacking = scoring_options.unscored_letters(sequences, scoring.matrix)
    if not lacking:
        return tuple(sequences), scoring
    matrix = add_letters(scoring.matrix, lacking + unknown)
    others = scoring_options.unscored_letters(sequences, matrix).encode("latin-1")
    if others:
        letter = unknown if matrix.codes[ord(unknown)] >= 0 else matrix.letters[0]
        table = bytes.maketrans(others, letter.encode() * len(others))
        sequences = [replace(sequence, letters=sequence.letters.translate(table)) for sequence in sequences]
    return tuple(sequences), replace(scoring, matrix=matrix)


def resolve_multifurcations(tree: Tree) -> Tree:
    """Return the tree with two branches at each inner node; further branches are joined by edges of length 0.

    Raises InputError if a node has one branch.
    """
    degrees = tree.degrees
    if (degrees == 1).any():
        raise InputError(
            f"{tree.name}: an inner node has one branch; use a guide tree with two or more branches per node"
        )
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
    # Added nodes have numbers behind all others, and so stand second below their parents, as they must.
    return Tree.from_parents(names, np.array(parents), np.array(lengths), tree.name, tree.source)
