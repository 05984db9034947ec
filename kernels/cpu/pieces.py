"""Compiling functions that only compiled functions call, as pieces of these.

A caller has the code of all that it calls in its own module, where LLVM inlines and optimises it. By itself such a
function needs no machine code then, and its own code need not be optimised twice: this is more than half of the time
that nested functions take to compile, at every level once more.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import AnnotateTypes


class _NoEnvironment:
    """Stands for the code generator where a function is told where its Python objects are: it has none."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """There is no machine code that could ask."""


class Piece(JITCodeLibrary):
    """The code of one function, to be linked into others; never made into machine code."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironment

    def get_pointer_to_function(self, name: str) -> int:
        """Python cannot call it."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Left to those that call it."""

    def _finalize_final_module(self) -> None:
        """As Numba's, without machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class _InAPiece(LoweringPass):
    """The code that follows goes into a `Piece`."""

    _name = "antidiag_piece"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = Piece(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class PieceCompiler(CompilerBase):
    """Numba's compiler, of pieces."""

    def define_pipelines(self) -> list[Any]:
        """Numba's, with the pass above before their code is written."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_InAPiece, AnnotateTypes)
        passes.finalize()
        return [passes]
