"""The commands of tasks: each takes the method that is recommended for the data, and says which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from antidiag.app import texts
from antidiag.app.cli import report
from antidiag.app.cli.executor_options import ExecutorOptions
from antidiag.app.cli.method_runs import (
    MethodRun,
    Resume,
    RunInput,
    RunOutput,
    RunPlace,
    SavedResult,
    watch_saved_run,
)
from antidiag.app.cli.options import TaskCommand, option_flag, with_option_groups
from antidiag.app.cli.shell import messages
from antidiag.app.cli.shell.completion import complete_method_of, option_of_words
from antidiag.app.cli.tasks import streamed_pairs
from antidiag.app.invocation import SAMPLES
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import result_saving
from antidiag.kernels.registry.task_methods import PAIR_BATCH_TASK, TASKS, MethodTask, lacks_distances
from antidiag.kernels.registry.tree_sources import DISTANCES, TREE_SOURCES, take_data_as

ALIGN_EXAMPLES = f"""
[bold]Examples[/]

antidiag align {SAMPLES}/human-haemoglobin.fasta

antidiag align human.fa chimpanzee.fa --mode global --out pair.paf

antidiag align a.fa b.fa --method striped-score --json -

antidiag align --pairs first.fa second.fa --mode global --out pairs.paf

antidiag align --all family.fa --method batch-score --out scores.tsv

antidiag align --query reads.fa --target genes.fa --mode query-in-target --out hits.sam
"""
MSA_EXAMPLES = f"""
[bold]Examples[/]

antidiag msa {SAMPLES}/horse-globins.fasta --out globins.sto

antidiag msa globins.fasta --method msa-clustalw --gap-open 15 --out globins.aln

cat globins.fasta | antidiag msa - --out - --to fasta | antidiag tree -
"""
TREE_EXAMPLES = f"""
[bold]Examples[/]

antidiag tree {SAMPLES}/globins-aligned.sto --out globins.nwk

antidiag tree distances.phy --root midpoint

antidiag tree aligned.fasta --from alignment --bootstrap 100 --out tree.nwk

antidiag tree globins.fasta --distances distance-6mer --method upgma
"""
DISTANCES_EXAMPLES = f"""
[bold]Examples[/]

antidiag distances {SAMPLES}/globins-aligned.sto --out globins.phy

antidiag distances globins.fasta --method distance-6mer --out - --to phy
"""
FOLD_EXAMPLES = """
[bold]Examples[/]

antidiag fold trna.fasta

antidiag fold trna.fasta --wobble no --out trna.dbn
"""
VITERBI_EXAMPLES = """
[bold]Examples[/]

antidiag viterbi genome.fa --model cpg-islands --out islands.bed

antidiag viterbi gene.fa --model gene-finder.json --method viterbi-tree
"""
SHOWN = {
    "align": ".txt",
    "msa": ".aln",
    "tree": ".nwk",
    "distances": ".phy",
    "fold": ".dbn",
    "viterbi": "",
    "search": ".txt",
}
"""The format in which the answer of a task follows its report, as a suffix."""

Options = Mapping[str, str]


def method_option(task: str) -> Any:
    """Return the option --method of a task, which completes the ids of its methods."""
    return typer.Option(
        "--method",
        "-m",
        metavar="METHOD",
        help="Method instead of the recommended one.",
        autocompletion=complete_method_of(lambda: [one.id for one in TASKS[task].methods()]),
    )


TreeSource = Annotated[
    str | None,
    option_of_words(
        "--from",
        TREE_SOURCES,
        "What the tree is built from, if the file can be taken in several ways. alignment: its rows, in one run; "
        "sequences of one length count as rows. distances: a matrix, computed first where the file has none. "
        "sequences: the letters without gaps.",
    ),
]
DistancesMethod = Annotated[
    str | None,
    typer.Option(
        "--distances",
        metavar="METHOD",
        help="Method for the distances of an alignment or of sequences, instead of the recommended one.",
        autocompletion=complete_method_of(lambda: [one.id for one in TASKS["distances"].methods()]),
    ),
]


@dataclass(frozen=True)
class ChosenMethod:
    """A method for a task, and how it was chosen, in words."""

    method: Method
    origin: str

    @property
    def label(self) -> str:
        """The method and how it was chosen: "StripedAlignment (striped-alignment, recommended)"."""
        return f"{self.method.name} ({self.method.id}, {self.origin})"


@dataclass(frozen=True)
class PairSelection:
    """The options of many pairs at once."""

    by_record: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Align many pairs: each sequence of the first file with that in the same place of the second.",
        ),
    ] = False
    every_two: Annotated[bool, typer.Option("--all", help="Align every two sequences of the files.")] = False
    query: Annotated[
        str | None, typer.Option("--query", metavar="FILE", help="Align each sequence of FILE with each of --target.")
    ] = None
    target: Annotated[str | None, typer.Option("--target", metavar="FILE", help="Sequences for --query.")] = None

    @property
    def pairing(self) -> str:
        """The pairs that are chosen, a value of the option pairing; "" for one pair.

        Raises ParameterError for options that exclude each other, and for a query without targets.
        """
        if (self.query is None) != (self.target is None):
            raise ParameterError("--query and --target go together; give both files")
        chosen = {"records": self.by_record, "all": self.every_two, "queries": self.query is not None}
        names = [name for name, is_chosen in chosen.items() if is_chosen]
        if len(names) > 1:
            raise ParameterError("--pairs, --all and --query exclude each other; give one of them")
        return "".join(names)

    def select_files(self, given: RunInput) -> RunInput:
        """Return the input with the files of the pairs. Raise ParameterError where there are too many or none."""
        if self.query is None or self.target is None:
            if self.by_record and len(given.files or []) > 2:
                raise ParameterError(
                    "--pairs takes two files, or one whose second half belongs to its first; remove others"
                )
            return given
        if given.files:
            raise ParameterError(f"--query and --target name the files; remove {given.files[0]}")
        return replace(given, files=[self.query, self.target])


def align(
    given: RunInput,
    *,
    pairs: PairSelection,
    method_id: Annotated[str | None, method_option("align")] = None,
    place: RunPlace,
    executor: ExecutorOptions,
    output: RunOutput,
    resume: Resume = False,
    options: Options,
    flagged: Options,
) -> None:
    """Align two sequences, and print the alignment; or many pairs at once, and print a table.

    The recommended method is striped-alignment; checkpointed-alignment, whose memory grows linearly, for long pairs.
    Many pairs (--pairs, --all, --query with --target) are aligned by batch-alignment, or scored by batch-score; --on
    and --scheduler share them out.
    """
    if pairing := pairs.pairing:
        batch, selected = {**options, "pairing": pairing}, pairs.select_files(given)
        method = _usual_method(PAIR_BATCH_TASK, method_id)
        if resume:
            raise ParameterError("runs of many pairs cannot be continued; remove --resume")
        if table := streamed_pairs.choose_table(method, pairing, selected, output, options, executor.is_chosen):
            streamed_pairs.stream_pairs(method, pairing, selected, place, batch, table, executor)
            return
        run_task(PAIR_BATCH_TASK, selected, method_id, place, output, False, batch, flagged, executor)
        return
    run_task(TASKS["align"], given, method_id, place, output, resume, options, flagged, executor)


def msa(
    given: RunInput,
    *,
    method_id: Annotated[str | None, method_option("msa")] = None,
    place: RunPlace,
    executor: ExecutorOptions,
    output: RunOutput,
    resume: Resume = False,
    options: Options,
    flagged: Options,
) -> None:
    """Align any number of sequences.

    The recommended method is msa, by consistency; msa-parttree from 1,000 sequences on. --on and --scheduler share the
    posteriors of the method msa out.
    """
    run_task(TASKS["msa"], given, method_id, place, output, resume, options, flagged, executor)


def fold(
    given: RunInput,
    *,
    method_id: Annotated[str | None, method_option("fold")] = None,
    place: RunPlace,
    output: RunOutput,
    options: Options,
    flagged: Options,
) -> None:
    """Find a secondary structure of an RNA with the most base pairs.

    The recommended method is nussinov.
    """
    run_task(TASKS["fold"], given, method_id, place, output, False, options, flagged)


def viterbi(
    given: RunInput,
    *,
    method_id: Annotated[str | None, method_option("viterbi")] = None,
    place: RunPlace,
    output: RunOutput,
    options: Options,
    flagged: Options,
) -> None:
    """Find the most probable states of a sequence under a hidden Markov model (--model).

    The recommended method follows from states, letters and device; the report gives the reason.
    """
    run_task(TASKS["viterbi"], given, method_id, place, output, False, options, flagged)


def distances(
    given: RunInput,
    *,
    method_id: Annotated[str | None, method_option("distances")] = None,
    place: RunPlace,
    executor: ExecutorOptions,
    output: RunOutput,
    options: Options,
    flagged: Options,
) -> None:
    """Compute distances between the rows of an alignment, or between sequences.

    The recommended method is distance-alignment for an alignment; for sequences distance-full, and distance-6mer for
    more than 200. --on and --scheduler share the pairs of distance-full out.
    """
    task = TASKS["distances"]
    saved = SavedResult(output.check(_usual_method(task, method_id), given.files or []))
    with watch_saved_run() as monitor:
        data = given.read_any_data(monitor)
        _refuse_kinds(given, data, {DistanceMatrix: "distances", Tree: "trees"}, "an alignment or sequences")
        chosen = _choose_method(task, method_id, data, place, options)
        wanted = MethodRun(chosen.method, place, options, given.parse_parameters(chosen.method), executor=executor)
        result = wanted.execute(data, monitor)
        saved.write(result, monitor)
    _report_task(task, chosen, saved, result)


def tree(
    given: RunInput,
    *,
    method_id: Annotated[str | None, method_option("tree")] = None,
    source: TreeSource = None,
    distances_method: DistancesMethod = None,
    place: RunPlace,
    executor: ExecutorOptions,
    output: RunOutput,
    options: Options,
    flagged: Options,
) -> None:
    """Build a tree of distances, of an alignment, or of sequences.

    The recommended method is neighbor joining: nj-alignment for an alignment, which keeps the distances on the device,
    and place-alignment from 100,000 rows on; nj-pruned for distances; parttree from 20,000 sequences on. Distances that
    the method needs and the data lack are computed first, as by the command distances. --on and --scheduler
    share out these distances (distance-full), or the replicates of --bootstrap.
    """
    task = TASKS["tree"]
    saved = SavedResult(output.check(_usual_method(task, method_id), given.files or []))
    first: list[report.LabelledText] = []
    with watch_saved_run() as monitor:
        data = read = given.read_any_data(monitor)
        _refuse_kinds(given, data, {Tree: "trees"}, "distances, an alignment or sequences")
        data, own = take_data_as(source, data), dict(options)
        if method_id is None and (distances_method or source == DISTANCES):
            chosen = ChosenMethod(task.find(task.usual), "recommended for distances")
        else:
            chosen = _choose_method(task, method_id, data, place, {})
        if lacks_distances(data, chosen.method):
            names = {option.name for option in chosen.method.problem_type.options}
            others = {name: own.pop(name) for name in options if name not in names}
            data, row = _compute_distances(data, distances_method, place, others, monitor, executor)
            first.append(row)
        elif distances_method is not None:
            raise ParameterError(f"--distances has no use: {chosen.method.id} takes the data as they are; remove it")
        shared_out = ExecutorOptions() if first else executor
        wanted = MethodRun(chosen.method, place, own, given.parse_parameters(chosen.method), executor=shared_out)
        result = wanted.execute(data, monitor, [] if first else read)
        saved.write(result, monitor)
    _report_task(task, chosen, saved, result, first)


def _refuse_kinds(given: RunInput, data: Sequence[Any], kinds: Mapping[type, str], wanted: str) -> None:
    """Raise InputError for data that are the answer of the task already, or come after it."""
    for kind, label in kinds.items():
        if any(isinstance(datum, kind) for datum in data):
            raise InputError(f"{', '.join(given.files or [])}: holds {label} already; give {wanted}")


def _compute_distances(
    data: Sequence[Any],
    method_id: str | None,
    place: RunPlace,
    options: Options,
    monitor: Monitor,
    executor: ExecutorOptions,
) -> tuple[list[Any], report.LabelledText]:
    """Return the distances of an alignment or of sequences for a tree, and a row of the report about them."""
    chosen = _choose_method(TASKS["distances"], method_id, data, place, options)
    result = MethodRun(chosen.method, place, options, {}, executor=executor).execute(data, monitor)
    time = texts.format_duration(sum(result.times_ms.values()))
    return [result.answer.distances], ("distances", f"{chosen.label}, {time}")


def run_task(
    task: MethodTask,
    given: RunInput,
    method_id: str | None,
    place: RunPlace,
    output: RunOutput,
    resume: bool,
    options: Options,
    flagged: Options,
    executor: ExecutorOptions | None = None,
) -> None:
    """Run the chosen or the recommended method of a task, all of whose methods take the same data."""
    usual = _usual_method(task, method_id)
    saved = SavedResult(output.check(usual, [*(given.files or []), *flagged.values()]))
    with watch_saved_run() as monitor:
        data = given.read_data(usual, flagged, monitor)
        chosen = _choose_method(task, method_id, data, place, options)
        values = given.parse_parameters(chosen.method)
        wanted = MethodRun(chosen.method, place, options, values, flagged, resume, executor or ExecutorOptions())
        result = wanted.execute(data, monitor)
        saved.write(result, monitor)
    _report_task(task, chosen, saved, result)


def _usual_method(task: MethodTask, method_id: str | None) -> Method:
    """Return the method that the user named, else the usual one of the task."""
    return task.find(method_id or task.usual)


def _choose_method(
    task: MethodTask, method_id: str | None, data: Sequence[Any], place: RunPlace, options: Options
) -> ChosenMethod:
    """Return the method that the user named, else the recommended one. Raise ParameterError for an option it lacks."""
    if method_id is not None:
        return ChosenMethod(task.find(method_id), "as requested")
    method, reason = task.recommend(data, place.backend)
    known = {option.name for option in method.problem_type.options}
    for name in options:
        having = [one.id for one in task.methods() if any(own.name == name for own in one.problem_type.options)]
        if name not in known and having:
            raise ParameterError(
                f"{method.id}, which is recommended here, has no option {option_flag(name)}; give --method "
                f"{' or '.join(having)}, or remove the option"
            )
    return ChosenMethod(method, f"recommended: {reason}" if reason else "recommended")


def _report_task(
    task: MethodTask,
    chosen: ChosenMethod,
    saved: SavedResult,
    result: Result,
    first: Sequence[report.LabelledText] = (),
) -> None:
    """Print which method was chosen, the report, and the answer; only the answer where it goes to a pipe."""
    (label, text), *rows = report.result_rows(result)
    named = text.replace(chosen.method.name, chosen.label, 1)
    if saved.targets.output_suffix not in ("", result_saving.JSON):  # which name the method themselves
        for row in (*first, (label, named)):
            messages.print_message(": ".join(row))
    saved.report(result, [(label, named), *first, *rows], SHOWN[task.id])


def task_command(command: Callable[..., None]) -> tuple[Callable[..., None], type[TaskCommand]]:
    """Return a command with the options of all methods of its task, and its class."""
    task = TASKS[command.__name__]
    methods = task.methods()
    if command is tree:
        methods += TASKS["distances"].methods()
    if command is align:
        methods += PAIR_BATCH_TASK.methods()
    return with_option_groups(command, methods), TaskCommand.of_methods(task.usual, *task.explained)


TASK_COMMANDS = {
    "align": (*task_command(align), ALIGN_EXAMPLES),
    "msa": (*task_command(msa), MSA_EXAMPLES),
    "tree": (*task_command(tree), TREE_EXAMPLES),
    "distances": (*task_command(distances), DISTANCES_EXAMPLES),
    "fold": (*task_command(fold), FOLD_EXAMPLES),
    "viterbi": (*task_command(viterbi), VITERBI_EXAMPLES),
}
"""By name: the command of a task, its class, and its examples."""
