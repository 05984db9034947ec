"""A profile and a sequence step by step: scores and gap costs by products of matrices, or of a matrix and a vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import letters_of, score_inputs, sequence_input
from antidiag.kernels.plays.model import Crossing, Held, Play, Step
from antidiag.kernels.plays.schedule import Item
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.profiles import options
from antidiag.kernels.profiles import plays as two_profiles
from antidiag.kernels.profiles.plays import (
    ACROSS,
    BLOCK,
    FIRST,
    WORKERS,
    Each,
    H,
    S,
    Two,
    V,
    agrees,
    matrices,
    wavefront,
)
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.trials import Choose

INPUTS = (replace(FIRST, name="profile", label="Profile"), sequence_input("sequence", "Sequence", "GCATGC"),
          *score_inputs(match=2, mismatch=-1, gap_extend=1)[:2])  # fmt: skip


class _Three:
    """Scores, and the gap costs of both sides, as matrices; then the cells on one core."""

    def __init__(self, made: Problem) -> None:
        self.two = Two(made, costs=True)
        self.rows, self.columns = range(1, self.two.m + 1), range(1, self.two.n + 1)
        self.at: Each = ({}, {}, {}, {})
        self.who: Each = ({}, {}, {}, {})
        self.steps: list[Step] = []

    def product(self, tables: tuple[int, ...], rows: range, columns: range, text: str) -> None:
        """A step: these cells of these tables."""
        cells: list[Item] = [(i, j) for i in rows for j in columns]
        for table in tables:
            self.at[table].update(dict.fromkeys(cells, len(self.steps)))
            self.who[table].update(dict.fromkeys(cells, 0))
        symbols, count = len(self.two.coded.rows), len(cells) * len(tables)
        read = 4 * symbols * (len(rows) + len(columns)) * len(tables)
        self.steps.append(Step(
            text, "scores", (Held("shared memory", "slabs of the factors", read),),
            (Crossing("factors, read", "global memory", read),
             Crossing("products, written", "global memory", 4 * count)),
        ))  # fmt: skip

    def play(self, title: str) -> Play:
        """All cells, a row after another."""
        m, n = self.two.m, self.two.n
        for i in self.rows:
            row: list[Item] = [(i, j) for j in self.columns]
            self.at[H].update(dict.fromkeys(row, len(self.steps)))
            self.who[H].update(dict.fromkeys(row, 1))
            self.steps.append(Step(f"Row {i} of the cells, one after another, on one core of the host.", "maximisation",
                                   (Held("host memory", "three matrices, and two rows", 12 * m * n + 16 * n),),
                                   (Crossing("three rows of the matrices", "host memory", 12 * n),)))  # fmt: skip
        return self.two.play(title, self.at, self.who, self.steps, ("device", "core of the host"), ([], []))


def by_vectors(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """Columns of V, and rows of H and D, each by a product of a matrix and a vector."""
    three = _Three(made)
    for j in three.columns:
        three.product(
            (V,), three.rows, range(j, j + 1), f"Column {j} of V, the gap costs down: the profile times a blank column."
        )
    for i in three.rows:
        three.product(
            (ACROSS, S),
            range(i, i + 1),
            three.columns,
            f"Row {i} of H, the gap costs across, and of D, the scores: a column times the sequence.",
        )
    return three.play(title)


def by_matrices(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """H, V and D, a product of matrices each."""
    three = _Three(made)
    for table, text in ((V, "V, the gap costs down: the profile times blank columns, one for each letter."),
                        (ACROSS, "H, the gap costs across: blank columns, one for each of the profile, times it."),
                        (S, "D, all scores: the profile times the sequence.")):  # fmt: skip
        three.product((table,), three.rows, three.columns, text)
    return three.play(title)


def at_once(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """All scores by one product, gap costs as vectors."""
    return matrices(made, {"k": made.encoded.m}, title, by_rows=True)


def row_by_row(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """A row of scores by a product of a matrix and a vector, gap costs as vectors."""
    return matrices(made, {"k": 1}, title, by_rows=True, what="a product of a matrix and a vector")


def serial(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """A cell after another, with its scores."""
    return replace(two_profiles.serial(made, values), title=title)


def problem(values: Mapping[str, Any]) -> Problem:
    """The alignment and the sequence that were typed."""
    profile = two_profiles.typed_profile(values["profile"], "profile")
    sequence = letters_of(values["sequence"], "sequence", profile.type)
    scores = {name: values[name] for name in ("match", "mismatch")}
    return options.build_sequence([profile, sequence], {"column_score": "sum-of-pairs", "gaps": "column", "blank": -2.0,
                                                        **scores})  # fmt: skip


def draw(choose: Choose) -> dict[str, Any]:
    """A small alignment with gaps, and a sequence."""
    return {"profile": two_profiles.draw(choose)["first"],
            "sequence": "A" + "".join(choose.of("ACG") for _ in range(choose.integer(0, 7)))}  # fmt: skip


def _staging(play: Callable[..., Play], *parameters: Parameter) -> Staging:
    return Staging(INPUTS, parameters, problem, play, draw, agrees, lambda made: made.cells)


NAME = "ProSeqAlign"
SERIAL = _staging(partial(serial, title=NAME))
AT_ONCE = _staging(partial(at_once, title=f"{NAME} MatProd V2"))
ROWS = _staging(partial(row_by_row, title=f"{NAME} MatVecProd V2"))
VECTORS = _staging(partial(by_vectors, title=f"{NAME} MatVecProd V1"))
MATRICES = _staging(partial(by_matrices, title=f"{NAME} MatProd V1"))
WAVES = _staging(partial(wavefront, title=f"{NAME} SMwavefront k", strips=False), BLOCK, WORKERS)
