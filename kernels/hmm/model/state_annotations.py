"""Paths as annotations: features of neighbouring letters whose states have one label, and BED and GFF files of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.model import Result


@dataclass(frozen=True, slots=True)
class Feature:
    """Letters ``start`` to ``end`` of a sequence, half-open and counted from 0, and their label."""

    start: int
    end: int
    label: str


def find_features(hmm: Hmm, states: np.ndarray) -> tuple[Feature, ...]:
    """Find the runs of states with one label, in order; states with an empty label make none."""
    if not states.size:
        return ()
    labels = [hmm.state_label(state) for state in range(len(hmm))]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    runs = np.array([numbers[label] for label in labels])[states]
    borders = [0, *(np.flatnonzero(runs[1:] != runs[:-1]) + 1).tolist(), runs.size]
    names = list(numbers)
    found = (Feature(start, end, names[runs[start]]) for start, end in pairwise(borders))
    return tuple(feature for feature in found if feature.label)


def find_result_features(result: Result) -> tuple[Feature, ...]:
    """Find the features on the path of a result; InputError where no path is possible."""
    if result.answer.states is None:
        raise InputError(f"{result.problem.title}: the model cannot emit this sequence, so there is no path to save")
    return find_features(result.problem.hmm, result.answer.states)


def write_bed(result: Result) -> Iterator[str]:
    """Yield the lines of a BED file with six columns."""
    name = "_".join(result.problem.sequence.name.split()) or "sequence"
    for feature in find_result_features(result):
        yield f"{name}\t{feature.start}\t{feature.end}\t{'_'.join(feature.label.split())}\t0\t.\n"


def write_gff(result: Result) -> Iterator[str]:
    """Yield the lines of a GFF3 file: the label is the type; positions are counted from 1."""
    words = result.problem.sequence.name.split() or ["sequence"]
    name = quote(words[0], safe=".:^*$@!+_?-|")
    yield f"##gff-version 3\n##sequence-region {name} 1 {result.problem.n}\n"
    for number, feature in enumerate(find_result_features(result), 1):
        kind = "_".join(feature.label.split())
        attributes = f"ID={quote(kind, safe='._-')}{number};model={quote(result.problem.hmm.name, safe=' ._-')}"
        yield f"{name}\tantidiag\t{kind}\t{feature.start + 1}\t{feature.end}\t.\t.\t.\t{attributes}\n"
