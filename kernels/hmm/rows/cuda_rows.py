"""Rows of a hidden Markov model on the GPU, in pieces of the sequence, for Viterbi and for sums over all paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels import semiring
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import SourcePart, allow_shared_bytes
from antidiag.kernels.cuda.run import ELEMENT_NUMBERS, LAUNCHES_AHEAD, SHORT_AHEAD, DeviceRun
from antidiag.kernels.cuda.structs import DeviceStruct
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.semiring import PLUS_TIMES, Semiring

HERE = Path(__file__).parent
ELEMENT_FILE = semiring.ELEMENT_FILE
ADVANCE = DeviceStruct(
    "Advance",
    """  // pieces that go through their letters together (rows.cu)
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
class DeviceModel:
    """A model on the device; methods fill ``rows`` (letters x states). The first row is ``initial``.

    ``columns`` is the transpose of the transitions; ``emissions`` has a row per symbol. For backward rows both are
    exchanged, ``seen`` is reversed, and ``reached`` holds the forward rows: unreachable states are left out. ``starts``
    marks the first letters of several sequences, and the end of the last one; ``seam`` says for each state how a
    sequence ends there and another begins. ``sums`` are the sums of the rows of transitions, ``units`` the matrix that
    products begin with. ``name`` is the phase in which rows are computed.
    """

    run: DeviceRun
    states: int
    letters: int
    semiring: Semiring
    dtype: np.dtype
    transitions: cupy.ndarray
    columns: cupy.ndarray
    emissions: cupy.ndarray
    seen: cupy.ndarray
    rows: cupy.ndarray
    initial: np.ndarray
    reached: cupy.ndarray | None = None
    starts: cupy.ndarray | None = None
    seam: cupy.ndarray | None = None
    row_sums: cupy.ndarray | None = None
    identity_matrix: cupy.ndarray | None = None
    phase_name: str = "rows"

    @property
    def step_count(self) -> int:
        """Rows to compute."""
        return self.letters - 1

    def compile_kernel(self, parts: tuple[SourcePart, ...], name: str, **defines: int) -> Any:
        """Compile a kernel for the numbers of this model."""
        if self.semiring is PLUS_TIMES:
            defines["RAISED"] = cuda_sizes.SCALE_EXPONENT
        return self.run.compile_kernel(
            parts, name, ELEMENT=ELEMENT_NUMBERS[self.dtype.name], SEMIRING=self.semiring.number, **defines
        )

    @property
    def unit_value(self) -> float:
        """The number of a state that costs nothing, or is certain."""
        return 2.0**cuda_sizes.SCALE_EXPONENT if self.semiring is PLUS_TIMES else 0.0

    @property
    def block_threads(self) -> int:
        """Threads of a block that takes a row at a time."""
        return min(cuda_sizes.BLOCK_THREADS, -(-self.states // cuda_sizes.WARP) * cuda_sizes.WARP)


class PieceSweep:
    """Pieces that go through the sequence together: their current rows, and which of them still work.

    ``repeat`` rows make a group that goes through the same letters, as the rows of a product of matrices do; ``keep``
    stores the rows of the first of each group. Starts on the device become the current rows. ``normalise`` is one of
    `cuda_sizes`: unscaled, up to a factor, or up to a power of two whose exponent is kept in ``exponents``.
    """

    def __init__(
        self,
        model: DeviceModel,
        starts: np.ndarray | cupy.ndarray,
        length: int,
        repeat: int = 1,
        shared: bool = False,
        keep: bool = True,
        normalise: int = cuda_sizes.SCALED_BY_FACTOR,
        name: str = "",
    ) -> None:
        self.model, self.length, self.repeat, self.name = model, length, repeat, name or model.phase_name
        self.count = int(starts.shape[0])
        self.current = model.run.upload_array(starts) if isinstance(starts, np.ndarray) else starts
        self.active = model.run.allocate_filled(self.count, np.int32, 1)  # any number but 0
        self.rows = model.rows if keep else None
        exact = normalise == cuda_sizes.SCALED_BY_POWER
        self.exponents = model.run.allocate_filled(self.count, np.int64) if exact else None
        limit, multiprocessors = block_limits.max_shared_bytes(), block_limits.multiprocessor_count()
        slower = block_limits.device_attributes()["SingleToDoublePrecisionPerfRatio"]
        self.shape = cuda_sizes.choose_team_shape(
            model.states, model.dtype.itemsize, self.count, shared, limit, multiprocessors
        )
        self.several = cuda_sizes.count_launch_letters(
            model.states, self.shape, self.count, multiprocessors, limit, slower if model.dtype.itemsize == 8 else 1
        )
        constants = {"PER": self.shape.pieces_per_team, "WIDTH": self.shape.width, "NORMALISE": normalise}
        self.kernel = model.compile_kernel(ROWS, "advance", **constants)
        allow_shared_bytes(self.kernel, self.shape.shared_bytes)

    def advance(self, correct: bool = False) -> None:
        """Take all pieces to their ends, in launches of a fraction of a second."""
        shaped, several = self.shape, self.several
        ahead = SHORT_AHEAD if self.length * SHORT_AHEAD <= several else LAUNCHES_AHEAD
        with self.model.run.begin_phase(self.name, ahead=ahead, waits=False) as phase:
            for offset in range(0, self.length, several):
                count = min(several, self.length - offset)
                arguments = self._arguments(correct, offset, count)
                grid, threads = (-(-self.count // shaped.block_pieces),), (shaped.teams * shaped.width,)
                self.kernel(grid, threads, arguments, shared_mem=shaped.shared_bytes)
                phase.note_launch(offset + count, self.length)

    def _arguments(self, correct: bool, offset: int, count: int) -> tuple:
        """Return the arguments of a launch that does ``count`` letters of every piece from ``offset`` on."""
        model = self.model
        return ADVANCE(
            transitions=model.transitions,
            emissions=model.emissions,
            seen=model.seen,
            current=self.current,
            active=self.active,
            rows=self.rows,
            exponents=self.exponents,
            reached=model.reached,
            starts=model.starts,
            seam=model.seam,
            correct=correct,
            states=model.states,
            pieces=self.count,
            steps=model.step_count,
            length=self.length,
            repeat=self.repeat,
            offset=offset,
            count=count,
            height=self.shape.shared_rows,
        )


class PieceCorrection:
    """All rows of a model, of each piece from a guessed start, then again where the piece before has another end.

    The first two passes, after which pieces mostly agree, are queued at once; `finish` waits for them.
    """

    def __init__(self, model: DeviceModel, piece: int) -> None:
        length = min(piece, model.step_count)
        count = -(-model.step_count // length)
        starts, self._used, self._ends = (
            model.run.allocate_array((count, model.states), model.dtype) for _ in range(3)
        )
        guess, self._prepare, self._settle = (
            model.compile_kernel(PIECES, name) for name in ("guess", "prepare", "settle")
        )
        one = model.dtype.type(model.unit_value)
        guess((count,), (model.block_threads,), (model.rows, one, self._used, starts, np.int32(model.states)))
        self._model, self._pieces = model, PieceSweep(model, starts, length)
        self._run_pass(correct=False)  # in which every piece is changed
        self._run_pass(correct=True)

    def finish(self) -> bool:
        """Wait until the rows are right, and return whether corrections were needed after the first two passes."""
        changed = self._count_changed()
        again = changed > 0
        while changed:
            self._run_pass(correct=True)
            changed = self._count_changed()
        return again

    def _run_pass(self, correct: bool) -> None:
        run, pieces = self._model.run, self._pieces
        sizes, threads, states = (pieces.count,), (self._model.block_threads,), np.int32(self._model.states)
        if correct:
            arguments = self._ends, self._used, pieces.current, pieces.active, states
            self._prepare(sizes, threads, arguments)
        pieces.advance(correct)
        self._counter = run.allocate_filled(1, np.int32)
        self._settle(sizes, threads, (pieces.current, pieces.active, self._ends, self._counter, states))
        self._settled = cupy.cuda.get_current_stream().record()

    def _count_changed(self) -> int:
        """Return how many pieces the last pass changed, without waiting for what was queued behind it."""
        self._settled.synchronize()
        return int(self._counter.get(stream=cupy.cuda.Stream.null)[0])


def fill_rows_by_correction(model: DeviceModel, piece: int) -> None:
    """Compute all rows of a model, and wait until they are right."""
    if model.step_count:
        PieceCorrection(model, piece).finish()
