"""The configuration file, in TOML: defaults of the options of the command line."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs

from antidiag.kernels.errors import InputError
from antidiag.kernels.user_limits import UNPACKED_VARIABLE

FILE_VARIABLE, FOLDER_VARIABLE = "ANTIDIAG_CONFIG", "ANTIDIAG_FOLDER"
GENERAL = ("backend", "device", "threads", "seq-type", "quiet", "verbose", "log-file")
"""Keys at the top of the file: options that many commands have."""
ANY_METHOD = ("run", "estimate", "batch", "sweep", "tune", "bench")
"""Commands of any method, whose options differ from method to method."""
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        FILE_VARIABLE: "path of the configuration file",
        FOLDER_VARIABLE: "folder for configuration, settings of the window and last session",
        UNPACKED_VARIABLE: "GiB that a compressed file may unpack to; 1 by default",
        "ANTIDIAG_KEEP_AFTER_S": "seconds after which a run keeps its parts for --resume; 60 by default",
        "CUDA_VISIBLE_DEVICES": "GPUs that may be used, of CUDA; empty for none",
        "CUPY_CACHE_DIR": "folder of compiled GPU code, of CuPy",
        "NUMBA_CACHE_DIR": "folder of compiled CPU code, of Numba",
        "QT_QPA_PLATFORM": "how Qt draws: offscreen needs no screen",
        "QT_SCALE_FACTOR": "scale of the window, such as 1.5",
        "NO_COLOR": "set to anything: no colours in help and tables",
        "COLUMNS": "width of help and tables in letters",
    }
)
"""Environment variables that have an effect, and what each holds."""
TABLE, KEY = re.compile(r"\s*\[([^\[\]]+)\]"), re.compile(r"\s*([\w\"'-]+)\s*=")
"""The lines of a file with the header of a table, and with a key."""
QUOTES = " \"'"
TEMPLATE = """\
# Defaults of Antidiag's command line. An option that is typed overrides its value here.
# Remove the sign # before a line to use it.

# backend = "cpu"            # auto, cpu or cuda
# device = 0                 # number of the GPU
# threads = 4                # for methods that have threads
# seq-type = "protein"       # dna, rna or protein
# quiet = true
# log-file = "/tmp/antidiag.log"

# Defaults of one command have the names of its options.

# [align]
# mode = "global"
# matrix = "BLOSUM50"
# gap-open = 12

# [msa]
# effort = "fast"

# [figure]
# theme = "dark"
"""


@dataclass(frozen=True)
class Config:
    """What a configuration file says: values for all commands, and for each command by its name."""

    path: Path
    exists: bool = False
    general: Mapping[str, Any] = field(default_factory=dict)
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def threads(self) -> str | None:
        """The number of threads of methods that have threads."""
        return str(self.general["threads"]) if "threads" in self.general else None


def config_path() -> Path:
    """Return the path of the configuration file, which need not exist."""
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    folder = os.environ.get(FOLDER_VARIABLE)
    return (Path(folder) if folder else Path(platformdirs.user_config_dir("antidiag"))) / "config.toml"


def read_config() -> Config:
    """Return what the configuration file says. Raise InputError if it cannot be read."""
    path = config_path()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if os.environ.get(FILE_VARIABLE):
            raise InputError(f"{path}: no such file; {FILE_VARIABLE} names it") from None
        return Config(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; give another file") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: cannot be read as TOML: {error}; correct or remove it") from error
    commands = {name: value for name, value in found.items() if isinstance(value, dict)}
    general = {name: value for name, value in found.items() if not isinstance(value, dict)}
    for name in general:
        _check_name(path, "", name, GENERAL)
    return Config(path, True, general, commands)


def default_values(config: Config, commands: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the defaults of the parameters of each command, as the parser takes them.

    Raises InputError for a command or an option that does not exist.
    """
    for name in config.commands:
        _check_name(config.path, "", name, [*commands], "command")
    found: dict[str, dict[str, Any]] = {}
    for command, declared in commands.items():
        flags = {flag[2:]: one for one in declared.params for flag in one.opts if flag.startswith("--")}
        own = config.commands.get(command, {})
        if command in ANY_METHOD:
            _refuse_method_options(config.path, command, own)
        for name in own:
            _check_name(config.path, command, name, [*flags, "threads"])
        values = {**{name: value for name, value in config.general.items() if name in flags}, **own}
        found[command] = {
            flags[name].name: _parsed_value(config.path, command if name in own else "", name, flags[name], value)
            for name, value in values.items()
            if name != "threads" or name in own
        }
    return found


def name_origin(text: str, arguments: Sequence[str]) -> str:
    """Return an error message that begins with file and line of the default that it is about.

    A message about no value of the configuration file, or about one that is typed, stays as it is.
    """
    try:
        config = read_config()
    except InputError:
        return text
    command = next((word for word in arguments if word in config.commands), "")
    typed = {word.partition("=")[0].removeprefix("--") for word in arguments if word.startswith("--")}
    places = [(command, *entry) for entry in config.commands.get(command, {}).items()]
    places += [("", *entry) for entry in config.general.items()]
    for table, name, value in places:
        words = {name, name.replace("-", "_"), name.replace("-", " ")}
        if name not in typed and str(value) in text and any(word in text for word in words):
            return f"{_describe_place(config.path, table, name)}: {text}"
    return text


def _describe_place(path: Path, table: str, name: str) -> str:
    """Return file and line of a key, or of the header of a table: "config.toml, line 3"."""
    here = ""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            header, key = TABLE.match(line), KEY.match(line)
            if header:
                here = header[1].strip(QUOTES)
            if (header and (here, "") == (table, name)) or (key and (here, key[1].strip(QUOTES)) == (table, name)):
                return f"{path}, line {number}"
    return str(path)


def _refuse_method_options(path: Path, command: str, own: Mapping[str, Any]) -> None:
    """Raise InputError for an option that only some methods have, which would stop runs of the others."""
    from antidiag.app.cli.options import declared_options

    for name in own:
        if name.replace("-", "_") in declared_options():
            raise InputError(
                f"{_describe_place(path, command, name)}: [{command}] {name} is an option of some methods only; give "
                "it in the table of a task, such as [align] or [msa]"
            )


def _check_name(path: Path, table: str, name: str, known: Any, what: str = "option") -> None:
    """Raise InputError for a name that is not known: of an option in a table, or of the table of a command."""
    if name not in known:
        close = difflib.get_close_matches(name, list(known), 3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
        place = _describe_place(path, *((table, name) if what == "option" else (name, "")))
        raise InputError(f"{place}: {f'[{table}] ' if table else ''}unknown {what} {name!r}; {hint}")


def _parsed_value(path: Path, table: str, name: str, parameter: Any, value: Any) -> Any:
    """Return a value of the file as the parser takes it: texts, lists of texts, and truth values of flags."""
    if getattr(parameter, "is_flag", False):
        if not isinstance(value, bool):
            raise InputError(f"{_describe_place(path, table, name)}: {name} must be true or false; got {value!r}")
        return value
    if getattr(parameter, "multiple", False):
        return [str(one) for one in (value if isinstance(value, list) else [value])]
    if isinstance(value, (list, dict)):
        raise InputError(f"{_describe_place(path, table, name)}: {name} must be one value; got {value!r}")
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
