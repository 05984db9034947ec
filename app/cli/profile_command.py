"""The command ``profile``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from antidiag.app.cli import inputs, report
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell.completion import complete_words, option_of_words
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import profile_builder, profile_files
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN, Profile, generate_profile

PROFILE_EXAMPLES = """
[bold]Examples[/]

antidiag profile globins.aln --weights clustalw --pseudocounts 1 --out globins.json

antidiag profile globins.aln --weights globins.nwk --out globins.json

antidiag profile --random 1000 --seed 7 --out random.csv
"""
SAME, CLUSTALW = "same", "clustalw"
SHOWN = 60


def profile(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="Alignment or profile.")] = None,
    weights: Annotated[
        str,
        typer.Option(
            metavar="same|clustalw|FILE",
            autocompletion=complete_words(("same", "clustalw")),
            help="Row weights: equal; as in ClustalW, from a computed guide tree; from a tree file; or from a file of "
            "names and weights.",
        ),
    ] = SAME,
    pseudocounts: Annotated[
        float, typer.Option(metavar="N", help="Pseudocounts from the background distribution, added to every column.")
    ] = 0.0,
    random: Annotated[int | None, typer.Option(metavar="N", help="Make N random columns; no FILE.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the random columns.")] = 1,
    kind: Annotated[
        str | None,
        option_of_words(
            "--seq-type",
            ("dna", "rna", "protein"),
            "Type of the letters; by default guessed, and protein for random columns.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Save as .json (complete) or .csv (frequencies)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile as JSON.")] = False,
) -> None:
    """Make a profile from an alignment, or a random one.

    An alignment with equal row weights needs no profile: the methods take it directly.
    """
    target = None if out is None else Path(out)
    if target is not None:
        profile_files.check_suffix(target)
        inputs.check_writable(target, [] if file is None else [file])
    with watch_run() as monitor:
        if (file is None) == (random is None):
            raise InputError("give either a FILE or --random N")
        if file is None and (weights != SAME or pseudocounts):
            raise InputError("random columns have no rows; remove --weights and --pseudocounts, or give a FILE")
        if file is None:
            made = _random_columns(random, seed, kind)
        else:
            made = _read_profile(file, weights, pseudocounts, monitor, kind)
    if target is not None:
        profile_files.write_profile(target, made)
    if as_json:
        report.print_json(profile_files.json_fields(made))
        return
    report.print_rows([*_profile_rows(made), *([("saved", str(target))] if target else [])])


def _random_columns(columns: int | None, seed: int, kind: str | None) -> Profile:
    if columns is None or columns < 1:
        raise ParameterError(f"--random must be 1 or more columns; got {columns}")
    protein = inputs.parse_sequence_type(kind) in (None, SequenceType.PROTEIN)
    return generate_profile(columns, np.random.default_rng(seed), PROTEIN if protein else NUCLEOTIDES)


def _read_profile(file: str, weights: str, pseudocounts: float, monitor: Monitor, kind: str | None) -> Profile:
    path, type_ = Path(file), inputs.parse_sequence_type(kind)
    found = profile_files.read_profile(path, monitor, type_)
    if len(found) != 1:
        raise InputError(f"{file}: contains {len(found):,} alignments; give a file with one alignment")
    if weights == SAME:
        return profile_builder.add_background(found[0], pseudocounts)
    if profile_files.file_holds_profile(path):
        raise InputError(f"{file}: the rows of a profile have weights already; use --weights with an alignment")
    alignment = aligned_sequences.read_alignments(path)[0]
    if type_ is not None:
        alignment = aligned_sequences.with_type(alignment, type_)
    given: Tree | np.ndarray
    if weights == CLUSTALW:
        from antidiag.kernels.trees import alignment_guide

        given = alignment_guide.make_guide_tree(alignment, monitor)
    else:
        given = profile_builder.read_weights(weights, alignment.names)
    return profile_builder.build_profile(alignment, given, pseudocounts)


def _profile_rows(made: Profile) -> list[tuple[str, str]]:
    """Return a profile as labelled texts."""
    consensus = made.consensus
    rows = [("profile", made.name), ("size", made.summary), ("type", str(made.type))]
    rows.append(("consensus", consensus if len(consensus) <= SHOWN else f"{consensus[:SHOWN]}..."))
    if made.weights.size:
        rows.append(("weights", f"{made.weights.min():.3g} to {made.weights.max():.3g}"))
    if made.pseudocounts:
        rows.append(("pseudo-counts", f"{made.pseudocounts:g}"))
    if made.note:
        rows.append(("note", made.note))
    return rows
