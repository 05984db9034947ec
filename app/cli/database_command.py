"""The command ``database``, which prepares databases for searches and looks at them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from antidiag.app.cli import inputs, report
from antidiag.app.cli.method_runs import Kind, Masking
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import messages
from antidiag.kernels import file_conventions
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.pairwise.search import database as databases
from antidiag.kernels.pairwise.search import database_maker
from antidiag.kernels.text import format_count

DATABASE_EXAMPLES = """
[bold]Examples[/]

antidiag database make swissprot.fasta.gz swissprot.adb

antidiag database make a.fa b.fa all.adb --skip-bad

antidiag database info swissprot.adb

antidiag database check swissprot.adb
"""
ACTIONS = ("make", "info", "check")


def database(
    action: Annotated[
        str,
        typer.Argument(
            metavar="make|info|check",
            help="make IN... OUT: prepare a database; info FILE: what is in it; check FILE: compute its digest again.",
        ),
    ],
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="The files; of make the last one is written.")],
    kind: Kind = None,
    masking: Masking = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out records that cannot be read, and name them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prepare sequences for searches: sorted by length, packed, mapped into memory, checked by a digest.

    FASTA may be of any size, plain or compressed. A search refuses a database that changed since it was prepared.
    """
    if action not in ACTIONS:
        raise ParameterError(f"unknown action {action!r}; choose {', '.join(ACTIONS)}")
    file_conventions.choose_masking(masking)
    if action == "make":
        _make(files, kind, skip_bad)
    elif len(files) != 1:
        raise ParameterError(f"database {action} takes one file; got {len(files)}")
    elif action == "check":
        _check(Path(files[0]))
    if as_json:
        report.print_json(_database_json(Path(files[-1])))
    elif action == "check":
        found = databases.read_header(Path(files[0]))
        print(f"{files[0]}: {format_count(found['count'], 'sequence')}, digest {found['digest']}: unchanged")
    else:
        report.print_rows(database_rows(Path(files[-1])))


def _make(files: Sequence[str], kind: str | None, skip_bad: bool) -> None:
    """Prepare a database of all files but the last, which is written."""
    if len(files) < 2:
        raise ParameterError("give one or more files of sequences, and then the file to write: IN... OUT")
    *sources, target = files
    inputs.check_writable(Path(target), sources)
    with watch_run() as monitor:
        made = database_maker.make_database(sources, target, monitor, inputs.parse_sequence_type(kind), skip_bad)
    for message in made.bad:
        messages.print_note(message)
    if made.bad_count > len(made.bad):
        messages.print_note(f"{format_count(made.bad_count - len(made.bad), 'more bad record')} left out")


def _check(path: Path) -> None:
    """Compute the digest of a database again; a right one is trusted by the next searches without that."""
    header = databases.read_header(path)
    with watch_run() as monitor:
        databases.verify_digest(path, header, monitor)
    databases.refuse_changed_source(path, header)
    try:
        databases.stamp_time(path, header)
    except OSError:
        messages.print_note(f"{path}: cannot be changed, so that every search checks it again")


def describe_database(path: Path) -> dict[str, Any]:
    """Return what the header of a prepared database says."""
    header = dict(databases.read_header(path))
    names = ("digest", "count", "letter_count", "longest", "type", "letters", "made", "bytes", "note", "sources")
    return {"file": str(path), **{name: header[name] for name in names}}


def _database_json(path: Path) -> dict[str, Any]:
    """Return what is in a prepared database, with times in ISO 8601."""
    facts = describe_database(path)
    sources = [{**source, "time": _iso_time(source["time"])} for source in facts["sources"]]
    return report.null_if_empty({**facts, "made": _iso_time(facts["made"]), "sources": sources})


def _iso_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def database_rows(path: Path) -> list[tuple[str, str]]:
    """Return what is in a prepared database as rows of label and text."""
    facts = describe_database(path)
    if not facts["count"]:
        raise InputError(f"{path}: the database is empty; prepare it from a file with sequences")
    made = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(facts["made"]))
    rows = [
        ("database", f"{path}, {format_bytes(facts['bytes'])}"),
        ("sequences", f"{facts['count']:,}"),
        ("letters", f"{facts['letter_count']:,} ({facts['letters']}), {facts['type']}"),
        ("lengths", f"{facts['letter_count'] / facts['count']:,.0f} on average, {facts['longest']:,} at most"),
        ("made", f"{made} from {', '.join(source['path'] for source in facts['sources'])}"),
        ("digest", facts["digest"]),
    ]
    return [*rows, ("note", facts["note"])] if facts["note"] else rows
