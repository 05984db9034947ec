"""Options of the command line, made from the declarations of problems and parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer

from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Input, Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.registry import saving

METAVARS = {"int": "N", "float": "N", "text": "TEXT", "bool": "yes|no"}


def flag(name: str) -> str:
    """The option of a declared name: gap_open becomes --gap-open."""
    return "--" + name.replace("_", "-")


def declared_options() -> Mapping[str, Parameter]:
    """The options of all problem types in the registry, by name."""
    return {option.name: option for method in registry.METHODS for option in method.problem.options}


def declared_flags() -> Mapping[str, Input]:
    """The inputs of all problem types that are given by a flag, by flag."""
    return {taken.flag: taken for method in registry.METHODS for taken in method.problem.inputs if taken.flag}


def known_suffixes() -> tuple[str, ...]:
    """Suffixes of all files that some method's results can be saved as."""
    return tuple(dict.fromkeys(suffix for method in registry.METHODS for suffix in saving.suffixes(method)))


def with_problem_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command that also takes every declared option and flagged input of a problem.

    They are handed on as ``options`` and ``flagged``, names with the texts that the user gave.
    """
    declared, flags = declared_options(), declared_flags()

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        given = {name: values.pop(name) for name in declared}
        files = {name: values.pop(name) for name in flags}
        command(**values, options=_given(given), flagged=_once(files))

    own = inspect.signature(command, eval_str=True).parameters
    parameters = [parameter for name, parameter in own.items() if name not in ("options", "flagged")]
    parameters += [_typer_file(taken) for taken in flags.values()]
    parameters += [_typer_parameter(option) for option in declared.values()]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


def problem_options(method: Method, texts: Mapping[str, str]) -> Mapping[str, Any]:
    """Values of the options that were given; ParameterError where the method has no such option."""
    known = {option.name: option for option in method.problem.options}
    for name in texts:
        if name not in known:
            raise ParameterError(f"{flag(name)} does not belong to {method.name}; it has {', '.join(map(flag, known))}")
        for other in known[name].instead_of:
            if texts[name] and other in texts:
                raise ParameterError(f"{flag(name)} and {flag(other)} exclude each other; give one of them")
    return {name: known[name].parse(text) for name, text in texts.items()}


def parameters(method: Method, settings: Iterable[str], threads: str | None) -> Mapping[str, Any]:
    """Values of ``name=value`` settings; ``threads`` is a short form of one of them."""
    known = {parameter.name: parameter for parameter in method.parameters}
    values: dict[str, Any] = {}
    for setting in [*settings, *([f"threads={threads}"] if threads is not None else [])]:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"-p {setting!r} is not name=value, such as -p s=128")
        if name not in known:
            raise ParameterError(f"unknown parameter {name!r}; {method.name} has: {', '.join(known) or 'none'}")
        if name in values:
            raise ParameterError(f"parameter {name} is given twice; give it once")
        values[name] = known[name].parse(text)
    return values


def _given(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in values.items() if text is not None}


def _once(files: Mapping[str, list[str] | None]) -> dict[str, str]:
    """The file of each flag; ParameterError for a flag that is given twice, of which one would be ignored."""
    for name, given in files.items():
        if given and len(given) > 1:
            raise ParameterError(f"{flag(name)} is given {len(given)} times ({', '.join(given)}); give it once")
    return {name: given[0] for name, given in files.items() if given}


def _typer_file(taken: Input) -> inspect.Parameter:
    text = f"File with the {taken.label or taken.kind.label} of methods that take one."
    declared = typer.Option(flag(taken.flag), metavar="FILE", help=text, rich_help_panel="Problem")
    return inspect.Parameter(
        taken.flag, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str] | None, declared]
    )


def _typer_parameter(option: Parameter) -> inspect.Parameter:
    metavar = "|".join(option.choices) or METAVARS[option.kind]
    default = {True: "yes", False: "no"}[option.default] if option.kind == "bool" else option.default
    text = option.help + (f" Default: {default}." if default not in (None, "") else "")
    declared = typer.Option(
        flag(option.name), metavar=metavar, help=text, show_default=False, rich_help_panel="Problem"
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, declared]
    )
