"""``python -m bench.homfam FOLDER``: quality on families whose reference sequences are aligned, beside FAMSA and MAFFT.

The folder has families: ``NAME.fa`` (or ``.fa.gz``) with the reference sequences among all, and ``NAME.ref`` aligned.
SP and TC are of the reference sequences. Peers are FAMSA by pyfamsa and ``mafft --parttree --retree 1``, where they are
installed; a family that is left out of ``--half`` judges what was chosen on the others.

``--subsets 10,50,200,1000`` shows how the scores change with the number of sequences: the reference sequences of each
family are aligned together with so many of the others, drawn by chance ``--draws`` times; means are printed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments import comparison
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.io import aligned_sequences, sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Sequence as Letters
from bench.options import parse_options

METHOD = "msa-parttree"
Scores = tuple[float, float, float]
"""SP, TC, and seconds of the whole call."""


def find_families(folder: Path) -> dict[str, Path]:
    """Return the files of the families of a folder by name, smallest first."""
    found = {path.name.split(".")[0]: path for path in folder.glob("*.fa*") if path.name.endswith((".fa", ".fa.gz"))}
    judged = {name: path for name, path in found.items() if (folder / f"{name}.ref").exists()}
    return dict(sorted(judged.items(), key=lambda item: item[1].stat().st_size))


def score_reference(found: AlignedSequences, folder: Path, name: str) -> tuple[float, float]:
    """Return the SP and TC scores of the reference sequences."""
    (reference,) = aligned_sequences.read_alignments(folder / f"{name}.ref")
    return comparison.compare_to_reference(found, reference).scores()


def align_with_antidiag(
    records: Sequence[Letters], options: Mapping[str, Any], parameters: Mapping[str, Any], backend: BackendChoice
) -> AlignedSequences:
    """Align with this program."""
    method = registry.find_method(METHOD)
    problem = method.problem_type.make_problem(list(records), options)
    return engine.execute(engine.plan_run(method, problem, parameters, backend), keep_rate=False).answer.alignment


def align_with_famsa(records: Sequence[Letters]) -> AlignedSequences:
    """Align with FAMSA and its defaults."""
    from pyfamsa import Aligner
    from pyfamsa import Sequence as Other

    found = Aligner().align([Other(one.name.encode(), one.letters) for one in records])
    return _alignment_of_rows([one.id.decode() for one in found], [bytes(one.sequence) for one in found], records)


def align_with_mafft(records: Sequence[Letters]) -> AlignedSequences:
    """Align with MAFFT PartTree, with one tree."""
    with TemporaryDirectory(prefix="antidiag-bench-") as folder:
        path = Path(folder) / "in.fa"
        path.write_bytes(b"".join(b">%d\n%b\n" % (at, one.letters) for at, one in enumerate(records)))
        command = ["mafft", "--parttree", "--retree", "1", "--quiet", "--thread", "-1", "--anysymbol", str(path)]
        output = subprocess.run(command, capture_output=True, check=True).stdout
    rows = [part.partition(b"\n")[2].replace(b"\n", b"") for part in output.split(b">")[1:]]
    return _alignment_of_rows([one.name for one in records], rows, records)


def installed_peers() -> dict[str, Callable[[Sequence[Letters]], AlignedSequences]]:
    """Return the installed programs."""
    found: dict[str, Callable[[Sequence[Letters]], AlignedSequences]] = {}
    try:
        import pyfamsa  # noqa: F401
    except ImportError:
        pass
    else:
        found["FAMSA"] = align_with_famsa
    if shutil.which("mafft"):
        found["MAFFT"] = align_with_mafft
    return found


def _alignment_of_rows(names: list[str], rows: list[bytes], records: Sequence[Letters]) -> AlignedSequences:
    letters = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
    upper = np.where((letters >= ord("a")) & (letters <= ord("z")), letters - 32, letters).astype(np.uint8)
    return AlignedSequences(tuple(names), upper, records[0].type)


def time_alignment(make: Callable[[], AlignedSequences], folder: Path, name: str) -> Scores:
    begun = time.perf_counter()
    found = make()
    seconds = time.perf_counter() - begun
    return (*score_reference(found, folder, name), seconds)


def read(path: Path) -> Sequence[Letters]:
    """Read the sequences of a family without gaps."""
    return sequences.read_sequences(path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--family", action="append", help="these alone")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=f"of {METHOD}")
    parser.add_argument("--threads", type=int, default=2, help="of ours on the CPU")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu", help="of ours")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument(
        "--subsets", type=parse_counts, default=(), metavar="N,N,...", help="others beside the references"
    )
    parser.add_argument("--draws", type=int, default=3, metavar="N", help="of each subset")
    given = parser.parse_args(arguments)
    found = find_families(given.folder)
    if not found:
        sys.exit(f"{given.folder}: no family in it; give a folder with NAME.fa and NAME.ref")
    options = parse_options(registry.find_method(METHOD), given.option)
    parameters = {"threads": given.threads} if given.backend == "cpu" else {}
    contenders: dict[str, Callable[[Sequence[Letters]], AlignedSequences]] = {
        "ours": lambda records: align_with_antidiag(records, options, parameters, given.backend)
    }
    contenders |= {} if given.no_peers else installed_peers()
    tiny = [
        Letters(str(at), text, sequences.guess_type(text)) for at, text in enumerate((b"ACDEFGHIKLMNP", b"ACDEFGH"))
    ]
    align_with_antidiag(tiny, options, {"threads": 1} if parameters else {}, given.backend)
    if given.subsets:
        print_subsets({name: found[name] for name in given.family or found}, contenders, given.subsets, given.draws)
        return
    print(f"{'family':12s} {'sequences':>9s}" + "".join(f"  {name:>22s}" for name in contenders), flush=True)
    total: dict[str, list[Scores]] = {name: [] for name in contenders}
    for name in given.family or found:
        records = read(found[name])
        line = f"{name:12s} {len(records):9,d}"
        for contender, run in contenders.items():
            scores = time_alignment(lambda run=run, records=records: run(records), given.folder, name)  # type: ignore[misc]
            total[contender].append(scores)
            line += f"  {_format_scores(scores):>22s}"
        print(line, flush=True)
    means = {name: tuple(np.mean(scores, axis=0).tolist()) for name, scores in total.items()}
    print(f"{'mean':22s}" + "".join(f"  {_format_scores(found):>22s}" for found in means.values()))


def print_subsets(
    families: Mapping[str, Path],
    contenders: Mapping[str, Callable[[Sequence[Letters]], AlignedSequences]],
    counts: Sequence[int],
    draws: int,
) -> None:
    """Print the mean scores of the references of each family among more and more of its other sequences."""
    print(f"{'family':12s} {'others':>9s}" + "".join(f"  {name:>22s}" for name in contenders), flush=True)
    means: dict[int, list[np.ndarray]] = {count: [] for count in counts}
    for name, path in families.items():
        records = read(path)
        for count in counts:
            subsets = [draw_subset(records, path.parent, name, count, draw) for draw in range(draws)]
            scores = np.array(
                [
                    np.mean([time_alignment(lambda: run(one), path.parent, name) for one in subsets], axis=0)  # noqa: B023
                    for run in contenders.values()
                ]
            )
            means[count].append(scores)
            print(_format_line(name, count, scores), flush=True)
    for count, found in means.items():
        print(_format_line("mean", count, np.mean(found, axis=0)))


def draw_subset(records: Sequence[Letters], folder: Path, name: str, count: int, draw: int) -> Sequence[Letters]:
    """Return the reference sequences of a family with ``count`` others; each ``draw`` has its own."""
    (reference,) = aligned_sequences.read_alignments(folder / f"{name}.ref")
    others = [at for at, one in enumerate(records) if one.name not in reference.names]
    chosen = set(np.random.default_rng(draw).permutation(others)[:count].tolist())
    return [one for at, one in enumerate(records) if at in chosen or one.name in reference.names]


def parse_counts(text: str) -> tuple[int, ...]:
    """Read numbers of sequences that commas separate."""
    counts = tuple(int(part) for part in text.split(","))
    if min(counts) < 0:
        raise argparse.ArgumentTypeError(f"numbers of sequences must be at least 0; got {text}")
    return counts


def _format_line(name: str, count: int, scores: np.ndarray) -> str:
    return f"{name:12s} {count:9,d}" + "".join(f"  {_format_scores(one):>22s}" for one in scores.tolist())


def _format_scores(scores: Sequence[float]) -> str:
    return f".{round(1000 * scores[0]):03d} / .{round(1000 * scores[1]):03d} {scores[2]:7.2f} s"


if __name__ == "__main__":
    main()
