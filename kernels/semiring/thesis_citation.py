"""The thesis that the families built on semirings implement (Hanif 2014)."""

from __future__ import annotations

from antidiag.kernels.citation import Citation

THESIS = Citation(
    key="hanif2014mapping",
    authors="Muhammad Kashif Hanif",
    title="Mapping Dynamic Programming Algorithms on Graphics Processing Units",
    venue="Technische Universität Hamburg-Harburg",
    year=2014,
    kind="phdthesis",
)
