"""Pages of the site that come from declarations: commands, options of problems, parameters of methods, Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import antidiag
from antidiag.kernels import registry
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.parameters import Parameter

Rows = Iterable[tuple[str, ...]]
MARKUP = re.compile(r"\[/?(?:bold|dim|italic|cyan)?\]")


def written_pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    return {name: write() for name, write in PAGES.items()}


def write_commands() -> str:
    """Return the page of all commands with their options."""
    import typer

    from antidiag.app.cli import program
    from antidiag.app.cli.options import declared_options

    known = typer.main.get_command(program.program).commands  # type: ignore[attr-defined]
    of_problems = set(declared_options())
    parts = [
        "# Commands and options\n",
        "Every command of `antidiag`, from its declaration. Commands that take a method also take the options of its "
        "problem: [options of the problems](options.md). `antidiag COMMAND --help` says the same with examples.\n",
    ]
    for name, command in known.items():
        options = [one for one in command.params if one.name not in of_problems]
        arguments = " ".join(one.make_metavar(command.make_context(name, [], resilient_parsing=True)) for one in options
                             if one.param_type_name == "argument")  # fmt: skip
        rows = [
            (f"`{', '.join(one.opts)}`", _plain(one.help))
            for one in options
            if one.param_type_name == "option" and "--help" not in one.opts
        ]
        parts += [f"## {name}\n", f"`antidiag {name} {arguments}`\n".replace(" `", "`"), f"{_plain(command.help)}\n"]
        parts += [format_table(("option", "meaning"), rows)] if rows else []
    return "\n".join(parts)


def write_options() -> str:
    """Return the page of what each problem takes: data, options and formats of results."""
    parts = [
        "# Options of the problems\n",
        "What defines the answer: the data and the options of each problem. On the command line an option `gap_open` "
        "is `--gap-open`, in Python it is the keyword `gap_open`.\n",
    ]
    for problem, methods in _problems():
        parts += [f"## {problem.label}\n", f"Methods: {', '.join(f'`{one.id}`' for one in methods)}.\n"]
        parts += (
            [format_table(("option", "default", "meaning"), map(_option_row, problem.options))]
            if problem.options
            else []
        )
    return "\n".join(parts)


def write_parameters() -> str:
    """Return the page of the parameters of each method, which change time and memory and never the answer."""
    parts = [
        "# Parameters of the methods\n",
        "What a method may be told about how it computes: `-p NAME=VALUE` on the command line, a keyword in Python, "
        "the form in the window. No parameter changes the answer.\n",
    ]
    for method in registry.METHODS:
        rows = [(f"`{one.name}`", one.describe_values(), _plain(one.help)) for one in method.parameters.declared()]
        parts += [f"## {method.name}\n", f"`{method.id}`: {_plain(method.summary)}\n"]
        parts += [format_table(("parameter", "values", "meaning"), rows)] if rows else ["No parameters.\n"]
    return "\n".join(parts)


def write_python() -> str:
    """Return the page of the Python interface, which Sphinx fills from the docstrings."""
    functions = [name for name in antidiag.__all__ if inspect.isfunction(getattr(antidiag, name))]
    classes = [name for name in antidiag.__all__ if inspect.isclass(getattr(antidiag, name))]
    errors = [name for name in classes if issubclass(getattr(antidiag, name), Exception)]
    answers = [name for name in classes if name not in errors]
    parts = [
        "# Functions and classes\n",
        "Of `import antidiag`, from their docstrings. [Antidiag from Python](../python.md) is shorter.\n",
    ]
    for title, names, directive in (
        ("Functions", functions, "autofunction"),
        ("Answers", answers, "autoclass"),
        ("Errors", errors, "autoexception"),
    ):
        parts.append(f"## {title}\n")
        for name in names:
            members = "   :members:\n   :inherited-members:\n" if directive == "autoclass" else ""
            parts.append(f"```{{eval-rst}}\n.. {directive}:: antidiag.{name}\n{members}```\n")
    return "\n".join(parts)


def format_table(head: tuple[str, ...], rows: Rows) -> str:
    """Return a table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") or " " for cell in line) + " |\n" for line in lines)


def _problems() -> list[tuple[ProblemType, list[Method]]]:
    """Return every problem with its methods, in the order of the methods."""
    found: dict[str, tuple[ProblemType, list[Method]]] = {}
    for method in registry.METHODS:
        found.setdefault(method.problem_type.id, (method.problem_type, []))[1].append(method)
    return list(found.values())


def _option_row(option: Parameter) -> tuple[str, str, str]:
    default = "automatic" if option.default is None else str(option.default)
    choices = f" One of {', '.join(map(str, option.choices))}." if 0 < len(option.choices) <= 12 else ""
    return f"`{option.name}`", default, _plain(option.help) + choices


def _plain(text: Any) -> str:
    """Return a help text in one line of Markdown."""
    words = " ".join(MARKUP.sub("", str(text or "")).split())
    return words.replace("<", "&lt;").replace("*", "\\*").replace("$", "\\$")


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": write_commands,
    "options.md": write_options,
    "parameters.md": write_parameters,
    "functions.md": write_python,
}
"""The pages by their file names, in the order of the site's menu."""
