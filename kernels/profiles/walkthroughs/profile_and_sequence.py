"""A profile and a sequence step by step: scores and gap costs by matrix products or matrix-vector products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles import options
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.walkthroughs import two_profiles as two_profiles
from antidiag.kernels.profiles.walkthroughs.two_profiles import (
    ACROSS,
    BLOCK,
    FIRST,
    WORKERS,
    Each,
    H,
    S,
    TwoProfiles,
    V,
    animate_matrices,
    animate_wavefront,
    check_answer,
)
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import Animation, AnimationStep, DataCrossing, HeldData
from antidiag.kernels.walkthroughs.typed_inputs import parse_sequence, score_inputs, sequence_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough
from antidiag.kernels.walkthroughs.worker_schedule import Item

INPUTS = (
    replace(FIRST, name="profile", label="Profile"),
    sequence_input("sequence", "Sequence", "GCATGC"),
    *score_inputs(match=2, mismatch=-1, gap_extend=1)[:2],
)


class _ThreeMatrices:
    """Scores and both gap costs as matrices, then the cells on one core."""

    def __init__(self, posed_problem: Problem) -> None:
        self.two = TwoProfiles(posed_problem, costs=True)
        self.rows, self.columns = range(1, self.two.m + 1), range(1, self.two.n + 1)
        self.at: Each = ({}, {}, {}, {})
        self.who: Each = ({}, {}, {}, {})
        self.steps: list[AnimationStep] = []

    def add_product(self, tables: tuple[int, ...], rows: range, columns: range, text: str) -> None:
        """Add a step that computes these cells of these tables."""
        cells: list[Item] = [(i, j) for i in rows for j in columns]
        for table in tables:
            self.at[table].update(dict.fromkeys(cells, len(self.steps)))
            self.who[table].update(dict.fromkeys(cells, 0))
        symbols, count = len(self.two.coded.rows), len(cells) * len(tables)
        read = 4 * symbols * (len(rows) + len(columns)) * len(tables)
        self.steps.append(
            AnimationStep(
                text,
                "scores",
                (HeldData("shared memory", "slabs of the factors", read),),
                (
                    DataCrossing("factors, read", "global memory", read),
                    DataCrossing("products, written", "global memory", 4 * count),
                ),
            )
        )

    def make_animation(self, title: str) -> Animation:
        """Add all cells row by row, and build the animation."""
        m, n = self.two.m, self.two.n
        for i in self.rows:
            row: list[Item] = [(i, j) for j in self.columns]
            self.at[H].update(dict.fromkeys(row, len(self.steps)))
            self.who[H].update(dict.fromkeys(row, 1))
            self.steps.append(
                AnimationStep(
                    f"Row {i} of the cells, one after another, on one core of the host.",
                    "maximisation",
                    (HeldData("host memory", "three matrices, and two rows", 12 * m * n + 16 * n),),
                    (DataCrossing("three rows of the matrices", "host memory", 12 * n),),
                )
            )
        return self.two.make_animation(title, self.at, self.who, self.steps, ("device", "core of the host"), ([], []))


def animate_vectors(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate matrix-vector products: columns of V, rows of H and D."""
    three = _ThreeMatrices(posed_problem)
    for j in three.columns:
        three.add_product(
            (V,), three.rows, range(j, j + 1), f"Column {j} of V, the gap costs down: the profile times a blank column."
        )
    for i in three.rows:
        three.add_product(
            (ACROSS, S),
            range(i, i + 1),
            three.columns,
            f"Row {i} of H, the gap costs across, and of D, the scores: a column times the sequence.",
        )
    return three.make_animation(title)


def animate_three_matrices(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate three matrix products: H, V and D."""
    three = _ThreeMatrices(posed_problem)
    for table, text in (
        (V, "V, the gap costs down: the profile times blank columns, one for each letter."),
        (ACROSS, "H, the gap costs across: blank columns, one for each of the profile, times it."),
        (S, "D, all scores: the profile times the sequence."),
    ):
        three.add_product((table,), three.rows, three.columns, text)
    return three.make_animation(title)


def animate_one_product(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate one product of all scores, with gap costs as vectors."""
    return animate_matrices(posed_problem, {"k": posed_problem.encoded.m}, title, by_rows=True)


def animate_rows(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate matrix-vector products of rows of scores, with gap costs as vectors."""
    return animate_matrices(
        posed_problem, {"k": 1}, title, by_rows=True, product_text="a product of a matrix and a vector"
    )


def animate_serial(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate one cell after another."""
    return replace(two_profiles.animate_serial(posed_problem, values), title=title)


def build_problem(values: Mapping[str, Any]) -> Problem:
    """Build the problem of the typed alignment and sequence."""
    profile = two_profiles.parse_profile(values["profile"], "profile")
    sequence = parse_sequence(values["sequence"], "sequence", profile.type)
    scores = {name: values[name] for name in ("match", "mismatch")}
    return options.build_sequence(
        [profile, sequence], {"column_score": "sum-of-pairs", "gaps": "column", "blank": -2.0, **scores}
    )


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Draw a small alignment with gaps, and a sequence."""
    return {
        "profile": two_profiles.draw_inputs(choose)["first"],
        "sequence": "A" + "".join(choose.choose_one("ACG") for _ in range(choose.draw_integer(0, 7))),
    }


def _make_walkthrough(play: Callable[..., Animation], *parameters: Parameter) -> Walkthrough:
    return Walkthrough(INPUTS, parameters, build_problem, play, draw_inputs, check_answer, lambda made: made.cells)


NAME = "ProSeqAlign"
SERIAL = _make_walkthrough(partial(animate_serial, title=NAME))
AT_ONCE = _make_walkthrough(partial(animate_one_product, title=f"{NAME} MatProd V2"))
ROWS = _make_walkthrough(partial(animate_rows, title=f"{NAME} MatVecProd V2"))
VECTORS = _make_walkthrough(partial(animate_vectors, title=f"{NAME} MatVecProd V1"))
MATRICES = _make_walkthrough(partial(animate_three_matrices, title=f"{NAME} MatProd V1"))
WAVES = _make_walkthrough(partial(animate_wavefront, title=f"{NAME} SMwavefront k", strips=False), BLOCK, WORKERS)
