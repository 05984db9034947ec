"""The method for a protein against nucleotides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate, count_all_cells
from antidiag.kernels.cost_models import minimum_models
from antidiag.kernels.method import Method, Teaching, backends_in
from antidiag.kernels.pairwise.frames import sizes
from antidiag.kernels.pairwise.frames.model import is_protein
from antidiag.kernels.pairwise.frames.parameters import FrameParameters
from antidiag.kernels.pairwise.frames.problem import FRAMES

FASTX = Citation(
    key="pearson1997comparison",
    authors="William R. Pearson, Todd Wood, Zheng Zhang, Webb Miller",
    title="Comparison of DNA Sequences with Protein Sequences",
    venue="Genomics 46(1), 24-36",
    year=1997,
)


def is_protein_and_bases(data: Sequence[Any]) -> bool:
    """Return whether the data are a protein and nucleotides."""
    return len(data) == 2 and is_protein(data[0]) != is_protein(data[1])


FRAME_METHODS = (
    Method(
        id="frame-alignment",
        name="FrameAlignment",
        family="pairwise",
        summary="A protein against DNA or RNA in three frames, or in six of both strands: codons are translated, a "
        "frameshift costs a penalty, and stop codons score.",
        citation=FASTX.with_section("the recurrence of FASTX, without its band"),
        problem_type=FRAMES,
        parameters=FrameParameters,
        choose_parameters=sizes.choose_parameters,
        backends=backends_in("antidiag.kernels.pairwise.frames", "frame_alignment"),
        returns=frozenset({"score", "alignment"}),
        is_recommended_for=is_protein_and_bases,
        cost=CostEstimate(
            estimate_memory=sizes.estimate_memory,
            nominal_gcups={"cpu": 1.0, "cuda": 100.0},
            cost_models=minimum_models(
                count_all_cells,
                "Pearson et al. 1997",
                "six sums and seven maxima a cell; a GPU does three of the sums with a maximum",
                {"cpu": 13.0, "cuda": 10.0},
            ),
        ),
        teaching=Teaching(
            Path(__file__).parents[1] / "page.md",
            no_walkthrough_reason="It has no animation of its own; that of StripedScore shows E, F and H, and here a "
            "codon takes H of three bases before, or of two or four where the frame shifts.",
        ),
    ),
)
