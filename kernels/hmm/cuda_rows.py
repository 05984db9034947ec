"""Rows of a hidden Markov model on the GPU, in pieces of the sequence; shared by Viterbi and by sums over all paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels import semiring
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import Part, allow_shared
from antidiag.kernels.cuda.run import ELEMENTS, LAUNCHES_AHEAD, SHORT_AHEAD, Run
from antidiag.kernels.cuda.structs import Struct
from antidiag.kernels.cuda.transfers import recorded
from antidiag.kernels.hmm import cuda_sizes
from antidiag.kernels.semiring import PLUS_TIMES, Semiring

HERE = Path(__file__).parent
ELEMENT_FILE = semiring.ELEMENT_FILE
ADVANCE = Struct(
    "Advance",
    """                           // pieces that go through their letters together (rows.cu)
    const Number *transitions, *emissions;
    const unsigned char* seen;
    Number* current;
    int* active;
    Number* rows;
    long long* exponents;
    const Number* reached;
    const unsigned char* starts;
    const Number* seam;
    int correct, states, pieces, steps, length, repeat, offset, count, height;
""",
)
ROWS = (ELEMENT_FILE, ADVANCE, HERE / "rows.cu")
PIECES = (ELEMENT_FILE, HERE / "pieces.cu")


@dataclass
class Model:
    """A problem on the device; ``rows`` (letters x states) is what the methods fill. The first row is ``initial``.

    ``columns`` is the transpose of the transitions; ``emissions`` has a row a symbol. Backward rows have both exchanged
    and ``seen`` reversed, and are told the forward rows as ``reached``: states that cannot be reached are left out.
    ``starts`` marks the first letters of several sequences, and what follows the last one; ``seam`` says for each state
    how a sequence ends there and another begins. ``sums`` are those of the rows of transitions, ``units`` the matrix
    that products begin with. ``name`` is the phase in which rows are computed.
    """

    run: Run
    states: int
    letters: int
    semiring: Semiring
    type: np.dtype
    transitions: cupy.ndarray
    columns: cupy.ndarray
    emissions: cupy.ndarray
    seen: cupy.ndarray
    rows: cupy.ndarray
    initial: np.ndarray
    reached: cupy.ndarray | None = None
    starts: cupy.ndarray | None = None
    seam: cupy.ndarray | None = None
    sums: cupy.ndarray | None = None
    units: cupy.ndarray | None = None
    name: str = "rows"

    @property
    def steps(self) -> int:
        return self.letters - 1

    def kernel(self, parts: tuple[Part, ...], name: str, **defines: int) -> Any:
        if self.semiring is PLUS_TIMES:
            defines["RAISED"] = cuda_sizes.RAISED
        return self.run.kernel(parts, name, ELEMENT=ELEMENTS[self.type.name], SEMIRING=self.semiring.number, **defines)

    @property
    def one(self) -> float:
        """The number of a state that costs nothing, or is certain."""
        return 2.0**cuda_sizes.RAISED if self.semiring is PLUS_TIMES else 0.0

    @property
    def threads(self) -> int:
        """Threads of a block that takes a row at a time."""
        return min(cuda_sizes.BLOCK_THREADS, -(-self.states // cuda_sizes.WARP) * cuda_sizes.WARP)


class Pieces:
    """Pieces that go through the sequence together: their current rows, and which still work.

    ``repeat`` rows make a group that goes through the same letters, as the rows of a product of matrices do; ``keep``
    stores the rows of the first of each group. Starts that are on the device become the current rows. ``normalise`` is
    one of `cuda_sizes`: as they are, up to a factor, or up to a power of two whose exponent is kept in ``exponents``.
    """

    def __init__(
        self, model: Model, starts: np.ndarray | cupy.ndarray, length: int, repeat: int = 1, shared: bool = False,
        keep: bool = True, normalise: int = cuda_sizes.UP_TO_A_FACTOR, name: str = "",
    ) -> None:  # fmt: skip
        self.model, self.length, self.repeat, self.name = model, length, repeat, name or model.name
        self.count = int(starts.shape[0])
        self.current = model.run.up(starts) if isinstance(starts, np.ndarray) else starts
        self.active = model.run.filled(self.count, np.int32, 1)  # any number but 0
        self.rows = model.rows if keep else None
        exact = normalise == cuda_sizes.UP_TO_A_POWER
        self.exponents = model.run.filled(self.count, np.int64) if exact else None
        limit, multiprocessors = blocks.most_shared(), blocks.multiprocessors()
        slower = blocks.attributes()["SingleToDoublePrecisionPerfRatio"]
        self.shape = cuda_sizes.shape(model.states, model.type.itemsize, self.count, shared, limit, multiprocessors)
        self.several = cuda_sizes.letters_a_launch(
            model.states, self.shape, self.count, multiprocessors, limit, slower if model.type.itemsize == 8 else 1
        )
        self.kernel = model.kernel(ROWS, "advance", PER=self.shape.per, WIDTH=self.shape.width,
                                   NORMALISE=normalise)  # fmt: skip
        allow_shared(self.kernel, self.shape.shared_bytes)

    def advance(self, correct: bool = False) -> None:
        """All pieces to their ends, in launches of a fraction of a second."""
        model, shaped, several = self.model, self.shape, self.several
        ahead = SHORT_AHEAD if self.length * SHORT_AHEAD <= several else LAUNCHES_AHEAD
        with model.run.phase(self.name, ahead=ahead, waits=False) as phase:
            for offset in range(0, self.length, several):
                count = min(several, self.length - offset)
                arguments = ADVANCE(
                    transitions=model.transitions, emissions=model.emissions, seen=model.seen, current=self.current,
                    active=self.active, rows=self.rows, exponents=self.exponents, reached=model.reached,
                    starts=model.starts, seam=model.seam, correct=correct, states=model.states, pieces=self.count,
                    steps=model.steps, length=self.length, repeat=self.repeat, offset=offset, count=count,
                    height=shaped.height,
                )  # fmt: skip
                grid, threads = (-(-self.count // shaped.pieces),), (shaped.teams * shaped.width,)
                self.kernel(grid, threads, arguments, shared_mem=shaped.shared_bytes)
                phase.launched(offset + count, self.length)


class Correction:
    """All rows of a model: of each piece from a guessed start, then again where the piece before has another end.

    The first two passes, after which pieces mostly agree, are queued when it is made; `finish` waits for them.
    """

    def __init__(self, model: Model, piece: int) -> None:
        length = min(piece, model.steps)
        count = -(-model.steps // length)
        starts, self._used, self._ends = (model.run.empty((count, model.states), model.type) for _ in range(3))
        guess, self._prepare, self._settle = (model.kernel(PIECES, name) for name in ("guess", "prepare", "settle"))
        one = model.type.type(model.one)
        guess((count,), (model.threads,), (model.rows, one, self._used, starts, np.int32(model.states)))
        self._model, self._pieces = model, Pieces(model, starts, length)
        self._pass(correct=False)  # in which every piece is changed
        self._pass(correct=True)

    def finish(self) -> bool:
        """Wait until the rows are right, and say whether they were not after what was queued at first."""
        changed = self._changed()
        again = changed > 0
        while changed:
            self._pass(correct=True)
            changed = self._changed()
        return again

    def _pass(self, correct: bool) -> None:
        run, pieces = self._model.run, self._pieces
        sizes, threads, states = (pieces.count,), (self._model.threads,), np.int32(self._model.states)
        if correct:
            arguments = self._ends, self._used, pieces.current, pieces.active, states
            self._prepare(sizes, threads, arguments)
        pieces.advance(correct)
        self._counter = run.filled(1, np.int32)
        self._settle(sizes, threads, (pieces.current, pieces.active, self._ends, self._counter, states))
        self._settled = recorded(cupy.cuda.get_current_stream())

    def _changed(self) -> int:
        """Pieces that the last pass changed; what was queued behind it is not waited for."""
        self._settled.synchronize()
        return int(self._counter.get(stream=cupy.cuda.Stream.null)[0])


def by_correction(model: Model, piece: int) -> None:
    """All rows of a model, when they are right."""
    if model.steps:
        Correction(model, piece).finish()
