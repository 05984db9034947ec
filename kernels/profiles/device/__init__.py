"""Device code (CUDA C) of profile methods, which lies beside this file."""

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceConstants
from antidiag.kernels.profiles.column_scores import scoring

FOLDER = Path(__file__).parent
SCORES_AND_MODES = DeviceConstants.from_values(
    **{
        name: getattr(scoring, name)
        for name in (
            *("LINEAR", "ROOT", "LOGARITHM", "LOG_BITS"),
            *("GLOBAL", "LOCAL", "SEMI_GLOBAL", "QUERY_IN_TARGET"),
        )
    }
)
"""The numbers of column scores and modes, which all device code of profiles knows."""
