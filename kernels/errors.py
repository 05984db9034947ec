"""Errors that a user can act on: each message says what is wrong, where, and what to do."""


class AntidiagError(Exception):
    """Base of all errors whose text is written for the user of the program."""


class InputError(AntidiagError):
    """A file, a sequence or a letter that cannot be used."""


class ParameterError(AntidiagError):
    """A parameter or option outside its range."""


class MemoryRefused(AntidiagError):
    """The run was refused before allocation, because it would not fit."""


class DiskFull(AntidiagError):
    """The disk cannot take what a run has to put there."""


class BackendUnavailable(AntidiagError):
    """The backend or device that was asked for is not there."""


class ScoreOverflow(AntidiagError):
    """Scores of this problem could leave the range of 32-bit integers."""


class Cancelled(Exception):
    """The user cancelled the run: their wish, not an error."""
