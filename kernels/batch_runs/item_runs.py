"""One run of a batch on a worker: reading of its files, the method, and its result as the bytes of files."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import AntidiagError, Cancelled, InputError, ParameterError
from antidiag.kernels.executors.tasks import REPEATED_ERRORS, TaskContext
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.sequences import SEQUENCE, read_sequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import DataKind, Method
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.registry import data_loading, result_saving
from antidiag.kernels.registry.task_methods import TASKS, MethodTask, lacks_distances
from antidiag.kernels.sequences.sequence_set import join_data
from antidiag.kernels.steps import StepLog

INPUT_FILE, FLAGGED_FILE, SETTING_FILE = "input ", "flag ", "setting "
"""Beginnings of the keys of files: inputs by number, files of flags ("flag tree"), and settings that name a file."""
RUN_GROUP = f"{__name__}:run_group"
"""The function of the tasks of a batch."""


def run_group(arguments: Mapping[str, Any], context: TaskContext) -> tuple[Mapping[str, Any], ...]:
    """Run the items of a task one after the other and return what each gave.

    An item that fails has "error", "type", "detail" and "repeats" (whether every worker would fail alike). The error of
    an item that is alone in its task is raised, so that the executor tries it again elsewhere.
    """
    found = []
    for item in arguments["items"]:
        context.monitor.check()
        try:
            found.append(run_item(item, arguments["batch"], context))
        except Cancelled:
            raise
        except Exception as error:
            if len(arguments["items"]) == 1:
                raise
            found.append(_describe_failure(item, error))
    return tuple(found)


def _describe_failure(item: Mapping[str, Any], error: Exception) -> Mapping[str, Any]:
    known = isinstance(error, AntidiagError)
    return {
        "name": item["name"],
        "error": str(error) if known else f"unexpected error: {type(error).__name__}: {error}",
        "type": type(error).__name__,
        "detail": "" if known else traceback.format_exc(),
        "repeats": isinstance(error, REPEATED_ERRORS),
    }


def run_item(item: Mapping[str, Any], batch: Mapping[str, Any], context: TaskContext) -> Mapping[str, Any]:
    """Run one item; return its name, the facts for the summary, and its files as bytes by suffix, or its result."""
    with _local_files({**batch["files"], **item["files"]}) as files:
        settings = {**batch["settings"], **item["settings"], **files.select(SETTING_FILE)}
        inputs = [Path(path) for path in files.select(INPUT_FILE).values()]
        flagged = {flag: Path(path) for flag, path in files.select(FLAGGED_FILE).items()}
        wanted = parse_type(batch["type"])
        result, read = _run_method(batch, settings, item["data"], inputs, flagged, wanted, context)
        notes = (*data_loading.reading_notes(read), *result.notes)
        result = replace(result, notes=tuple(dict.fromkeys(map(files.restore_names, notes))))
        written = {suffix: _format_result(result, suffix) for suffix in batch["suffixes"]}
    kept = {"result": pack_result(result)} if batch["keeps_results"] else {}
    return {"name": item["name"], "facts": describe_result(result, read), "files": written, **kept}


def parse_type(text: str) -> SequenceType | None:
    """Return the sequence type of a name in any case; None for ""."""
    if not text:
        return None
    found = next((one for one in SequenceType if one.value.lower() == text.lower()), None)
    if found is None:
        raise ParameterError(f"{text!r} is no type of sequences; choose from {', '.join(SequenceType).lower()}")
    return found


def find_usual_method(method_id: str) -> Method:
    """Return the method of this id, or the usual one of the task of this name ("align", "tree")."""
    return TASKS[method_id].find(TASKS[method_id].usual) if method_id in TASKS else registry.find_method(method_id)


def split_settings(method: Method, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options and the parameters of a method among settings, texts parsed as on the command line.

    Raises ParameterError for an unknown name and a value out of range.
    """
    options = {option.name: option for option in method.problem_type.options}
    parameters = {parameter.name: parameter for parameter in method.parameters.declared()}
    found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, value in settings.items():
        if name not in options and name not in parameters:
            known_names = ", ".join(options | parameters)
            raise ParameterError(f"{method.id} has no setting {name!r}; its settings: {known_names}")
        known = options.get(name) or parameters[name]
        found[name not in options][name] = known.parse(value) if isinstance(value, str) else known.validate(value)
    for name in found[0]:
        if clash := next((other for other in options[name].overrides if found[0][name] and other in found[0]), None):
            raise ParameterError(f"{name} and {clash} exclude each other; give one of them")
    return found


def _run_method(
    batch: Mapping[str, Any],
    settings: Mapping[str, Any],
    given: Sequence[Any],
    files: Sequence[Path],
    flagged: Mapping[str, Path],
    wanted: SequenceType | None,
    context: TaskContext,
) -> tuple[Result, Sequence[Any]]:
    """Return the result of an item and the data that were read for it."""
    usual = find_usual_method(batch["method"])
    task = TASKS.get(batch["method"])
    data = given or _read_data(usual, task, files, flagged, wanted)
    method = task.recommend(data, batch["backend"])[0] if task else usual
    own = dict(settings)
    if task is TASKS["tree"] and lacks_distances(data, method):
        names = {one.name for one in method.problem_type.options} | method.parameters.names()
        others = {name: own.pop(name) for name in settings if name not in names}
        first = TASKS["distances"].recommend(data, batch["backend"])[0]
        distances = _execute(first, data, others, batch, context).answer.distances
        return _execute(method, [distances], own, batch, context), data
    return _execute(method, data, own, batch, context), data


def _execute(
    method: Method, data: Sequence[Any], settings: Mapping[str, Any], batch: Mapping[str, Any], context: TaskContext
) -> Result:
    """Run a method on data, with the threads of this place unless the user set them, and on a GPU one run at a time."""
    options, parameters = split_settings(method, settings)
    if "threads" in method.parameters.names():
        parameters.setdefault("threads", context.threads)
    problem = method.problem_type.make_problem(data, options)
    backend = cast(engine.BackendChoice, batch["backend"])
    planned = engine.plan_run(method, problem, parameters, backend, batch["device"])
    with context.gpu_lock if planned.backend == "cuda" else nullcontext():
        return engine.execute(planned, context.monitor, keep_rate=False, keep_parts=False)


def _read_data(
    method: Method,
    task: MethodTask | None,
    files: Sequence[Path],
    flagged: Mapping[str, Path],
    wanted: SequenceType | None,
) -> Sequence[Any]:
    """Read the data of the files: for a task whatever they hold, for a method what its inputs take."""
    if task in (TASKS["tree"], TASKS["distances"]):
        found = join_data([_read_file(data_loading.find_kind_of_file(path), path, wanted, files) for path in files])
        answers = (Tree,) if task is TASKS["tree"] else (DistanceMatrix, Tree)
        if any(isinstance(datum, answers) for datum in found):
            raise InputError(f"{files[0]}: holds trees or distances already; give an alignment or sequences")
        return found
    found = []
    for taken in method.problem_type.inputs:
        if taken.flag:
            own = [flagged[taken.flag]] if taken.flag in flagged else []
            if not own and taken.minimum:
                raise InputError(f"{method.name} also takes a {taken.kind.label}; give its file with --{taken.flag}")
        else:
            own = list(files)
        found.append(join_data([_read_file(taken.kind, path, wanted, own) for path in own]))
    return join_data(found)


def _read_file(kind: DataKind, path: Path, wanted: SequenceType | None, beside: Sequence[Path]) -> Sequence[Any]:
    if kind is SEQUENCE:
        return read_sequences(path, wanted)
    if wanted is not None and kind.read_typed is not None:
        return kind.read_typed(path, None, wanted)
    return data_loading.read_kind(kind, path, None, beside)


def _format_result(result: Result, suffix: str) -> bytes:
    with result_saving.open_result(result, suffix) as written:
        return written.read()


def describe_result(result: Result, data: Sequence[Any]) -> Mapping[str, Any]:
    """Return the facts of a result for the summary: method, sizes, score and answer, time in ms, place and notes."""
    method = registry.find_method(result.method)
    kind = method.problem_type
    extracted = kind.extract_data(result) if kind.extract_data else []
    aligned = next((datum for datum in extracted if isinstance(datum, AlignedSequences)), None)
    path = getattr(result.answer, "alignment", None)
    rows, columns = aligned.letters.shape if aligned is not None else (None, None)
    if aligned is None and path is not None and hasattr(path, "operations"):
        rows, columns = 2, int(path.operations.size)
    score = getattr(result.answer, "score", None)
    return {
        "method": result.method,
        "inputs": len(data),
        "rows": rows,
        "columns": columns,
        "score": result.score if score is not None and hasattr(result.problem, "scoring") else score,
        "answer": f"{kind.answer_label} {kind.format_answer(result)}".strip(),
        "time_ms": sum(result.times_ms.values()),
        "device": result.device,
        "notes": list(result.notes),
    }


@dataclass(frozen=True)
class _LocalFiles:
    """Files of the caller on this machine: by keys such as "flag tree", the path here and that of the caller."""

    paths: Mapping[str, tuple[str, str]]

    def select(self, kind: str) -> dict[str, str]:
        """Return the paths of a kind of files (INPUT_FILE, ...) by the rest of their keys."""
        own = {key: path for key, (path, _) in self.paths.items() if key.startswith(kind)}
        return {key.removeprefix(kind): path for key, path in own.items()}

    def restore_names(self, text: str) -> str:
        """Return a message with the paths of the caller."""
        for path, before in self.paths.values():
            text = text.replace(path, before)
        return text


@contextmanager
def _local_files(sent: Mapping[str, Mapping[str, Any]]) -> Iterator[_LocalFiles]:
    """Yield files that the caller sent as bytes, or that are read by their paths; error messages name the caller's."""
    with ExitStack() as stack:
        folder = None
        if any(one["content"] is not None for one in sent.values()):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="antidiag-")))
        numbered = enumerate(sent.items())
        paths = {key: (_local_path(folder, str(number), one), one["path"]) for number, (key, one) in numbered}
        files = _LocalFiles(paths)
        try:
            yield files
        except AntidiagError as error:
            if folder is None:
                raise
            raise type(error)(files.restore_names(str(error))) from error


def _local_path(folder: Path | None, number: str, sent: Mapping[str, Any]) -> str:
    """Return the path of a file of the caller on this machine. Raise InputError if it is another file here."""
    if folder is not None and sent["content"] is not None:
        (folder / number).mkdir()
        path = folder / number / Path(sent["path"]).name
        path.write_bytes(sent["content"])
        return str(path)
    path = Path(sent["path"])
    if sent["size"] is not None and (not path.is_file() or path.stat().st_size != sent["size"]):
        raise InputError(f"{path}: a worker lacks this file of {sent['size']:,} bytes; use a shared folder")
    return str(path)


def pack_result(result: Result) -> Mapping[str, Any]:
    """Return the fields of a result without its step log, as a message carries them."""
    kept = {one.name: getattr(result, one.name) for one in fields(Result) if one.name != "steps"}
    return {**kept, "started": result.started.isoformat()}


def unpack_result(packed: Mapping[str, Any]) -> Result:
    """Return the result of fields that `pack_result` made; its step log is empty."""
    return Result(**{**packed, "started": datetime.fromisoformat(packed["started"]), "steps": StepLog()})
