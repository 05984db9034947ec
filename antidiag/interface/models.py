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
        from antidiag.interface.run_by_id import run

        return run(method, self, given, **settings)

    def _compared_content(self) -> Any:
        return self.data

    def __repr__(self) -> str:
        return f"<Model {self.data.name}: {self.data.summary}>"

    __str__ = __repr__


def hmm(model: Any) -> Model:
    """Return a hidden Markov model by the name of a bundled model, or from a file.

    Parameters
    ----------
    model : str, Path or Model
        A name such as "cpg-islands", or a file of this program (JSON) or of HMMER.

    Examples
    --------
    >>> import antidiag as ad
    >>> path = ad.hmm("cpg-islands").viterbi("CGCGCGCGATATATAT")
    >>> len(path.states)
    16
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, Hmm):
        return Model(model)
    return Model(read_hmm(model)[0])
