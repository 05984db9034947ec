"""The command ``config``."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from antidiag.app.cli import report
from antidiag.app.cli.shell import config_file
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_lines

CONFIG_EXAMPLES = """
[bold]Examples[/]

antidiag config

antidiag config --init
"""


def config(
    init: Annotated[bool, typer.Option("--init", help="Write a file with all defaults as comments.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the configuration file, its defaults, and the environment variables that have an effect."""
    if init:
        _write_template()
        return
    found = config_file.read_config()
    variables = {name: os.environ.get(name) for name in config_file.ENVIRONMENT}
    if as_json:
        settings = {**found.general, **found.commands}
        report.print_json(
            {"file": str(found.path), "exists": found.exists, "settings": settings, "environment": variables}
        )
        return
    tables = [(f"[{name}] {key}", repr(one)) for name, table in found.commands.items() for key, one in table.items()]
    report.print_rows(
        [
            ("file", f"{found.path}{'' if found.exists else ' (none; config --init writes one)'}"),
            *((name, repr(value)) for name, value in found.general.items()),
            *tables,
        ]
    )
    print("\nenvironment variables")
    report.print_rows(
        (f"  {name}", f"{help_text}{'' if variables[name] is None else f' (set: {variables[name]})'}")
        for name, help_text in config_file.ENVIRONMENT.items()
    )


def _write_template() -> None:
    """Write a configuration file in which everything is a comment; an existing one is not replaced."""
    path = config_file.config_path()
    if path.exists():
        raise InputError(f"{path}: exists already; edit it, or remove it first")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    write_lines(path, [config_file.TEMPLATE])
    print(f"wrote {path}")
