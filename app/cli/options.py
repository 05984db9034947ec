"""Options of the command line, made from the declarations of problems and parameters."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Sequences
from copy import copy
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

from antidiag.app.cli.shell import messages
from antidiag.app.cli.shell.completion import TYPED_METHODS, choices_of, complete_words
from antidiag.app.invocation import as_typed
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method, ProblemInput
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.registry import result_saving
from antidiag.kernels.text import suggest_names

METAVARS = {"int": "N", "float": "N", "text": "TEXT", "bool": "yes|no"}


def option_flag(name: str) -> str:
    """Return the command-line option of a declared name: gap_open becomes --gap-open."""
    return "--" + name.replace("_", "-")


def declared_options(methods: Iterable[Method] | None = None) -> Mapping[str, tuple[Parameter, ...]]:
    """Return the different declarations of the options of some methods, or of all, by name; the most frequent first."""
    counts: dict[str, Counter[Parameter]] = {}
    for method in registry.METHODS if methods is None else methods:
        for option in method.problem_type.options:
            counts.setdefault(option.name, Counter())[option] += 1
    return {name: tuple(option for option, _ in found.most_common()) for name, found in counts.items()}


def declared_flags(methods: Iterable[Method] | None = None) -> Mapping[str, ProblemInput]:
    """Return the inputs that some methods, or all, take with a flag, by flag."""
    chosen = registry.METHODS if methods is None else methods
    return {taken.flag: taken for method in chosen for taken in method.problem_type.inputs if taken.flag}


def known_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all result files that some method can save."""
    return tuple(
        dict.fromkeys(suffix for method in registry.METHODS for suffix in result_saving.result_suffixes(method))
    )


def with_option_groups(command: Callable[..., None], methods: Iterable[Method] | None = None) -> Callable[..., None]:
    """Return a command in which a parameter of a dataclass stands for the options that the fields of the class declare.

    A command with the parameters ``options`` and ``flagged`` also takes every declared option and flagged input of some
    methods, or of all; it receives them as mappings of names to the texts that the user gave.
    """
    own = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, type[Any]] = {
        name: parameter.annotation
        for name, parameter in own.items()
        if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
    }
    takes_problem = "options" in own
    chosen = list(registry.METHODS if methods is None else methods)
    declared, flags = (declared_options(chosen), declared_flags(chosen)) if takes_problem else ({}, {})

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        if takes_problem:
            given = {name: values.pop(name) for name in declared}
            files = {name: values.pop(name) for name in flags}
            values |= {"options": _given_values(given), "flagged": _single_files(files)}
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        if name in groups:
            parameters += _group_parameters(groups[name])
        elif name not in ("options", "flagged"):
            parameters.append(parameter)
    parameters += [_typer_file(taken) for taken in flags.values()]
    parameters += [_typer_parameter(name, options) for name, options in declared.items()]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


def parse_problem_options(method: Method, texts: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the values of the given options. Raise ParameterError for an option that the method does not have."""
    known = {option.name: option for option in method.problem_type.options}
    for name in texts:
        if name not in known:
            flags = list(map(option_flag, known))
            hint = suggest_names(option_flag(name), flags) or f"its options: {', '.join(flags) or 'none'}"
            raise ParameterError(f"{method.name} has no option {option_flag(name)}; {hint}")
        for other in known[name].overrides:
            if texts[name] and other in texts:
                raise ParameterError(
                    f"{option_flag(name)} and {option_flag(other)} exclude each other; give one of them"
                )
    return {name: known[name].parse(text) for name, text in texts.items()}


def parse_parameters(method: Method, settings: Iterable[str], threads: str | None) -> Mapping[str, Any]:
    """Parse ``name=value`` settings; ``threads`` is the value of --threads."""
    known = {parameter.name: parameter for parameter in method.parameters.declared()}
    values: dict[str, Any] = {}
    for setting in [*settings, *([f"threads={threads}"] if threads is not None else [])]:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"-p must be name=value, such as -p s=128; got {setting!r}")
        if name not in known:
            hint = suggest_names(name, known) or f"{method.name} has: {', '.join(known) or 'none'}"
            raise ParameterError(f"unknown parameter {name!r}; {hint}")
        if name in values:
            raise ParameterError(f"parameter {name} is given twice; give it once")
        values[name] = known[name].parse(text)
    return values


def _group_parameters(group: type[Any]) -> list[inspect.Parameter]:
    declared = get_type_hints(group, include_extras=True)
    own = inspect.signature(group).parameters.values()
    return [parameter.replace(annotation=declared[parameter.name]) for parameter in own]


def _given_values(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in values.items() if text is not None}


def _single_files(files: Mapping[str, list[str] | None]) -> dict[str, str]:
    """Return the file of each flag. Raise ParameterError for a flag that is given more than once."""
    for name, given in files.items():
        if given and len(given) > 1:
            raise ParameterError(f"{option_flag(name)} is given {len(given)} times ({', '.join(given)}); give it once")
    return {name: given[0] for name, given in files.items() if given}


def _typer_file(taken: ProblemInput) -> inspect.Parameter:
    label = taken.label or taken.kind.label
    text = f"{label[:1].upper()}{label[1:]} file, for methods that take one."
    declared = typer.Option(
        option_flag(taken.flag),
        metavar="FILE",
        help=text,
        rich_help_panel="Problem",
        autocompletion=complete_words([path.stem for path in taken.kind.bundled_files]),
    )
    return inspect.Parameter(
        taken.flag, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str] | None, declared]
    )


def _typer_parameter(name: str, declared: tuple[Parameter, ...]) -> inspect.Parameter:
    """Return the command-line option of some declarations of one name, whichever method is run."""
    text = declared[0].help if len(declared) > 1 else describe_option(declared[0], "")
    option = typer.Option(
        option_flag(name),
        metavar=_option_metavar(declared[0]),
        help=text + (DEPENDS_ON_METHOD if len(declared) > 1 else ""),
        show_default=False,
        rich_help_panel="Problem",
        autocompletion=complete_words(dict.fromkeys(word for one in declared for word in choices_of(one))),
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, option]
    )


DEPENDS_ON_METHOD = " Meaning and default depend on the method: see 'run METHOD --help'."


def _option_metavar(option: Parameter) -> str:
    return "|".join(option.choices) or METAVARS[option.kind]


def describe_option(option: Parameter, default: str) -> str:
    """Return the help of an option with its default, the declared one unless another is given."""
    if option.kind == "bool":
        default = default or {True: "yes", False: "no"}[option.default]
    elif option.default not in (None, ""):
        default = default or str(option.default)
    return option.help + (f" Default: {default}." if default else "")


class SingleValueCommand(TyperCommand):
    """A command with the options of all commands, which refuses an option of one value that is given twice."""

    def __init__(self, *arguments: Any, params: Sequences[Any] | None = None, **named: Any) -> None:
        super().__init__(*arguments, params=[*(params or ()), *messages.message_options()], **named)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of a command; end with an error for an option of one value that is given twice."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(given).items():
            if (
                times > 1
                and isinstance(option, TyperOption)
                and not (option.multiple or option.is_flag or option.count)
            ):
                ctx.fail(f"{option.opts[-1]} is given {times} times; give it once")
        return super().parse_args(ctx, args)

    def known_flags(self, ctx: Any) -> list[str]:
        """Return the flags that may have been meant by a wrong one."""
        return [flag for parameter in self.params for flag in parameter.opts if flag.startswith("--")]


class MethodCommand(SingleValueCommand):
    """A command that takes a method: with a method its help has the options of that method, and their defaults."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; the method among them is kept for the help, which is written before they are checked."""
        ctx.meta[TYPED_METHODS] = self.find_methods(args)
        return super().parse_args(ctx, args)

    def find_methods(self, args: Sequences[str]) -> list[Method]:
        """Return the methods whose options the help shows; none if it shows those of all methods."""
        known = {method.id: method for method in registry.METHODS}
        return [known[one] for one in args if one in known][:1]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the command, with the options of all methods or those of some."""
        shown = copy(self)
        if methods := ctx.meta.get(TYPED_METHODS):
            shown.params = [_option_of_methods(parameter, methods) for parameter in self._fitting_options(methods)]
            shown.params += [_listed_parameter(one) for one in methods[0].parameters.declared()]
        TyperCommand.format_help(shown, ctx, formatter)

    def known_flags(self, ctx: Any) -> list[str]:
        """Return the flags that may have been meant: those of the method, where there is one."""
        fitting = self._fitting_options(ctx.meta.get(TYPED_METHODS) or registry.METHODS)
        return [flag for parameter in fitting for flag in parameter.opts if flag.startswith("--")]

    def _fitting_options(self, methods: Sequences[Method]) -> list[Any]:
        """Return the parameters that belong to some methods, or to all."""
        fitting, others = _names_of(methods), _names_of(registry.METHODS)
        return [one for one in self.params if one.name in fitting or one.name not in others]


class RunCommand(MethodCommand):
    """A command that runs one method: behind a method its help is about that method alone."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the command, or that of the method, with what it takes and an example."""
        shown = copy(self)
        for method in ctx.meta.get(TYPED_METHODS) or ():
            shown.params = [_option_of_run(one, method) for one in self.params if _has_effect(one.name, method)]
            shown.help = f"{method.name}: {method.summary}\n\nTakes {method.problem_type.describe_inputs()}."
            shown.epilog = as_typed(f"[bold]Examples[/]\n\n{_example_of_run(ctx.info_name, method)}")
        super(RunCommand, shown).format_help(ctx, formatter)


class TaskCommand(MethodCommand):
    """The command of a task: without --method its help has the options of the recommended methods."""

    task_methods: Sequences[str] = ()
    """Ids of the methods that are usually recommended; `of_methods` sets them."""

    @classmethod
    def of_methods(cls, *ids: str) -> type[TaskCommand]:
        """Return the class of a command whose help shows the options of these methods."""
        return type(cls.__name__, (cls,), {"task_methods": ids})

    def find_methods(self, args: Sequences[str]) -> list[Method]:
        """Return the method after --method, else the usual ones."""
        words = [word for arg in args for word in arg.split("=", 1)]
        named = [after for word, after in itertools.pairwise(words) if word in ("--method", "-m")]
        return super().find_methods(named) or [registry.find_method(one) for one in self.task_methods]


def _names_of(methods: Iterable[Method]) -> set[str]:
    """Return the names of the parameters of a command that belong to some methods only."""
    found = {"resume"} if any(method.resumption is not None for method in methods) else set()
    for method in methods:
        found |= {option.name for option in method.problem_type.options}
        found |= {taken.flag for taken in method.problem_type.inputs}
    return found


def _option_of_methods(parameter: Any, methods: Sequences[Method]) -> Any:
    """Return a parameter of a command with the help of the first method that has it as an option."""
    shown = copy(parameter)
    if parameter.name == "outs":
        suffixes = dict.fromkeys(suffix for method in methods for suffix in result_saving.result_suffixes(method))
        shown.help = describe_out(suffixes)
    for method in methods:
        option = next((one for one in method.problem_type.options if one.name == parameter.name), None)
        if option is not None:
            shown.help, shown.metavar = (
                describe_option(option, default_by_type(option, method)),
                _option_metavar(option),
            )
            break
    return shown


def _has_effect(name: str | None, method: Method) -> bool:
    """Return whether an option of all methods has an effect on the runs of one; other options have."""
    kinds = [taken.kind for taken in method.problem_type.inputs]
    match name:
        case "records" | "masking":
            return SEQUENCE in kinds
        case "kind":
            return any(kind is SEQUENCE or kind.read_typed for kind in kinds)
        case "files":
            return any(not taken.flag for taken in method.problem_type.inputs)
        case "settings":
            return bool(method.parameters.names())
        case "threads":
            return "threads" in method.parameters.names()
        case "device":
            return "cuda" in method.backends
        case "cigar":
            return not {".sam", ".paf"}.isdisjoint(result_saving.result_suffixes(method))
        case "on" | "scheduler" | "scheduler_file":
            return method.splitting is not None
    return True


def _option_of_run(parameter: Any, method: Method) -> Any:
    """Return an option of all methods with its help for one method."""
    shown = copy(parameter)
    if parameter.name == "files":
        inputs = ", ".join(taken.describe_input() for taken in method.problem_type.inputs if not taken.flag)
        shown.help = f"Files with {inputs}, also compressed (gzip, bzip2, xz, zstd, zip); - reads standard input."
    if parameter.name == "to":
        suffixes = ", ".join(suffix.lstrip(".") for suffix in result_saving.result_suffixes(method))
        shown.help = f"Format of --out, by its suffix: {suffixes}; needed for -."
    for taken in method.problem_type.inputs:
        if taken.flag and taken.flag == parameter.name:
            label = taken.label or taken.kind.label
            shown.help = f"File with the {label}." if taken.minimum else f"File with the {label}; may be left out."
    if parameter.name == "device" and not method.shares_gpus:
        shown.metavar, shown.help = "N", "Number of the GPU; 'info' lists them."
    return shown


def _example_of_run(command: str, method: Method) -> str:
    """Return a command that runs a method on files of the kinds that it takes."""
    words = ["antidiag", command, method.id]
    for taken in method.problem_type.inputs:
        count = min(taken.minimum, 1) if taken.kind is SEQUENCE else taken.minimum
        numbers = [f"-{number}" for number in range(1, count + 1)] if count > 1 else [""] * count
        noun = "sequences" if taken.kind is SEQUENCE and taken.maximum != 1 else taken.kind.id
        files = [f"{noun}{number}{next(iter(taken.kind.suffixes), '')}" for number in numbers]
        words += [f"--{taken.flag}", *files] if taken.flag and files else files
    return " ".join(words)


def describe_out(suffixes: Iterable[str]) -> str:
    """Return the help of --out with the suffixes that can be written."""
    return f"Save in the format of the suffix: {' '.join(suffixes)}; repeatable. - writes to standard output, see --to."


def _listed_parameter(parameter: Parameter) -> TyperOption:
    """Return a parameter of a method as an option for the help, which is given with -p."""
    automatic = "auto" if parameter.default is None else str(parameter.default)
    unit = f" ({parameter.unit})" if parameter.unit else ""
    shown = TyperOption(
        param_decls=[f"--{parameter.name}"],
        metavar=_option_metavar(parameter),
        help=f"{parameter.help} {parameter.describe_values().capitalize()}{unit}. Default: {automatic}.",
        rich_help_panel="Parameters of the method, set with -p NAME=VALUE",
    )
    shown.opts = [f"-p {parameter.name}="]
    return shown


def default_by_type(option: Parameter, method: Method) -> str:
    """Return the default of an option that follows the type of sequences: "5 for nucleotides, 10 for proteins"."""
    if all(taken.kind is not SEQUENCE for taken in method.problem_type.inputs[:1]):
        return ""
    found = {}
    for label, kind in (("nucleotides", SequenceType.DNA), ("proteins", SequenceType.PROTEIN)):
        values = method.problem_type.default_options([Sequence("", b"A", kind)])
        if values.get(option.name) not in (None, ""):  # an empty matrix: match and mismatch scores, as the help says
            found[label] = f"{values[option.name]:g}" if option.kind == "float" else str(values[option.name])
    if len(found) == 2 and len(set(found.values())) == 1:
        return next(iter(found.values()))
    return ", ".join(f"{value} for {label}" for label, value in found.items())
