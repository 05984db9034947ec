"""The command ``view``, which opens the window."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from antidiag.kernels.errors import InputError

VIEW_EXAMPLES = """
[bold]Examples[/]

antidiag view globins.sto globins.nwk

antidiag view
"""


def view(
    context: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="Data of any kind, or a session (.antidiag).")
    ] = None,
) -> None:
    """Open the window, with the files if any are named; without files it shows what was open last."""
    for name in files or []:
        if not os.path.exists(name):
            raise InputError(f"{name}: no such file; check the spelling")
    if context.obj is None:
        raise InputError("this program has no window; start it as a command of its own")
    raise typer.Exit(context.obj(files or []))
