"""Colour schemes of cells: a palette, and the colour of each letter in each column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtGui import QColor

from antidiag.app import theme
from antidiag.app.kit.painting.fonts_and_colours import DARK_INK, LIGHT_INK, needs_light_text
from antidiag.kernels.alignments.column_statistics import AMBIGUOUS_CLASSES, CLASSES, LETTER_CLASS, ColumnCounts
from antidiag.kernels.errors import InputError

CLUSTAL_GROUPS = {
    "hydrophobic": ("#80a0f0", "AILMFWV", (("WLVIMAFCYHP", 0.6),)),
    "positive": ("#f01505", "KR", (("KR", 0.6), ("K", 0.8), ("R", 0.8), ("Q", 0.8))),
    "glutamate": ("#c048c0", "E", (("KR", 0.6), ("QE", 0.5), ("E", 0.85), ("Q", 0.85), ("D", 0.85))),
    "aspartate": ("#c048c0", "D", (("KR", 0.6), ("K", 0.85), ("R", 0.85), ("Q", 0.85), ("ED", 0.5))),
    "asparagine": ("#15c015", "N", (("N", 0.5), ("N", 0.85), ("Y", 0.85))),
    "glutamine": ("#15c015", "Q", (("KR", 0.6), ("QE", 0.5), ("Q", 0.85), ("T", 0.85), ("K", 0.85), ("R", 0.85))),
    "hydroxyl": ("#15c015", "ST", (("WLVIMAFCYHP", 0.6), ("TS", 0.5), ("S", 0.85), ("T", 0.85))),
    "apolar cysteine": ("#80a0f0", "C", (("WLVIMAFCYHP", 0.6),)),
    "cysteine": ("#f08080", "C", (("C", 0.85),)),
    "glycine": ("#f09048", "G", ()),
    "proline": ("#c0c000", "P", ()),
    "aromatic": ("#15a4a4", "HY", (("WLVIMAFCYHP", 0.6), *((letter, 0.85) for letter in "WYACPQFHILMV"))),
}
"""The rules of ClustalX: a colour, its letters, and pairs of letters and a bound. One pair suffices whose letters make
up more than the bound's share of all rows. The later of two rules for a letter wins."""
ZAPPO = dict(
    zip(
        ["ILVAM", "FWY", "KRH", "DE", "STNQ", "PG", "C"],
        ["#ffafaf", "#ffc800", "#6464ff", "#ff0000", "#00e000", "#ff00ff", "#e6e600"],
        strict=True,
    )
)
TAYLOR_COLOURS = (
    "#99ff00 #66ff00 #33ff00 #00ff66 #00ffcc #00ccff #0066ff #0000ff #6600ff #cc00ff "
    "#ff00cc #ff0066 #ff0000 #ff3300 #ff6600 #ff9900 #ffcc00 #ffff00 #ccff00 #00ff00"
)
TAYLOR = dict(zip("VILFYWHRKNQEDSTGPCAM", TAYLOR_COLOURS.split(), strict=True))


def _read_residue_values(values: str) -> dict[str, float]:
    return dict(zip("ARNDCQEGHILKMFPSTWYV", map(float, values.split()), strict=True))


KYTE_DOOLITTLE = _read_residue_values(
    "1.8 -4.5 -3.5 -3.5 2.5 -3.5 -3.5 -0.4 -3.2 4.5 3.8 -3.9 1.9 2.8 -1.6 -0.8 -0.7 -0.9 -1.3 4.2"
)
HELIX = _read_residue_values("142 98 67 101 70 111 151 57 100 108 121 114 145 113 57 77 83 108 69 106")
STRAND = _read_residue_values("83 93 89 54 119 110 37 75 87 160 130 74 105 138 55 75 119 137 147 170")
"""Hydropathy of Kyte and Doolittle (1982); propensities of Chou and Fasman (1978), in hundredths."""
PURINES = {"AGR": "#f3a683", "CTUY": "#7aa6da"}
PURINE_NAMES = {"AGR": "purine", "CTUY": "pyrimidine"}
IDENTITY_STEPS = ((0.4, 0.3, "40 %"), (0.6, 0.6, "60 %"), (0.8, 1.0, "80 %"))
"""Least share of all rows for a letter to be coloured, the strength of the colour, and its name."""
IDENTITY_COLOUR = "#4f81bd"
SHADE_COUNT = 16
PLAIN_STRENGTH = 0.4
"""Strength of the colour of a letter without a colour of its own where letters are not written."""
STRUCTURE_COLOURS = (
    ("HGI", "#d55e00", "helix"),
    ("EB", "#0072b2", "strand"),
    ("TS", "#009e73", "turn"),
    ("<>()[]{}", "#cc79a7", "base pair"),
)
"""Marks of structure annotation (DSSP, and brackets of base pairs), their colours and meanings."""


@dataclass(frozen=True, eq=False)
class CellColours:
    """The colours of all cells. ``palette`` uint8 (n, 3) begins with the background and the colour of letters
    without one; ``codes`` and ``shown_letters`` are arguments of `kernels.alignments.cell_pixels`; ``items`` are
    colours and meanings for a legend. ``reference_row`` is the row others are compared with, whose letters are all
    written, or -1."""

    palette: np.ndarray
    codes: np.ndarray
    shown_letters: np.ndarray
    items: tuple[tuple[str, str], ...] = ()
    reference_row: int = -1

    @property
    def unwritten_palette(self) -> np.ndarray:
        """The palette where letters are not written; letters without a colour still differ from gaps."""
        found = self.palette.copy()
        found[1] = PLAIN_STRENGTH * _parse_rgb(theme.active().muted) + (1 - PLAIN_STRENGTH) * _parse_rgb(
            theme.active().panel
        )
        return found

    @property
    def inks(self) -> np.ndarray:
        """The ink of each colour."""
        light = needs_light_text(self.palette)
        inks = np.where(light[:, None], _parse_rgb(LIGHT_INK.name()), _parse_rgb(DARK_INK.name())).astype(np.uint8)
        inks[0] = _parse_rgb(theme.active().muted)
        inks[1] = _parse_rgb(theme.active().text)
        return inks


@dataclass(frozen=True)
class ColourInputs:
    """What colours may depend on. ``reference`` are the letters of a row or the consensus, uint8; ``agreement`` and
    ``confidence`` are shares from 0 to 1 per column; ``structure`` has one character per column."""

    columns: ColumnCounts | None
    is_protein: bool
    reference: np.ndarray | None = None
    scores: np.ndarray | None = None
    agreement: np.ndarray | None = None
    confidence: np.ndarray | None = None
    structure: str = ""


def _parse_rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.uint8)


def _soften_colour(colour: str, strength: float = 1.0) -> np.ndarray:
    dark = theme.active().name == "dark"
    share = strength * (0.5 if dark else 0.6)
    return (share * _parse_rgb(colour) + (1 - share) * _parse_rgb(theme.active().panel)).astype(np.uint8)


def _start_colours(columns: int) -> tuple[list[np.ndarray], np.ndarray]:
    codes = np.ones((columns, CLASSES), np.uint8)
    codes[:, 0] = 0
    return [_parse_rgb(theme.active().panel), _parse_rgb(theme.active().panel)], codes


def _finish_colours(
    palette: list[np.ndarray], codes: np.ndarray, items: Iterable[tuple[np.ndarray, str]]
) -> CellColours:
    named = tuple((_colour_name(colour), text) for colour, text in items)
    return CellColours(np.array(palette), codes, np.ones((1, CLASSES), np.uint8), named)


def _colour_groups(
    groups: Mapping[str, str], soften: bool = True, names: Mapping[str, str] | None = None
) -> CellColours:
    """Colour groups of letters, the same in all columns."""
    palette, codes = _start_colours(1)
    for letters, colour in groups.items():
        codes[0, LETTER_CLASS[list(letters.encode())]] = len(palette)
        palette.append(_soften_colour(colour) if soften else _parse_rgb(colour))
    meanings = ((names or {}).get(letters, letters) for letters in groups)
    return _finish_colours(palette, codes, zip(palette[2:], meanings, strict=True))


def _colour_name(colour: np.ndarray) -> str:
    return "#" + bytes(colour.tolist()).hex()


def _colour_residues(given: ColourInputs) -> CellColours:
    groups: dict[str, str] = {}
    for letter, colour in theme.active().residues(given.is_protein).items():
        groups[colour] = groups.get(colour, "") + letter
    return _colour_groups({letters: colour for colour, letters in groups.items()}, soften=False)


def _colour_by_scale(values: Mapping[str, float], low: str, high: str, less: str, more: str) -> CellColours:
    """Colour letters between two colours by a value of each letter."""
    least, most = min(values.values()), max(values.values())
    palette, codes = _start_colours(1)
    for letter, value in values.items():
        share = (value - least) / (most - least)
        codes[0, LETTER_CLASS[ord(letter)]] = len(palette)
        mixed = share * _parse_rgb(high).astype(float) + (1 - share) * _parse_rgb(low)
        palette.append(_soften_colour(_colour_name(mixed.astype(np.uint8))))
    return _finish_colours(palette, codes, ((_soften_colour(low), less), (_soften_colour(high), more)))


def _colour_clustal(given: ColourInputs) -> CellColours:
    columns = given.columns
    palette, codes = _start_colours(len(columns))
    known: dict[str, int] = {}
    for colour, letters, rules in CLUSTAL_GROUPS.values():
        if colour not in known:
            known[colour] = len(palette)
            palette.append(_soften_colour(colour))
        allowed = np.full(len(columns), not rules)
        for group, bound in rules:
            allowed |= columns.counts[:, LETTER_CLASS[list(group.encode())]].sum(axis=1) > bound * columns.rows
        for letter in letters:
            codes[allowed, LETTER_CLASS[ord(letter)]] = known[colour]
    meanings = ("hydrophobic", "positive", "negative", "polar", "cysteine", "glycine", "proline", "aromatic")
    return _finish_colours(palette, codes, zip(palette[2:], meanings, strict=True))


def _colour_identity(given: ColourInputs) -> CellColours:
    columns = given.columns
    palette, codes = _start_colours(len(columns))
    for bound, strength, _ in IDENTITY_STEPS:
        palette.append(_soften_colour(IDENTITY_COLOUR, 1.5 * strength))
        for kind in range(1, CLASSES):
            codes[columns.counts[:, kind] > bound * columns.rows, kind] = len(palette) - 1
    codes[:, columns.ambiguous] = 1
    meanings = (f"more than {share}" for _, _, share in IDENTITY_STEPS)
    return _finish_colours(palette, codes, zip(palette[2:], meanings, strict=True))


def _colour_similarity(given: ColourInputs) -> CellColours:
    columns = given.columns
    palette, codes = _start_colours(len(columns))
    palette += [_soften_colour(IDENTITY_COLOUR, 1.5), _soften_colour(IDENTITY_COLOUR, 0.6)]
    reference = LETTER_CLASS[columns.consensus]
    codes[given.scores[reference] > 0] = 3
    codes[np.arange(len(columns)), reference] = 2
    codes[:, columns.ambiguous] = np.minimum(codes[:, columns.ambiguous], 1)
    codes[reference == 0] = 1
    codes[:, 0] = 0
    return _finish_colours(palette, codes, zip(palette[2:], ("as the consensus", "similar by BLOSUM62"), strict=True))


def _colour_differences(given: ColourInputs) -> CellColours:
    """Colour and write only letters that differ from the reference."""
    plain = _colour_residues(given)
    codes = np.repeat(plain.codes, given.reference.size, axis=0)
    shown = np.ones_like(codes)
    kinds, columns = LETTER_CLASS[given.reference], np.arange(given.reference.size)
    there = kinds > 0
    codes[columns[there], kinds[there]] = 1
    shown[columns, kinds] = 0
    ambiguous = AMBIGUOUS_CLASSES[20 if given.is_protein else 4]
    codes[:, ambiguous], shown[:, ambiguous] = plain.codes[:, ambiguous], 1
    return CellColours(plain.palette, codes, shown, plain.items)


def _colour_by_share(shares: np.ndarray, less: str, more: str) -> CellColours:
    """Colour columns by a share from 0 to 1."""
    palette, codes = _start_colours(shares.size)
    palette += [_soften_colour(_mix_colours(step / (SHADE_COUNT - 1)), 1.4) for step in range(SHADE_COUNT)]
    level = np.clip(np.nan_to_num(shares) * SHADE_COUNT, 0, SHADE_COUNT - 1).astype(np.uint8) + 2
    codes[:, 1:] = level[:, None]
    return _finish_colours(palette, codes, ((palette[2], less), (palette[-1], more)))


def _mix_colours(share: float) -> str:
    ends = (np.array((213, 94, 0)), np.array((245, 245, 245)), np.array((0, 114, 178)))
    at = 2 * share
    low, high, part = (ends[0], ends[1], at) if at <= 1 else (ends[1], ends[2], at - 1)
    return _colour_name((low + part * (high - low)).astype(np.uint8))


def _colour_structure(given: ColourInputs) -> CellColours:
    """Colour columns by their structure annotation."""
    marks = np.frombuffer(given.structure.encode("latin-1", "replace"), np.uint8)
    (palette, codes), items = _start_colours(marks.size), []
    for letters, colour, meaning in STRUCTURE_COLOURS:
        there = np.isin(marks, list(letters.encode()))
        codes[there, 1:] = len(palette)
        palette.append(_soften_colour(colour, 1.2))
        if there.any():
            items.append((palette[-1], meaning))
    return _finish_colours(palette, codes, items)


@dataclass(frozen=True)
class ColourScheme:
    """A colour scheme; ``alphabet`` is "protein", "nucleotides" or "" for both. ``needs_counts``: it needs column
    counts; ``against`` "consensus" or "row": what it compares with; ``needed_input``: the field of `ColourInputs` that
    it requires."""

    title: str
    make: Callable[[ColourInputs], CellColours]
    alphabet: str = ""
    needs_counts: bool = False
    against: str = ""
    needed_input: str = ""

    @property
    def by_column(self) -> bool:
        """Whether the colours differ between columns."""
        return bool(self.needs_counts or self.against or self.needed_input)


def _colour_hydropathy(given: ColourInputs) -> CellColours:
    return _colour_by_scale(KYTE_DOOLITTLE, "#3b6fd4", "#e0533d", "hydrophilic", "hydrophobic")


def _colour_agreement(given: ColourInputs) -> CellColours:
    return _colour_by_share(given.agreement, "aligned differently", "aligned alike")


SCHEMES: Mapping[str, ColourScheme] = {
    "residues": ColourScheme("Groups, colour-blind safe", _colour_residues),
    "clustal": ColourScheme("Clustal", _colour_clustal, "protein", needs_counts=True),
    "zappo": ColourScheme("Zappo", lambda given: _colour_groups(ZAPPO), "protein"),
    "taylor": ColourScheme("Taylor", lambda given: _colour_groups(TAYLOR), "protein"),
    "hydropathy": ColourScheme("Hydrophobicity", _colour_hydropathy, "protein"),
    "helix": ColourScheme(
        "Helix propensity", lambda _: _colour_by_scale(HELIX, "#00d000", "#e000e0", "low", "high"), "protein"
    ),
    "strand": ColourScheme(
        "Strand propensity", lambda _: _colour_by_scale(STRAND, "#2a6fdb", "#f0d000", "low", "high"), "protein"
    ),
    "purine": ColourScheme("Purine, pyrimidine", lambda _: _colour_groups(PURINES, names=PURINE_NAMES), "nucleotides"),
    "identity": ColourScheme("Percentage identity", _colour_identity, needs_counts=True),
    "blosum": ColourScheme("BLOSUM62 to the consensus", _colour_similarity, "protein", needs_counts=True),
    "consensus": ColourScheme(
        "Differences from the consensus", _colour_differences, needs_counts=True, against="consensus"
    ),
    "row": ColourScheme("Differences from the row at the cursor", _colour_differences, against="row"),
    "agreement": ColourScheme("Agreement with the other alignment", _colour_agreement, needed_input="agreement"),
    "confidence": ColourScheme(
        "Confidence", lambda it: _colour_by_share(it.confidence, "low", "high"), needed_input="confidence"
    ),
    "structure": ColourScheme("Structure annotation", _colour_structure, needed_input="structure"),
    "none": ColourScheme("No colours", lambda given: _colour_groups({})),
}


DEFAULT_SCHEME = "residues"
"""The first scheme, and the one used while another is not available."""


def available_schemes(protein: bool, missing: Collection[str] = ()) -> dict[str, str]:
    """Return names and titles of the schemes for an alphabet, without those whose input is ``missing``."""
    kind = "protein" if protein else "nucleotides"
    found = {name: scheme for name, scheme in SCHEMES.items() if scheme.alphabet in ("", kind)}
    return {name: scheme.title for name, scheme in found.items() if scheme.needed_input not in missing}


def compares_with_row(name: str) -> bool:
    """Whether a scheme shows differences from the row at the cursor."""
    return name in SCHEMES and SCHEMES[name].against == "row"


def make_colouring(name: str, inputs: ColourInputs) -> CellColours:
    """Return the colours of a scheme, or of `DEFAULT_SCHEME` while its inputs are missing. The reference in ``inputs``
    is the row for schemes that compare with a row."""
    scheme = SCHEMES.get(name, SCHEMES[DEFAULT_SCHEME])
    needed = getattr(inputs, scheme.needed_input) if scheme.needed_input else ()
    if (scheme.needs_counts and inputs.columns is None) or (
        scheme.needed_input and (needed is None or not len(needed))
    ):
        scheme = SCHEMES[DEFAULT_SCHEME]
    if scheme.against == "consensus" and inputs.columns is not None:
        inputs = replace(inputs, reference=inputs.columns.consensus)
    return scheme.make(inputs)


def colour_groups(groups: Mapping[str, str]) -> CellColours:
    """Return the colours of groups of letters, unchanged, in the current theme."""
    return _colour_groups(groups, soften=False)


def read_groups(path: Path) -> dict[str, str]:
    """Read groups of letters and colours, lines such as "AVILM #77aadd"; InputError names a wrong line."""
    groups: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    for number, line in enumerate(lines, 1):
        words = line.replace("=", " ").replace(":", " ").replace(",", "").split()
        if not words or line.lstrip().startswith(("//", "# ")):
            continue
        letters, colour = "".join(words[:-1]).upper(), _parse_colour(words[-1])
        if not letters or not letters.isalpha() or not letters.isascii() or not colour:
            raise InputError(f"{path}, line {number}: {line!r} is not a line such as AVILM #77aadd")
        groups[letters] = colour
    if not groups:
        raise InputError(f"{path} holds no colours; write lines such as AVILM #77aadd")
    return groups


def _parse_colour(word: str) -> str:
    for name in (word, f"#{word}"):
        if len(name) == 7 and name[0] == "#" and QColor.isValidColorName(name):
            return QColor(name).name()
    return QColor(word).name() if word.isalpha() and QColor.isValidColorName(word) else ""
