"""Hidden Markov models from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antidiag.interface.answers import StatePath
from antidiag.interface.data_answers import DataAnswer
from antidiag.kernels.hmm.model.hmm import Hmm, format_json, read_hmm
from antidiag.kernels.io.files import write_lines


class Model(DataAnswer):
    """A hidden Markov model.

    Attributes
    ----------
    data : Hmm
        States, symbols and probabilities.
    """

    def viterbi(self, sequence: Any, method: str = "viterbi-persistent", **settings: Any) -> StatePath:
        """Return the most probable path of states of a sequence."""
        return self._run(method, sequence, settings)

    def forward(self, sequence: Any, **settings: Any) -> StatePath:
        """Return the logarithm of the probability of a sequence."""
        return self._run("hmm-forward", sequence, settings)

    def posterior(self, sequence: Any, **settings: Any) -> StatePath:
        """Return the probability of each state at each letter of a sequence."""
        return self._run("hmm-posterior", sequence, settings)

    def learn(self, sequences: Any, **settings: Any) -> Model:
        """Return the model after training with Baum-Welch on sequences."""
        return self._run("hmm-baum-welch", sequences, settings)

    def save(self, path: str | Path, format: str | None = None) -> None:
        """Save the model as JSON, which the program and `hmm` read."""
        write_lines(Path(path), [format_json(self.data)])

    def _run(self, method: str, given: Any, settings: dict[str, Any]) -> Any:
        from antidiag.interface.functions import run

        return run(method, self, given, **settings)

    def _compared_content(self) -> Any:
        return self.data

    def __repr__(self) -> str:
        return f"<Model {self.data.name}: {self.data.summary}>"

    __str__ = __repr__


def find_model(given: Any) -> Model:
    """Return the model of a bundled name, a file, or the program's own data."""
    if isinstance(given, Model):
        return given
    if isinstance(given, Hmm):
        return Model(given)
    return Model(read_hmm(given)[0])
