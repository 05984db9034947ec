"""The command line: everything that the window can compute, without Qt.

The entry point is ``app.cli.program.main``; nothing is imported here, so that starting the window
does not load the command line.
"""

COMMANDS = (
    "align", "msa", "tree", "distances", "fold", "viterbi", "search", "view", "figure", "convert", "config", "batch",
    "cluster", "methods", "info", "samples", "estimate", "run", "compare", "codon-align", "posteriors", "sequences",
    "database", "profile", "runs", "sweep", "tune", "bench", "reproduce", "guidelines", "play", "lecture",
)  # fmt: skip
"""First words of a command line that belong to it; anything else opens the window."""
COMPLETION_VARIABLE = "_ANTIDIAG_COMPLETE"
"""The environment variable with which a shell asks for completions."""
