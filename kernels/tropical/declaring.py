"""What the declarations of the areas share."""

from __future__ import annotations

from kernels.method import Citation
from kernels.parameters import Parameter

PAPER = Citation(
    key="hanif2014mapping",
    authors="Muhammad Kashif Hanif",
    title="Mapping Dynamic Programming Algorithms on Graphics Processing Units",
    venue="Technische Universität Hamburg-Harburg (doctoral thesis)",
    year=2014,
)

THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="CPU: worker threads that share the work.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)
