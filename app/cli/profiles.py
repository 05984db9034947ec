"""The command that makes profiles: ``profile``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from antidiag.app.cli import inputs, report
from antidiag.app.cli.progress import watched
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import aligned
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import files, making
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN, Profile, random_profile

PROFILE_EXAMPLES = """
[bold]Examples[/]

antidiag profile globins.aln --weights clustalw --pseudocounts 1 --out globins.json

antidiag profile globins.aln --weights globins.nwk --out globins.json

antidiag profile --random 1000 --seed 7 --out random.csv
"""
SAME, CLUSTALW = "same", "clustalw"
SHOWN = 60


def profile(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="An alignment, or a profile.")] = None,
    weights: Annotated[
        str,
        typer.Option(
            metavar="same|clustalw|FILE",
            help="What the rows count: all the same; as ClustalW has it, by a guide tree that is computed; by a tree "
            "in a file, or by a file of names with weights.",
        ),
    ] = SAME,
    pseudocounts: Annotated[
        float, typer.Option(metavar="N", help="Letters of the background that are added to every column.")
    ] = 0.0,
    random: Annotated[int | None, typer.Option(metavar="N", help="Random columns in place of a FILE.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the random columns.")] = 1,
    kind: Annotated[
        str | None, typer.Option("--seq-type", metavar="TYPE", help="Of random columns: protein (default), dna, rna.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Save it: .json has everything, .csv frequencies.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Make a profile of an alignment, or a random one, for methods that take profiles.

    An alignment whose rows count alike needs none of this: the methods take it as it is.
    """
    target = None if out is None else Path(out)
    if target is not None:
        files.check_suffix(target)
        inputs.check_place(target, [] if file is None else [file])
    with watched() as monitor:
        if (file is None) == (random is None):
            raise InputError("a profile is made of a FILE, or of --random N columns; give one of them")
        if file is None and (weights != SAME or pseudocounts):
            raise InputError("random columns have no rows; leave --weights and --pseudocounts out, or give a FILE")
        made = _random(random, seed, kind) if file is None else _of_file(file, weights, pseudocounts, monitor)
    if target is not None:
        files.write(target, made)
    if as_json:
        report.print_json(files.json_fields(made))
        return
    report.print_rows([*_rows(made), *([("saved", str(target))] if target else [])])


def _random(columns: int | None, seed: int, kind: str | None) -> Profile:
    if columns is None or columns < 1:
        raise ParameterError(f"--random {columns} is no number of columns; give 1 or more")
    protein = inputs.sequence_type(kind) in (None, SequenceType.PROTEIN)
    return random_profile(columns, np.random.default_rng(seed), PROTEIN if protein else NUCLEOTIDES)


def _of_file(file: str, weights: str, pseudocounts: float, monitor: Monitor) -> Profile:
    path = Path(file)
    found = files.read(path, monitor)
    if len(found) != 1:
        raise InputError(f"{file}: {len(found):,} alignments in it; give a file of one")
    if weights == SAME:
        return making.with_background(found[0], pseudocounts)
    if files.holds(path):
        raise InputError(f"{file}: a profile, whose rows have their weights; give --weights with an alignment")
    alignment = aligned.read(path)[0]
    given: Tree | np.ndarray
    if weights == CLUSTALW:
        from antidiag.kernels.trees import guide

        given = guide.of_alignment(alignment, monitor)
    else:
        given = making.read_weights(weights, alignment.names)
    return making.profile_of(alignment, given, pseudocounts)


def _rows(made: Profile) -> list[tuple[str, str]]:
    """The profile for people."""
    consensus = made.consensus
    rows = [("profile", made.name), ("size", made.summary), ("type", str(made.type))]
    rows.append(("consensus", consensus if len(consensus) <= SHOWN else f"{consensus[:SHOWN]}..."))
    if made.weights.size:
        rows.append(("weights", f"{made.weights.min():.3g} to {made.weights.max():.3g}"))
    if made.pseudocounts:
        rows.append(("pseudo-counts", f"{made.pseudocounts:g}"))
    return rows
