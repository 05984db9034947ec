"""The commands that list: ``methods``, ``info`` and ``samples``."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated, Any

import platformdirs
import psutil
import typer

from antidiag.app.cli import report
from antidiag.kernels import engine, registry
from antidiag.kernels.citation import Citation
from antidiag.kernels.cuda import devices
from antidiag.kernels.memory import bytes_text, host_bytes_free
from antidiag.kernels.method import Input, Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.registry import saving
from antidiag.kernels.registry.samples import samples as bundled_samples

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
"""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def methods(
    method_id: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="Only this method.")] = None,
    as_json: Json = False,
) -> None:
    """List every method: its parameters with range and default, its options, backends and source."""
    chosen = [registry.method(method_id)] if method_id else list(registry.METHODS)
    if as_json:
        report.print_json([_method_json(method) for method in chosen])
        return
    for number, method in enumerate(chosen):
        if number:
            print()
        _print_method(method)


def info(as_json: Json = False) -> None:
    """Show the processor, the GPUs (or why none is used), memory, versions and folders."""
    facts = _facts()
    if as_json:
        report.print_json(facts)
        return
    gpus = [
        f"{gpu['index']}: {gpu['name']}, {gpu['multiprocessors']} multiprocessors, compute capability "
        f"{gpu['compute_capability']}, {bytes_text(gpu['memory_free'])} of {bytes_text(gpu['memory_bytes'])} free"
        for gpu in facts["gpus"]
    ] or [f"none: {facts['no_gpu_reason']}"]
    report.print_rows(
        [
            ("CPU", f"{facts['cpu']}, {facts['threads']} threads"),
            ("memory", f"{bytes_text(facts['memory_free'])} of {bytes_text(facts['memory_bytes'])} free"),
            *(("GPU" if not number else "", text) for number, text in enumerate(gpus)),
            *((package, version) for package, version in facts["versions"].items()),
            *((f"{name} in", folder) for name, folder in facts["folders"].items()),
        ]
    )


def samples(as_json: Json = False) -> None:
    """List the sequences that ship with the program, and their files."""
    found = bundled_samples()
    if as_json:
        report.print_json([{**asdict(sample), "paths": [str(path) for path in sample.paths]} for sample in found])
        return
    for number, sample in enumerate(found):
        if number:
            print()
        print(f"{sample.id}: {sample.title}")
        for path in sample.paths:
            print(f"  {_short(str(path))}")
        print(f"  {sample.description}")


def _short(path: str) -> str:
    """The path from the current folder where it lies in it."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _facts() -> dict[str, Any]:
    found, reason = devices.discover()
    return {
        "cpu": engine.cpu_name(),
        "threads": os.cpu_count() or 1,
        "memory_bytes": psutil.virtual_memory().total,
        "memory_free": host_bytes_free(),
        "gpus": [_device_json(device) for device in found],
        "no_gpu_reason": reason,
        "versions": dict(engine.versions()),
        "folders": {
            "cache": platformdirs.user_cache_dir("antidiag"),
            "log": platformdirs.user_log_dir("antidiag"),
        },
    }


def _device_json(device: devices.Device) -> dict[str, Any]:
    capability = ".".join(map(str, device.compute_capability))
    return {**asdict(device), "compute_capability": capability, "memory_free": devices.memory_free(device.index)}


def _method_json(method: Method) -> dict[str, Any]:
    return {
        "id": method.id,
        "name": method.name,
        "family": method.family,
        "summary": method.summary,
        "citation": _citation_json(method.citation),
        "problem": {
            "id": method.problem.id,
            "label": method.problem.label,
            "inputs": [_input_json(taken) for taken in method.problem.inputs],
            "formats": list(saving.suffixes(method)),
            "options": [asdict(option) for option in method.problem.options],
        },
        "parameters": [asdict(parameter) for parameter in method.parameters],
        "backends": list(method.backends),
        "returns": sorted(method.returns),
        "exact": method.exact,
    }


def _citation_json(citation: Citation) -> dict[str, Any]:
    told = {name: getattr(citation, name) for name in ("key", "authors", "title", "year", "section")}
    return {**told, "venue": citation.place(), "text": citation.text(), "bibtex": citation.bibtex()}


def _input_json(taken: Input) -> dict[str, Any]:
    return {"kind": taken.kind.id, "minimum": taken.minimum, "maximum": taken.maximum, "flag": taken.flag}


def _print_method(method: Method) -> None:
    exact = "exact" if method.exact else "heuristic"
    print(f"{method.id}: {method.name} ({exact}; {', '.join(method.backends)}; {', '.join(sorted(method.returns))})")
    print(f"  {method.summary}")
    print(f"  {method.citation.text()}")
    print(f"  takes {method.problem.takes()}; saves {' '.join(saving.suffixes(method))}")
    for parameter in method.parameters:
        print(f"  -p {parameter.name}={_default(parameter)}: {parameter.expected()}{_unit(parameter)}")
        print(f"     {parameter.help}")


def _default(parameter: Parameter) -> str:
    return "auto" if parameter.default is None else str(parameter.default)


def _unit(parameter: Parameter) -> str:
    return f" ({parameter.unit})" if parameter.unit else ""
