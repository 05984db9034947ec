"""Options of the command line, made from the declarations of problems and parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer

from kernels import registry
from kernels.errors import ParameterError
from kernels.method import Method
from kernels.parameters import Parameter

METAVARS = {"int": "N", "float": "N", "text": "TEXT", "bool": "yes|no"}


def flag(name: str) -> str:
    """The option of a declared name: gap_open becomes --gap-open."""
    return "--" + name.replace("_", "-")


def declared_options() -> Mapping[str, Parameter]:
    """The options of all problem types in the registry, by name."""
    return {option.name: option for method in registry.METHODS for option in method.problem.options}


def with_problem_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command that also takes every declared option of a problem, handed on as ``options``.

    ``options`` maps names to the texts that the user gave.
    """
    declared = declared_options()

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        given = {name: values.pop(name) for name in declared}
        command(**values, options={name: text for name, text in given.items() if text is not None})

    own = inspect.signature(command, eval_str=True).parameters
    parameters = [parameter for name, parameter in own.items() if name != "options"]
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


def _typer_parameter(option: Parameter) -> inspect.Parameter:
    metavar = "|".join(option.choices) or METAVARS[option.kind]
    text = option.help + (f" Default: {option.default}." if option.default not in (None, "") else "")
    declared = typer.Option(
        flag(option.name), metavar=metavar, help=text, show_default=False, rich_help_panel="Problem"
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, declared]
    )
