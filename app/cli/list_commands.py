"""The commands that list: ``methods``, ``info`` and ``samples``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import psutil
import typer

from antidiag.app.cli import report
from antidiag.app.cli.options import default_by_type, describe_option, option_flag
from antidiag.app.cli.shell import config_file
from antidiag.app.cli.shell.completion import complete_method
from antidiag.kernels import engine, registry
from antidiag.kernels.citation import Citation
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import format_bytes, host_bytes_free
from antidiag.kernels.method import Method, ProblemInput
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.registry import result_saving
from antidiag.kernels.registry.samples import BundledSample, bundled_samples

METHODS_EXAMPLES = """
[bold]Examples[/]

antidiag methods

antidiag methods striped-score --json
"""
INFO_EXAMPLES = """
[bold]Examples[/]

antidiag info

antidiag info --json
"""
SAMPLES_EXAMPLES = """
[bold]Examples[/]

antidiag samples

antidiag samples --json

antidiag samples --copy samples
"""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def methods(
    method_id: Annotated[
        str | None,
        typer.Argument(metavar="[METHOD]", help="List this method only.", autocompletion=complete_method),
    ] = None,
    as_json: Json = False,
) -> None:
    """List every method with its parameters, options, backends and publication."""
    chosen = [registry.find_method(method_id)] if method_id else list(registry.METHODS)
    if as_json:
        report.print_json([_method_json(method) for method in chosen])
        return
    for number, method in enumerate(chosen):
        if number:
            print()
        _print_method(method)


def info(as_json: Json = False) -> None:
    """Show the processor, the GPUs (or why none is used), memory, versions and folders."""
    facts = _machine_facts()
    if as_json:
        report.print_json(facts)
        return
    gpus = [
        f"{gpu['index']}: {gpu['name']}, {gpu['multiprocessors']} multiprocessors, "
        f"compute capability {gpu['compute_capability']}, {_describe_free_memory(gpu)}"
        for gpu in facts["gpus"]
    ] or [f"none: {facts['no_gpu_reason']}"]
    report.print_rows(
        [
            ("CPU", f"{facts['cpu']}, {facts['threads']} threads"),
            ("memory", _describe_free_memory(facts)),
            *(("GPU" if not number else "", text) for number, text in enumerate(gpus)),
            *((package, version) for package, version in facts["versions"].items()),
            *((f"{name} in", folder) for name, folder in facts["folders"].items()),
        ]
    )


def samples(
    as_json: Json = False,
    copy: Annotated[
        Path | None, typer.Option("--copy", metavar="FOLDER", help="Copy the files into this folder.")
    ] = None,
) -> None:
    """List the sequences that ship with the program, and their files, or copy them."""
    found = bundled_samples()
    if copy is not None:
        _copy_samples(found, copy)
    elif as_json:
        report.print_json(
            [{**asdict(sample), "paths": [str(path.resolve()) for path in sample.paths]} for sample in found]
        )
    else:
        _print_samples(found)


def _print_samples(found: Sequence[BundledSample]) -> None:
    for number, sample in enumerate(found):
        if number:
            print()
        print(f"{sample.id}: {sample.title}")
        for path in sample.paths:
            print(f"  {_relative_path(str(path))}")
        print(f"  {sample.description}")


def _copy_samples(found: Sequence[BundledSample], folder: Path) -> None:
    """Copy the files of all samples; files of the same name are replaced."""
    paths = list(dict.fromkeys(path for sample in found for path in sample.paths))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            shutil.copyfile(path, folder / path.name)
    except OSError as error:
        raise InputError(f"{folder}: the samples cannot be copied: {error.strerror or error}") from error
    for path in paths:  # outside of the try: a reader that stops reading is no error
        print(folder / path.name)


def _relative_path(path: str) -> str:
    """Return the path relative to the current folder if it lies inside."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _machine_facts() -> dict[str, Any]:
    found, reason = devices.discover_devices()
    return {
        "cpu": engine.cpu_name(),
        "threads": os.cpu_count() or 1,
        "memory_bytes": psutil.virtual_memory().total,
        **_free_memory_json(host_bytes_free()),
        "gpus": [_device_json(device) for device in found],
        "no_gpu_reason": reason or None,
        "versions": dict(engine.package_versions()),
        "folders": {
            "cache": platformdirs.user_cache_dir("antidiag"),
            "configuration": str(config_file.config_path().parent),
            "data": platformdirs.user_data_dir("antidiag"),
            "log": platformdirs.user_log_dir("antidiag"),
        },
    }


def _device_json(device: devices.Device) -> dict[str, Any]:
    capability = ".".join(map(str, device.compute_capability))
    free = _free_memory_json(devices.free_memory_bytes(device.index))
    return {**asdict(device), "compute_capability": capability, **free}


def _describe_free_memory(facts: Mapping[str, Any]) -> str:
    """Return how much of the memory of this machine, or of a GPU, is free, in words."""
    return f"{format_bytes(facts['memory_free_bytes'])} of {format_bytes(facts['memory_bytes'])} free"


def _free_memory_json(free_bytes: int) -> dict[str, int]:
    """Return free memory under its name, and under the former one, by which scripts may ask for it."""
    return {"memory_free_bytes": free_bytes, "memory_free": free_bytes}


def _method_json(method: Method) -> dict[str, Any]:
    return {
        "id": method.id,
        "name": method.name,
        "family": method.family,
        "summary": method.summary,
        "citation": _citation_json(method.citation),
        "problem": {
            "id": method.problem_type.id,
            "label": method.problem_type.label,
            "inputs": [_input_json(taken) for taken in method.problem_type.inputs],
            "formats": list(result_saving.result_suffixes(method)),
            "options": [_setting_json(option) for option in method.problem_type.options],
        },
        "parameters": [_setting_json(parameter) for parameter in method.parameters.declared()],
        "backends": list(method.backends),
        "returns": sorted(method.returns),
        "exact": method.finds_optimum,
    }


def _citation_json(citation: Citation) -> dict[str, Any]:
    fields = {name: getattr(citation, name) for name in ("key", "authors", "title", "year", "section")}
    return {
        **report.null_if_empty(fields),
        "venue": citation.venue_text(),
        "text": citation.format_text(),
        "bibtex": citation.format_bibtex(),
    }


def _input_json(taken: ProblemInput) -> dict[str, Any]:
    return {"kind": taken.kind.id, "minimum": taken.minimum, "maximum": taken.maximum, "flag": taken.flag or None}


def _setting_json(setting: Parameter) -> dict[str, Any]:
    """Return an option or parameter; a default may be an empty text."""
    return report.null_if_empty(asdict(setting), kept="default")


def _print_method(method: Method) -> None:
    exact = "exact" if method.finds_optimum else "heuristic"
    print(f"{method.id}: {method.name} ({exact}; {', '.join(method.backends)}; {', '.join(sorted(method.returns))})")
    print(f"  {method.summary}")
    print(f"  {method.citation.format_text()}")
    print(f"  takes {method.problem_type.describe_inputs()}; saves {' '.join(result_saving.result_suffixes(method))}")
    for option in method.problem_type.options:
        print(f"  {option_flag(option.name)} {option.describe_values()}{_unit_text(option)}")
        print(f"     {describe_option(option, default_by_type(option, method))}")
    for parameter in method.parameters.declared():
        print(f"  -p {parameter.name}={_default_text(parameter)}: {parameter.describe_values()}{_unit_text(parameter)}")
        print(f"     {parameter.help}")


def _default_text(parameter: Parameter) -> str:
    return "auto" if parameter.default is None else str(parameter.default)


def _unit_text(parameter: Parameter) -> str:
    return f" ({parameter.unit})" if parameter.unit else ""
