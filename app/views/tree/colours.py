"""Colours of branches and names: by patterns of names, by the beginning of names, or by a number of each node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg

from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.tree.layout import has_lengths
from antidiag.app.theme import Theme
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import names_are_values
from antidiag.kernels.io.tree_weights import leaf_weights

STEPS = 24
"""Colours of a scale."""
MAP = "plasma"
RANGES = {"light": (0.0, 0.8), "dark": (0.3, 1.0)}
"""The part of the map that can be seen on the background of each theme."""
WORD = re.compile(r"[^\s_|.:/-]+")


@dataclass(frozen=True, eq=False)
class Colouring:
    """``codes`` is the colour of each node, int16, -1 for none; ``items`` explain them in the legend."""

    codes: np.ndarray
    colours: tuple[str, ...]
    items: tuple[LegendItem, ...] = ()

    def of(self, node: int) -> str | None:
        code = int(self.codes[node])
        return self.colours[code] if code >= 0 else None


def choices(tree: Tree) -> dict[str, str]:
    """Ways to colour that this tree has something for, and their labels."""
    found = {"none": "One colour", "word": "First word of the name"}
    if has_lengths(tree):
        if tree.degrees[0] == 2:
            found["weight"] = "Weight in an alignment"
        found["length"] = "Branch length"
    if names_are_values(tree):
        found["support"] = "Support"
    return found


def colouring(tree: Tree, by: str, patterns: Sequence[str], theme: Theme) -> Colouring:
    """The colouring of one of the `choices`, or of "patterns"; ParameterError for a pattern that is none."""
    if by == "patterns":
        return by_patterns(tree, patterns, theme)
    if by == "word":
        return by_first_word(tree, theme)
    if by == "weight":
        return by_values(tree, weights(tree), "weight", theme)
    if by == "length":
        return by_values(tree, tree.lengths, "branch length", theme)
    if by == "support":
        return by_values(tree, supports(tree), "support", theme)
    return none(tree)


def none(tree: Tree) -> Colouring:
    return Colouring(np.full(len(tree), -1, np.int16), ())


def by_patterns(tree: Tree, patterns: Sequence[str], theme: Theme) -> Colouring:
    """Leaves by the first pattern (a regular expression, in any case) that is found in their names.

    ParameterError names a pattern that is none.
    """
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern, re.IGNORECASE))
        except re.error as error:
            raise ParameterError(f"{pattern!r} is no regular expression: {error}; write \\ before signs") from None
    codes = [next((code for code, pattern in enumerate(compiled) if pattern.search(name)), -1) for name in tree.taxa]
    return _classes(tree, np.array(codes, np.int16), list(patterns), theme)


def by_first_word(tree: Tree, theme: Theme) -> Colouring:
    """Leaves by the first word of their names; the most frequent words get colours, the others none."""
    return by_labels(tree, [found[0] if (found := WORD.search(name)) else "" for name in tree.taxa], theme, 2)


def by_labels(tree: Tree, words: Sequence[str], theme: Theme, least: int = 1) -> Colouring:
    """Leaves by a word of each, "" for none; the most frequent words that ``least`` leaves have get colours."""
    common = [word for word, count in Counter(words).most_common(len(theme.series)) if word and count >= least]
    places = {word: code for code, word in enumerate(common)}
    codes = np.array([places.get(word, -1) for word in words], np.int16)
    return _classes(tree, codes, common, theme)


def by_values(tree: Tree, values: np.ndarray, label: str, theme: Theme) -> Colouring:
    """Nodes by a number, NaN for none, from dark to light."""
    known = ~np.isnan(values)
    if not known.any():
        return none(tree)
    low, high = float(values[known].min()), float(values[known].max())
    codes = np.full(len(tree), -1, np.int16)
    codes[known] = np.clip((values[known] - low) / ((high - low) or 1) * STEPS, 0, STEPS - 1)
    span = np.linspace(*RANGES[theme.name], STEPS)
    colours = tuple(colour.name() for colour in pg.colormap.get(MAP).map(span, mode="qcolor"))
    words = f"{label} {low:.4g} to {high:.4g}" if high > low else f"{label} {low:.4g}"
    return Colouring(codes, colours, (LegendItem("gradient", words, colours[::4]),))


def weights(tree: Tree) -> np.ndarray:
    """The weight of each leaf as ClustalW has it, for this root; of an inner node, the mean of those below it."""
    found = np.zeros(len(tree))
    found[tree.leaves] = leaf_weights(tree)
    return tree.below(found) / tree.leaf_counts


def supports(tree: Tree) -> np.ndarray:
    """The support values of inner nodes, NaN elsewhere."""
    found = np.full(len(tree), np.nan)
    if names_are_values(tree):
        for node in np.flatnonzero(tree.degrees).tolist():
            if tree.names[node]:
                found[node] = float(tree.names[node])
    return found


def _classes(tree: Tree, leaf_codes: np.ndarray, labels: list[str], theme: Theme) -> Colouring:
    """A colour for each class; an inner node has the one that all its leaves have."""
    codes = np.full(len(tree), -1, np.int64)
    codes[tree.leaves] = leaf_codes
    leaf = tree.degrees == 0
    highest = tree.highest_below(np.where(leaf, codes, -2))
    lowest = -tree.highest_below(np.where(leaf, -codes, -len(labels) - 2))
    codes = np.where(highest == lowest, highest, -1).astype(np.int16)
    colours = tuple(theme.series[code % len(theme.series)] for code in range(len(labels)))
    counts = np.bincount(leaf_codes[leaf_codes >= 0], minlength=len(labels))
    items = tuple(
        LegendItem("fill", f"{label} ({count:,})", (colour,))
        for label, colour, count in zip(labels, colours, counts.tolist(), strict=True)
    )
    return Colouring(codes, colours, items)
