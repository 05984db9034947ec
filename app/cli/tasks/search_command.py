"""The command ``search``: hits of queries in a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from antidiag.app.cli.executor_options import ExecutorOptions
from antidiag.app.cli.method_runs import Kind, Records, Resume, RunInput, RunOutput, RunPlace, Settings, Threads
from antidiag.app.cli.tasks.task_commands import method_option, run_task
from antidiag.app.invocation import SAMPLES
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.registry.task_methods import TASKS

SEARCH_EXAMPLES = f"""
[bold]Examples[/]

antidiag search query.fa swissprot.adb

antidiag search {SAMPLES}/human-haemoglobin.fasta proteins.fasta.gz --max-evalue 1e-3 --out hits.tsv

antidiag search query.fa proteins.fa --columns "std qcovs btop" --out - --to tsv

antidiag search genome.fa reads.fa --strand both --best 5 --out hits.sam
"""


@dataclass(frozen=True)
class SearchInput:
    """The files of a search and the parameters of its method."""

    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Sequences to search for: FASTA, GenBank and others; - reads them.")
    ]
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="DATABASE",
            help="What to search in: sequences, or a database that 'database make' prepared. Without it the first "
            "sequence of QUERY is searched for in its others.",
        ),
    ] = None
    settings: Settings = None
    records: Records = None
    kind: Kind = None
    threads: Threads = None

    @property
    def run_input(self) -> RunInput:
        """The queries as every method takes its files."""
        return RunInput([self.query], self.settings, self.records, self.kind, self.threads)

    def add_database(self, flagged: Mapping[str, str]) -> dict[str, str]:
        """Return the files of flags with the database among them. Raise ParameterError where there are two."""
        if self.target is None:
            return dict(flagged)
        if "database" in flagged:
            raise ParameterError(f"two databases: {self.target} and --database {flagged['database']}; give one")
        return {**flagged, "database": self.target}


def search(
    given: SearchInput,
    *,
    method_id: Annotated[str | None, method_option("search")] = None,
    place: RunPlace,
    executor: ExecutorOptions,
    output: RunOutput,
    resume: Resume = False,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Search for sequences in a database, and print the hits with their E-values.

    Every query is compared with every sequence by Smith and Waterman's algorithm; nothing is left out by a heuristic.
    --on and --scheduler share the database out in shards; the workers must see the file of a prepared one.
    """
    files = given.add_database(flagged)
    run_task(TASKS["search"], given.run_input, method_id, place, output, resume, options, files, executor)
