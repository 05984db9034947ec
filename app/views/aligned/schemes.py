"""Colours of cells: a palette, and which colour each letter has in each column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from PySide6.QtGui import QColor

from antidiag.app import theme
from antidiag.app.kit.ink import DARK_INK, LIGHT_INK, needs_light_ink
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_columns import CLASS, CLASSES, Columns

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
"""The rules of ClustalX: a colour, its letters, and of which letters a share of all rows must be more than which bound,
one of these being enough. Of two rules for a letter the later one counts."""
ZAPPO = {"ILVAM": "#ffafaf", "FWY": "#ffc800", "KRH": "#6464ff", "DE": "#ff0000", "STNQ": "#00e000", "PG": "#ff00ff",
         "C": "#e6e600"}  # fmt: skip
TAYLOR = {
    "V": "#99ff00", "I": "#66ff00", "L": "#33ff00", "F": "#00ff66", "Y": "#00ffcc", "W": "#00ccff", "H": "#0066ff",
    "R": "#0000ff", "K": "#6600ff", "N": "#cc00ff", "Q": "#ff00cc", "E": "#ff0066", "D": "#ff0000", "S": "#ff3300",
    "T": "#ff6600", "G": "#ff9900", "P": "#ffcc00", "C": "#ffff00", "A": "#ccff00", "M": "#00ff00",
}  # fmt: skip
KYTE_DOOLITTLE = dict(zip("ARNDCQEGHILKMFPSTWYV", (1.8, -4.5, -3.5, -3.5, 2.5, -3.5, -3.5, -0.4, -3.2, 4.5, 3.8, -3.9,
                          1.9, 2.8, -1.6, -0.8, -0.7, -0.9, -1.3, 4.2), strict=True))  # fmt: skip
HELIX = dict(zip("ARNDCQEGHILKMFPSTWYV", (142, 98, 67, 101, 70, 111, 151, 57, 100, 108, 121, 114, 145, 113, 57, 77, 83,
                 108, 69, 106), strict=True))  # fmt: skip
STRAND = dict(zip("ARNDCQEGHILKMFPSTWYV", (83, 93, 89, 54, 119, 110, 37, 75, 87, 160, 130, 74, 105, 138, 55, 75, 119,
                  137, 147, 170), strict=True))  # fmt: skip
"""Hydropathy of Kyte and Doolittle (1982); propensities of Chou and Fasman (1978), in hundredths."""
PURINES = {"AGR": "#f3a683", "CTUY": "#7aa6da"}
IDENTITY_STEPS = ((0.4, 0.3, "40 %"), (0.6, 0.6, "60 %"), (0.8, 1.0, "80 %"))
"""Shares of all rows from which on a letter is coloured, how strongly, and their names."""
ALIKE = "#4f81bd"
SHADES = 16
PLAIN = 0.4
"""How strong the colour of a letter without one is where it is not written."""
STRUCTURES = (("HGI", "#d55e00", "helix"), ("EB", "#0072b2", "strand"), ("TS", "#009e73", "turn"),
              ("<>()[]{}", "#cc79a7", "base pair"))  # fmt: skip
"""Characters of structure annotation (those of DSSP, and brackets of paired bases), their colours and meanings."""


@dataclass(frozen=True, eq=False)
class Colouring:
    """``palette`` uint8 (n, 3), the first the background and the second of a letter without a colour; ``codes`` and
    ``shown`` as `kernels.io.aligned_pixels` takes them; ``items`` are colours and their meanings, for a legend. All
    letters are written of the row ``whole``, which others are compared with; -1 for none."""

    palette: np.ndarray
    codes: np.ndarray
    shown: np.ndarray
    items: tuple[tuple[str, str], ...] = ()
    whole: int = -1

    @property
    def unwritten(self) -> np.ndarray:
        """The palette where no letters are written, in which one without a colour is still told from a gap."""
        found = self.palette.copy()
        found[1] = PLAIN * _rgb(theme.active().muted) + (1 - PLAIN) * _rgb(theme.active().panel)
        return found

    @property
    def inks(self) -> np.ndarray:
        """The ink of each colour."""
        light = needs_light_ink(self.palette)
        inks = np.where(light[:, None], _rgb(LIGHT_INK.name()), _rgb(DARK_INK.name())).astype(np.uint8)
        inks[0] = _rgb(theme.active().muted)
        inks[1] = _rgb(theme.active().text)
        return inks


@dataclass(frozen=True)
class Given:
    """What colours may depend on; ``reference`` are the letters of a row, or the consensus, uint8; ``agreement`` and
    ``confidence`` a share a column, from 0 to 1; ``structure`` a character a column."""

    columns: Columns | None
    protein: bool
    reference: np.ndarray | None = None
    scores: np.ndarray | None = None
    agreement: np.ndarray | None = None
    confidence: np.ndarray | None = None
    structure: str = ""


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.uint8)


def _softened(colour: str, strength: float = 1.0) -> np.ndarray:
    """A strong colour as the background of a letter, in the theme that is on; less of it by its ``strength``."""
    dark = theme.active().name == "dark"
    share = strength * (0.5 if dark else 0.6)
    return (share * _rgb(colour) + (1 - share) * _rgb(theme.active().panel)).astype(np.uint8)


def _base() -> list[np.ndarray]:
    return [_rgb(theme.active().panel), _rgb(theme.active().panel)]


def _by_letters(groups: Mapping[str, str], soften: bool = True, names: Mapping[str, str] | None = None) -> Colouring:
    """Colours of groups of letters, the same in all columns."""
    palette, codes = _base(), np.ones((1, CLASSES), np.uint8)
    codes[0, 0] = 0
    items = []
    for letters, colour in groups.items():
        codes[0, CLASS[list(letters.encode())]] = len(palette)
        palette.append(_softened(colour) if soften else _rgb(colour))
        items.append((_name(palette[-1]), (names or {}).get(letters, letters)))
    return Colouring(np.array(palette), codes, _all_shown(), tuple(items))


def _all_shown() -> np.ndarray:
    return np.ones((1, CLASSES), np.uint8)


def _name(colour: np.ndarray) -> str:
    return "#" + bytes(colour.tolist()).hex()


def _residues(given: Given) -> Colouring:
    groups: dict[str, str] = {}
    for letter, colour in theme.active().residues(given.protein).items():
        groups[colour] = groups.get(colour, "") + letter
    return _by_letters({letters: colour for colour, letters in groups.items()}, soften=False)


def _scale(values: Mapping[str, float], low: str, high: str, less: str, more: str) -> Colouring:
    """Colours between two, by a value of each letter."""
    least, most = min(values.values()), max(values.values())
    palette, codes = _base(), np.ones((1, CLASSES), np.uint8)
    codes[0, 0] = 0
    for letter, value in values.items():
        share = (value - least) / (most - least)
        codes[0, CLASS[ord(letter)]] = len(palette)
        mixed = share * _rgb(high).astype(float) + (1 - share) * _rgb(low)
        palette.append(_softened(_name(mixed.astype(np.uint8))))
    ends = (_name(_softened(low)), less), (_name(_softened(high)), more)
    return Colouring(np.array(palette), codes, _all_shown(), ends)


def _clustal(given: Given) -> Colouring:
    columns = given.columns
    palette, codes = _base(), np.ones((len(columns), CLASSES), np.uint8)
    codes[:, 0] = 0
    known: dict[str, int] = {}
    for colour, letters, rules in CLUSTAL_GROUPS.values():
        if colour not in known:
            known[colour] = len(palette)
            palette.append(_softened(colour))
        allowed = np.full(len(columns), not rules)
        for group, bound in rules:
            allowed |= columns.counts[:, CLASS[list(group.encode())]].sum(axis=1) > bound * columns.rows
        for letter in letters:
            codes[allowed, CLASS[ord(letter)]] = known[colour]
    meanings = ("hydrophobic", "positive", "negative", "polar", "cysteine", "glycine", "proline", "aromatic")
    items = tuple((_name(palette[code]), word) for code, word in zip(known.values(), meanings, strict=True))
    return Colouring(np.array(palette), codes, _all_shown(), items)


def _identity(given: Given) -> Colouring:
    columns = given.columns
    palette, codes = _base(), np.ones((len(columns), CLASSES), np.uint8)
    codes[:, 0] = 0
    for bound, strength, _ in IDENTITY_STEPS:
        palette.append(_softened(ALIKE, 1.5 * strength))
        for kind in range(1, CLASSES):
            codes[columns.counts[:, kind] > bound * columns.rows, kind] = len(palette) - 1
    items = tuple((_name(palette[code + 2]), f"more than {said}") for code, (_, _, said) in enumerate(IDENTITY_STEPS))
    return Colouring(np.array(palette), codes, _all_shown(), items)


def _similar(given: Given) -> Colouring:
    columns = given.columns
    palette = [*_base(), _softened(ALIKE, 1.5), _softened(ALIKE, 0.6)]
    codes = np.ones((len(columns), CLASSES), np.uint8)
    reference = CLASS[columns.consensus]
    codes[given.scores[reference] > 0] = 3
    codes[np.arange(len(columns)), reference] = 2
    codes[reference == 0] = 1
    codes[:, 0] = 0
    items = (_name(palette[2]), "as the consensus"), (_name(palette[3]), "alike by BLOSUM62")
    return Colouring(np.array(palette), codes, _all_shown(), items)


def _differences(given: Given) -> Colouring:
    """Colours only where a letter is another than that of the reference, and letters only there."""
    plain = _residues(given)
    codes = np.repeat(plain.codes, given.reference.size, axis=0)
    shown = np.ones_like(codes)
    kinds, columns = CLASS[given.reference], np.arange(given.reference.size)
    there = kinds > 0
    codes[columns[there], kinds[there]] = 1
    shown[columns, kinds] = 0
    return Colouring(plain.palette, codes, shown, plain.items)


def _by_share(shares: np.ndarray, less: str, more: str) -> Colouring:
    """Colours of columns, from 0 to 1."""
    steps = [_mixed(step / (SHADES - 1)) for step in range(SHADES)]
    palette = [*_base(), *(_softened(colour, 1.4) for colour in steps)]
    level = np.clip(np.nan_to_num(shares) * SHADES, 0, SHADES - 1).astype(np.uint8) + 2
    codes = np.repeat(level[:, None], CLASSES, axis=1)
    codes[:, 0] = 0
    return Colouring(np.array(palette), codes, _all_shown(), ((_name(palette[2]), less), (_name(palette[-1]), more)))


def _mixed(share: float) -> str:
    """Between orange and blue, over white."""
    ends = (np.array((213, 94, 0)), np.array((245, 245, 245)), np.array((0, 114, 178)))
    at = 2 * share
    low, high, part = (ends[0], ends[1], at) if at <= 1 else (ends[1], ends[2], at - 1)
    return _name((low + part * (high - low)).astype(np.uint8))


def _structure(given: Given) -> Colouring:
    """Colours of columns by what the file says of the structure in them."""
    marks = np.frombuffer(given.structure.encode("latin-1", "replace"), np.uint8)
    palette, items = _base(), []
    codes = np.ones((marks.size, CLASSES), np.uint8)
    for letters, colour, meaning in STRUCTURES:
        there = np.isin(marks, list(letters.encode()))
        codes[there] = len(palette)
        palette.append(_softened(colour, 1.2))
        if there.any():
            items.append((_name(palette[-1]), meaning))
    codes[:, 0] = 0
    return Colouring(np.array(palette), codes, _all_shown(), tuple(items))


@dataclass(frozen=True)
class Scheme:
    """``title`` on the menu; ``alphabet`` "protein", "nucleotides" or "" for both; ``make`` its colours.

    ``counted``: it needs the counts of columns; ``against`` "consensus" or "row": what it compares with; ``needs`` the
    field of `Given` without which it has no colours.
    """

    title: str
    make: Callable[[Given], Colouring]
    alphabet: str = ""
    counted: bool = False
    against: str = ""
    needs: str = ""

    @property
    def by_column(self) -> bool:
        """Whether the colours differ from one column to the next."""
        return bool(self.counted or self.against or self.needs)


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "residues": Scheme("Groups, safe for colour-blind eyes", _residues),
        "clustal": Scheme("Clustal", _clustal, "protein", counted=True),
        "zappo": Scheme("Zappo", lambda given: _by_letters(ZAPPO), "protein"),
        "taylor": Scheme("Taylor", lambda given: _by_letters(TAYLOR), "protein"),
        "hydropathy": Scheme("Hydrophobicity", lambda given: _scale(KYTE_DOOLITTLE, "#3b6fd4", "#e0533d",
                             "hydrophilic", "hydrophobic"), "protein"),
        "helix": Scheme("Helix propensity", lambda given: _scale(HELIX, "#00d000", "#e000e0", "low", "high"),
                        "protein"),
        "strand": Scheme("Strand propensity", lambda given: _scale(STRAND, "#2a6fdb", "#f0d000", "low", "high"),
                         "protein"),
        "purine": Scheme("Purine, pyrimidine", lambda given: _by_letters(PURINES, names={"AGR": "purine", "CTUY":
                         "pyrimidine"}), "nucleotides"),
        "identity": Scheme("Percentage identity", _identity, counted=True),
        "blosum": Scheme("BLOSUM62 to the consensus", _similar, "protein", counted=True),
        "consensus": Scheme("Differences from the consensus", _differences, counted=True, against="consensus"),
        "row": Scheme("Differences from the row at the cursor", _differences, against="row"),
        "agreement": Scheme("Agreement with the other alignment",
                            lambda given: _by_share(given.agreement, "elsewhere", "together"), needs="agreement"),
        "confidence": Scheme("Confidence of the columns",
                             lambda given: _by_share(given.confidence, "unsure", "sure"), needs="confidence"),
        "structure": Scheme("Structure annotation", _structure, needs="structure"),
        "none": Scheme("No colours", lambda given: _by_letters({})),
    }
)  # fmt: skip


FIRST = "residues"
"""The scheme to begin with, and while another one cannot be had."""


def available(protein: bool, lacking: Collection[str] = ()) -> dict[str, str]:
    """Names and titles of the schemes for proteins, or for nucleotides, without those that need what is ``lacking``."""
    kind = "protein" if protein else "nucleotides"
    return {name: scheme.title for name, scheme in SCHEMES.items()
            if scheme.alphabet in ("", kind) and scheme.needs not in lacking}  # fmt: skip


def against_row(name: str) -> bool:
    """Whether a scheme shows what is other than in the row at the cursor."""
    return name in SCHEMES and SCHEMES[name].against == "row"


def colouring(name: str, given: Given) -> Colouring:
    """The colours of a scheme, or those of groups of letters while what it needs is not there.

    The reference that is ``given`` is the row that the scheme may compare with.
    """
    scheme = SCHEMES.get(name, SCHEMES[FIRST])
    if (scheme.counted and given.columns is None) or (scheme.needs and not _given(given, scheme.needs)):
        scheme = SCHEMES["residues"]
    if scheme.against == "consensus" and given.columns is not None:
        given = replace(given, reference=given.columns.consensus)
    return scheme.make(given)


def _given(given: Given, name: str) -> bool:
    value = getattr(given, name)
    return value is not None and len(value) > 0


def of_groups(groups: Mapping[str, str]) -> Colouring:
    """The colours of groups of letters, such as those from a file, as they are, in the theme that is on."""
    return _by_letters(groups, soften=False)


def from_file(path: Path) -> dict[str, str]:
    """The groups of a scheme of the user's and their colours: lines as "AVILM #77aadd"; InputError names the line."""
    groups: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    for number, line in enumerate(lines, 1):
        words = line.replace("=", " ").replace(":", " ").replace(",", "").split()
        if not words or line.lstrip().startswith(("//", "# ")):
            continue
        letters, colour = "".join(words[:-1]).upper(), _colour(words[-1])
        if not letters or not letters.isalpha() or not letters.isascii() or not colour:
            raise InputError(f"{path}, line {number}: {line!r} is no letters and a colour, such as AVILM #77aadd")
        groups[letters] = colour
    if not groups:
        raise InputError(f"{path}: no colours in it; give lines such as AVILM #77aadd")
    return groups


def _colour(word: str) -> str:
    """A colour as "#77aadd", of "77AADD" or a name such as "orange" too; "" where it is none."""
    for name in (word, f"#{word}"):
        if len(name) == 7 and name[0] == "#" and QColor.isValidColorName(name):
            return QColor(name).name()
    return QColor(word).name() if word.isalpha() and QColor.isValidColorName(word) else ""
