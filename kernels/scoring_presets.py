"""Preset scorings: the scores and gap costs with which other programs align by default, by name.

The table is data: values of options by the names of `scoring_options`. A problem uses those that it declares; what it
does not know of a preset, such as the second piece of gap costs, is named in a note. Gaps of length k cost
open + k x extend everywhere, as in minimap2 and BLAST; costs of programs that count the first letter otherwise are
converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import ParameterError

NO_PRESET = "none"
Values = Mapping[str, Any]


@dataclass(frozen=True)
class ScoringPreset:
    """The default scoring of a program.

    ``nucleotides`` and ``proteins`` are values of options by name, None where the program has no such scoring;
    ``source`` says where they are published.
    """

    name: str
    label: str
    source: str
    nucleotides: Values | None = None
    proteins: Values | None = None
    aliases: tuple[str, ...] = ()

    def values_for(self, nucleotides: bool) -> Values:
        """Return the values for nucleotides or proteins; raise ParameterError where there are none."""
        values = self.nucleotides if nucleotides else self.proteins
        if values is None:
            own, other = ("nucleotides", "proteins")[:: 1 if nucleotides else -1]
            fitting = [one.name for one in PRESETS if (one.nucleotides if nucleotides else one.proteins) is not None]
            raise ParameterError(
                f"the preset {self.name} ({self.label}) scores {other}, and the sequences are {own}; choose "
                f"{' or '.join(fitting)}, or correct the type of the sequences"
            )
        return values


def _minimap2(
    name: str, words: str, match: int, mismatch: int, first: tuple[int, int], second: tuple[int, int]
) -> ScoringPreset:
    """Return a preset of minimap2: costs of both pieces as open and extend; an ambiguous base scores -1."""
    return ScoringPreset(
        name,
        f"minimap2 -x {name}, {words}",
        "minimap2 2.28, options.c: mm_mapopt_init, mm_set_opt",
        nucleotides={
            "matrix": "",
            "match": match,
            "mismatch": -mismatch,
            "ambiguous": -1,
            "gap_model": "two-piece",
            "gap_open": first[0],
            "gap_extend": first[1],
            "gap_open2": second[0],
            "gap_extend2": second[1],
        },
        aliases=(f"minimap2-{name}",),
    )


PRESETS = (
    _minimap2("map-ont", "long reads with errors", 2, 4, (4, 2), (24, 1)),
    _minimap2("asm5", "assemblies that differ by 0.1 %", 1, 19, (39, 3), (81, 1)),
    _minimap2("asm10", "assemblies that differ by 1 %", 1, 9, (16, 2), (41, 1)),
    _minimap2("asm20", "assemblies that differ by some percent", 1, 4, (6, 2), (26, 1)),
    ScoringPreset(
        "blastn",
        "BLASTN",
        "NCBI BLAST+ user manual, appendix C: blastn -task blastn (reward 2, penalty -3, gapopen 5, gapextend 2)",
        nucleotides={"matrix": "", "match": 2, "mismatch": -3, "gap_open": 5, "gap_extend": 2},
    ),
    ScoringPreset(
        "megablast",
        "megablast",
        "NCBI BLAST+ user manual, appendix C: blastn -task megablast (reward 1, penalty -2); a gap letter costs "
        "reward / 2 - penalty (Zhang et al. 2000)",
        nucleotides={"matrix": "", "match": 1, "mismatch": -2, "gap_open": 0, "gap_extend": 2.5},
    ),
    ScoringPreset(
        "blastp",
        "BLASTP",
        "NCBI BLAST+ user manual, appendix C: blastp (BLOSUM62, gapopen 11, gapextend 1)",
        proteins={"matrix": "BLOSUM62", "gap_open": 11, "gap_extend": 1},
    ),
    ScoringPreset(
        "ssearch",
        "SSEARCH",
        "FASTA 36 manual, options -s, -f, -g: BLOSUM50, -10, -2 for proteins; +5/-4, -12, -4 for DNA",
        nucleotides={"matrix": "", "match": 5, "mismatch": -4, "gap_open": 12, "gap_extend": 4},
        proteins={"matrix": "BLOSUM50", "gap_open": 10, "gap_extend": 2},
        aliases=("ssearch36",),
    ),
    ScoringPreset(
        "ednafull",
        "EMBOSS water and needle, EDNAFULL",
        "EMBOSS 6.6: EDNAFULL, which is NUC.4.4 of the NCBI; the first letter of a gap costs 10, each other 0.5",
        nucleotides={"matrix": "NUC.4.4", "gap_open": 9.5, "gap_extend": 0.5},
        aliases=("dnafull", "nuc44", "nuc4.4", "nuc.4.4"),
    ),
)
PRESET_ALIASES = tuple((alias, preset.name) for preset in PRESETS for alias in preset.aliases)
_PRESETS_BY_NAME = {name: preset for preset in PRESETS for name in (preset.name, *preset.aliases)}


def describe_preset(name: str) -> str:
    """Return a preset with the program that it is of: "blastn (BLASTN)"."""
    preset = find_preset(name)
    return f"{preset.name} ({preset.label})" if preset else name


def find_preset(name: str) -> ScoringPreset | None:
    """Return the preset of a name or of one of its aliases, in upper or lower case; None for NO_PRESET and ""."""
    wanted = name.lower()
    if wanted in ("", NO_PRESET):
        return None
    found = _PRESETS_BY_NAME.get(wanted)
    if found is None:
        raise ParameterError(f"unknown preset {name!r}; choose one of {', '.join(preset.name for preset in PRESETS)}")
    return found
