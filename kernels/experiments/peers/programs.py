"""Peers that are programs on the PATH: MAFFT, ClustalW and FAMSA for multiple alignments, QuickTree for trees; and a
library, FAMSA in this process.

The time of a program covers its start, reading the file, computing, and writing; the file is written before.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.peers.pairs import package_version
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.sequence_set import SequenceSet
from antidiag.kernels.trees import NEIGHBOR_JOINING
from antidiag.kernels.trees.distances.problem import KTUPLE_DISTANCES
from antidiag.kernels.trees.problem import TREE_PROBLEM

COUNTS = "start of the program, reading the file, computing, writing"
NUMBER = re.compile(r"\d+(\.\d+)+")
MAFFT = ("--quiet", "--thread", "-1")
VERSION_S = 20.0
SHORT_NAME = 10
"""Letters of a name that every reader of PHYLIP matrices takes."""


@cache
def program_version(command: tuple[str, ...]) -> str | None:
    """Return the version that a program prints, "" if it prints none, None if it is not on the PATH."""
    if shutil.which(command[0]) is None:
        return None
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=False, timeout=VERSION_S, input="")
    except (OSError, subprocess.TimeoutExpired):
        return ""
    number = NUMBER.search(output.stdout + output.stderr)
    return number.group() if number else ""


def sequences_of(problem: Any) -> list[Sequence]:
    """Return the sequences of a problem, in the order of its fields."""
    return list(_sequences_answer(problem))


def _sequences_answer(value: Any) -> Iterator[Sequence]:
    if isinstance(value, Sequence):
        yield value
    elif isinstance(value, (tuple, list, SequenceSet)):
        for item in value:
            yield from _sequences_answer(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _sequences_answer(getattr(value, field.name))


def _prepare_alignment(command: Callable[[Path, Path], list[str]], to_output: bool, problem: Any) -> Callable[[], int]:
    """Return a call that aligns the sequences of a problem and returns the number of columns."""
    folder = TemporaryDirectory(prefix="antidiag-peer-")
    read, write = _write_sequences(problem, folder), Path(folder.name) / "out.fa"

    def call() -> int:
        found = run_program(command(read, write), folder)
        return _count_columns(found if to_output else write.read_text(encoding="ascii"))

    return call


def _write_sequences(problem: Any, folder: TemporaryDirectory[str]) -> Path:
    """Write the sequences of a problem to a FASTA file, under names that every program takes."""
    path = Path(folder.name) / "in.fa"
    with open(path, "w", encoding="ascii") as file:
        for number, sequence in enumerate(sequences_of(problem)):
            file.write(f">s{number}\n{sequence.letters.decode()}\n")
    return path


def run_program(command: list[str], folder: TemporaryDirectory[str]) -> str:
    """Return what a program prints; ``folder`` lives as long as the call does. Raise InputError with its last line."""
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder.name)
    if found.returncode:
        words = (found.stderr or found.stdout).strip().splitlines() or ["it gave no reason"]
        raise InputError(f"{Path(command[0]).name} failed ({found.returncode}): {words[-1]}")
    return found.stdout


def _prepare_pyfamsa(problem: Any) -> Callable[[], int]:
    """Return a call that aligns the sequences of a problem in this process, on all cores."""
    from pyfamsa import Aligner
    from pyfamsa import Sequence as Taken

    taken = [Taken(b"s%d" % number, one.letters) for number, one in enumerate(sequences_of(problem))]
    return lambda: len(Aligner(threads=count_processors()).align(taken)[0].sequence)


def _count_columns(fasta: str) -> int:
    """Return the length of the first record."""
    lines = fasta.split(">", 2)[1].splitlines()[1:]
    return sum(len(line.strip()) for line in lines)


def _prepare_clustalw(read: Path, write: Path) -> list[str]:
    return ["clustalw", f"-INFILE={read}", f"-OUTFILE={write}", "-OUTPUT=FASTA", "-ALIGN", "-QUIET"]


def _quick_distances(problem: Any) -> Callable[[], str]:
    """Return a call in which ClustalW computes its fast distances and their tree, which it cannot leave out."""
    folder = TemporaryDirectory(prefix="antidiag-peer-")
    read, write = _write_sequences(problem, folder), Path(folder.name) / "out.dnd"
    options = (f"-KTUPLE={problem.ktuple}", f"-TOPDIAGS={problem.diagonals}", f"-WINDOW={problem.window}",
               f"-PAIRGAP={problem.word_gap}")  # fmt: skip
    command = ["clustalw", f"-INFILE={read}", f"-NEWTREE={write}", "-QUICKTREE", "-ALIGN", "-QUIET", *options]

    def call() -> str:
        run_program(command, folder)
        return write.read_text(encoding="ascii")

    return call


def _few_letters(problem: Any) -> str:
    """Return why programs of multiple alignment cannot take these sequences, or ""."""
    found = sequences_of(problem)
    kinds = {sequence.type is SequenceType.PROTEIN for sequence in found}
    return "" if len(kinds) == 1 and len(found) > 1 else "it aligns two or more sequences of one type"


def _prepare_quicktree(problem: Any) -> Callable[[], str]:
    """Return a call that returns the neighbor-joining tree of a distance matrix, as Newick."""
    folder = TemporaryDirectory(prefix="antidiag-peer-")
    path = Path(folder.name) / "in.dist"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{len(problem.matrix.names)}\n")
        for number, row in enumerate(problem.matrix.values.tolist()):
            file.write(f"{f't{number}':<{SHORT_NAME}} " + " ".join(f"{value:.9g}" for value in row) + "\n")
    return lambda: run_program(["quicktree", "-in", "m", "-out", "t", str(path)], folder)


_aligner_peer = partial(
    Peer,
    problems=(),
    any_number_of=SEQUENCE,
    returns=frozenset({"alignment"}),
    counts=COUNTS,
    refusal=_few_letters,
    answer=lambda columns: f"{columns:,} columns",
    is_exact=False,
)
PEERS = (
    _aligner_peer(
        id="mafft",
        name="MAFFT FFT-NS-2",
        install="apt install mafft",
        version=partial(program_version, ("mafft", "--version")),
        prepare=partial(
            _prepare_alignment,
            lambda read, write: ["mafft", "--retree", "2", "--maxiterate", "0", *MAFFT, str(read)],
            True,
        ),
    ),
    _aligner_peer(
        id="mafft-parttree",
        name="MAFFT PartTree",
        install="apt install mafft",
        version=partial(program_version, ("mafft", "--version")),
        prepare=partial(
            _prepare_alignment, lambda read, write: ["mafft", "--parttree", "--retree", "1", *MAFFT, str(read)], True
        ),
    ),
    _aligner_peer(
        id="clustalw",
        name="ClustalW",
        install="apt install clustalw",
        version=partial(program_version, ("clustalw", "-help")),
        prepare=partial(_prepare_alignment, _prepare_clustalw, False),
    ),
    _aligner_peer(
        id="famsa",
        name="FAMSA",
        install="get famsa from its authors",
        version=partial(program_version, ("famsa",)),
        prepare=partial(_prepare_alignment, lambda read, write: ["famsa", str(read), str(write)], False),
    ),
    _aligner_peer(
        id="pyfamsa",
        name="FAMSA (pyfamsa)",
        counts="computing",
        install="pip install pyfamsa",
        version=partial(package_version, "pyfamsa"),
        prepare=_prepare_pyfamsa,
    ),
    Peer(
        id="clustalw-quicktree",
        name="ClustalW quicktree",
        problems=(KTUPLE_DISTANCES,),
        returns=frozenset({"distances"}),
        counts=f"{COUNTS}, with the tree of the distances; one thread",
        install="apt install clustalw",
        version=partial(program_version, ("clustalw", "-help")),
        refusal=_few_letters,
        prepare=_quick_distances,
        answer=lambda newick: f"{newick.count(',') + 1:,} taxa",
        nominal_gcups=1.0,
    ),
    Peer(
        id="quicktree",
        name="QuickTree",
        problems=(TREE_PROBLEM,),
        returns=frozenset({"tree"}),
        counts=COUNTS,
        install="apt install quicktree",
        version=partial(program_version, ("quicktree", "-v")),
        refusal=lambda problem: "" if len(problem.matrix.names) > 2 else "it takes three or more taxa",
        prepare=_prepare_quicktree,
        answer=lambda newick: f"{newick.count(',') + 1:,} taxa",
        criterion=NEIGHBOR_JOINING,
    ),
)
