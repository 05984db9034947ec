"""Pixels of an alignment: cells as colours, from many cells a pixel to letters many pixels high.

A colour is ``palette[codes[column, class]]``: ``palette`` uint8 (n, 3), ``codes`` uint8 (columns, CLASSES), or (1,
CLASSES) where all columns have the same. Pictures are uint32 (height, width) as 0xffRRGGBB. ``letters`` are `Tiles`,
and ``order`` has the rows of them that are shown, from the top, int64.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.io.aligned_columns import CLASS, CLASSES, Recount, count
from antidiag.kernels.io.aligned_sample import STEP, Sample
from antidiag.kernels.io.cpu_tiles import SHIFT, cell, held
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.monitor import Monitor

OPAQUE = np.uint32(0xFF000000)
SPREAD = (np.arange(64) * 0.6180339887) % 1
"""Where in its share of a pixel's cells one is looked at: evenly spread, for steps of one size fall in with codons."""


def edges(first: float, size: float, pixels: int, count: int) -> np.ndarray:
    """The first cell of each pixel, and the one after the last, int64 (pixels + 1,).

    ``size`` is how many pixels a cell takes, ``first`` the cell, with its fraction, at the first pixel; pixels beyond
    the ``count`` cells have ``count``.
    """
    found = np.floor(first + np.arange(pixels + 1) / size + 1e-9).astype(np.int64)
    return np.clip(found, 0, count)


def cells(letters, order, rows, columns, codes, palette, background, picture, most=2):
    """Paint cells: ``rows`` and ``columns`` are `edges`; a pixel of many cells is the mean of at most most^2 of them.

    ``background`` is the colour beyond the last cell, 0xRRGGBB.
    """
    packed, empty = _packed(palette), OPAQUE | np.uint32(background)
    _cells(letters.table, letters.places, order, rows, columns, CLASS, codes, palette, packed, empty, picture, most)


def sampled(letters, order, rows, columns, codes, palette, background, picture, sample, kept):
    """As `cells` with one cell a pixel, which is one of the sample where its tile is ``kept`` (`Sample.kept`)."""
    count = letters.places.size
    left = columns[:-1][columns[:-1] < count]
    right = np.maximum(columns[1 : left.size + 1], left + 1)
    seen = (left + right - 1) // 2
    near = seen - letters.places[seen] % STEP
    near = np.where(near < left, near + STEP, near)
    there = (near < right) & (letters.places[np.minimum(near, count - 1)] % STEP == 0)
    seen = np.where(there, near, seen)
    stored = letters.places[seen]
    _sampled(letters.table, order, rows, seen, stored, np.where(there, stored // STEP, -1), kept, sample.cells, CLASS,
             codes, _packed(palette), OPAQUE | np.uint32(background), picture)  # fmt: skip


def _packed(palette):
    return OPAQUE | (palette.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32))


@compiled
def _sampled(table, order, rows, seen, stored, at, kept, cells, classes, codes, packed, empty, picture):
    last = codes.shape[0] - 1
    picture[:, seen.size :] = empty
    for y in range(picture.shape[0]):
        top, bottom = rows[y], min(max(rows[y + 1], rows[y] + 1), order.size)
        if top >= order.size:
            picture[y, :] = empty
        elif y > 0 and bottom - top == 1 and rows[y - 1] == top:
            picture[y, :] = picture[y - 1, :]
        else:
            row = order[(top + bottom - 1) // 2]
            for x in range(seen.size):
                if at[x] >= 0 and kept[row, stored[x] >> SHIFT]:
                    letter = cells[row, at[x]]
                else:
                    letter = cell(table, row, stored[x])
                picture[y, x] = packed[codes[min(seen[x], last), classes[letter]]]


@called
def _line(table, row, places, middle, codes, classes, packed, colours, line):
    """Paint a line of pixels of one cell each, those of the columns ``middle``, kept at ``places``, of a row."""
    last = codes.shape[0] - 1
    if last == 0:
        for x in range(middle.size):
            line[x] = colours[cell(table, row, places[x])]
    else:
        for x in range(middle.size):
            line[x] = packed[codes[min(middle[x], last), classes[cell(table, row, places[x])]]]


@compiled
def _cells(table, places, order, rows, columns, classes, codes, palette, packed, empty, picture, most):
    last, width, columns_there = codes.shape[0] - 1, picture.shape[1], places.size
    several, filled = False, 0
    for x in range(width):
        if columns[x] < columns_there:
            filled = x + 1
            several |= columns[x + 1] - columns[x] > 1
    picture[:, filled:] = empty
    middle = np.empty(filled, np.int64)
    for x in range(filled):
        middle[x] = min((columns[x] + max(columns[x + 1], columns[x] + 1) - 1) // 2, columns_there - 1)
    stored = places[middle]
    # Where all columns have the same colours, a letter is one step from its colour.
    colours = np.empty(256, np.uint32)
    for letter in range(256):
        colours[letter] = packed[codes[0, classes[letter]]]
    for y in range(picture.shape[0]):
        top, bottom = rows[y], min(max(rows[y + 1], rows[y] + 1), order.size)
        if top >= order.size:
            picture[y, :] = empty
            continue
        if y > 0 and bottom - top == 1 and rows[y - 1] == top and rows[y] <= top + 1:
            picture[y, :] = picture[y - 1, :]
            continue
        down = min(bottom - top, most)
        if most == 1 or (down == 1 and not several):
            row = order[(top + bottom - 1) // 2]
            _line(table, row, stored, middle, codes, classes, packed, colours, picture[y])
            continue
        for x in range(filled):
            left, right = columns[x], min(max(columns[x + 1], columns[x] + 1), columns_there)
            along = min(right - left, most)
            red, green, blue = 0, 0, 0
            for step in range(down):
                row = order[top + int((step + SPREAD[(7 * step + 3 * x) & 63]) * (bottom - top) / down)]
                for place in range(along):
                    column = left + int((place + SPREAD[(most * step + place + 5 * x) & 63]) * (right - left) / along)
                    code = codes[min(column, last), classes[cell(table, row, places[column])]]
                    red += palette[code, 0]
                    green += palette[code, 1]
                    blue += palette[code, 2]
            seen = down * along
            picture[y, x] = OPAQUE | np.uint32((red // seen) << 16 | (green // seen) << 8 | blue // seen)


def write(letters, order, tops, lefts, first_row, first_column, codes, palette, inks, shown, glyphs, picture):
    """Write the letters of cells over their colours.

    ``tops`` and ``lefts`` are the pixels at which cells begin, int64, the first those of ``first_row`` (a place in
    ``order``) and ``first_column``; ``inks`` uint8 (n, 3) the ink of each colour, ``shown`` uint8 as ``codes`` whether
    a letter is written, ``glyphs`` uint8 (CLASSES, height, width) how much ink each pixel of a letter takes.
    """
    _write(letters.table, letters.places, order, tops, lefts, first_row, first_column, CLASS, codes, _packed(palette),
           inks, shown, glyphs, picture)  # fmt: skip


@compiled
def _write(
    table, places, order, tops, lefts, first_row, first_column, classes, codes, colours, inks, shown, glyphs, picture
):
    last, last_shown = codes.shape[0] - 1, shown.shape[0] - 1
    inked = _inked(glyphs)
    # A letter of one colour is mixed once, and copied from then on.
    number, count = np.full((colours.size, glyphs.shape[0]), -1), 0
    most = min(number.size, tops.size * lefts.size)
    mixed = np.empty((most, glyphs.shape[1], glyphs.shape[2]), np.uint32)
    for down in range(tops.size):
        source, top = order[first_row + down], tops[down]
        for along in range(lefts.size):
            column, left = first_column + along, lefts[along]
            kind = classes[cell(table, source, places[column])]
            if not shown[min(column, last_shown), kind]:
                continue
            code = codes[min(column, last), kind]
            if number[code, kind] < 0:
                _mix(glyphs[kind], colours[code], inks, code, mixed[count])
                number[code, kind] = count
                count += 1
            letter = mixed[number[code, kind]]
            for y in range(max(inked[kind, 0], -top), min(inked[kind, 1], picture.shape[0] - top)):
                for x in range(max(inked[kind, 2], -left), min(inked[kind, 3], picture.shape[1] - left)):
                    share, below = np.uint32(glyphs[kind, y, x]), picture[top + y, left + x]
                    if share:
                        own = below == colours[code]  # and not that of the cell beside it, or of a letter that is there
                        picture[top + y, left + x] = letter[y, x] if own else _mixed(below, inks, code, share)


@called
def _mix(glyph, colour, inks, code, letter):
    """Paint a letter with its ink on a colour."""
    for y in range(glyph.shape[0]):
        for x in range(glyph.shape[1]):
            letter[y, x] = _mixed(colour, inks, code, np.uint32(glyph[y, x]))


@called
def _inked(glyphs):
    """The pixels of each letter that take ink: first line and the one after the last, first and after the last along
    it; int64 (classes, 4)."""
    found = np.zeros((glyphs.shape[0], 4), np.int64)
    for kind in range(glyphs.shape[0]):
        found[kind, 0], found[kind, 2] = glyphs.shape[1], glyphs.shape[2]
        for y in range(glyphs.shape[1]):
            for x in range(glyphs.shape[2]):
                if glyphs[kind, y, x]:
                    found[kind, 0], found[kind, 1] = min(found[kind, 0], y), y + 1
                    found[kind, 2], found[kind, 3] = min(found[kind, 2], x), max(found[kind, 3], x + 1)
    return found


@compiled
def _mixed(pixel, inks, ink, share):
    rest = np.uint32(255) - share
    red = (((pixel >> np.uint32(16)) & np.uint32(255)) * rest + np.uint32(inks[ink, 0]) * share) // np.uint32(255)
    green = (((pixel >> np.uint32(8)) & np.uint32(255)) * rest + np.uint32(inks[ink, 1]) * share) // np.uint32(255)
    blue = ((pixel & np.uint32(255)) * rest + np.uint32(inks[ink, 2]) * share) // np.uint32(255)
    return np.uint32(OPAQUE) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue


def bars(values: np.ndarray, columns: np.ndarray, colour: int, picture: np.ndarray) -> None:
    """Paint a bar a pixel over ``picture``: the largest of the ``values``, 0 to 1 (columns,), that `edges` give it."""
    width, height = columns.size - 1, picture.shape[0]
    inside = columns[:-1] < values.size
    if not inside.any():
        return
    starts = columns[:-1][inside]
    stops = np.maximum(columns[1:][inside], starts + 1)
    single = (stops - starts).max() == 1
    tallest = values[starts] if single else np.maximum.reduceat(values[: stops[-1]], starts)
    heights = np.zeros(width, np.int64)
    heights[inside] = np.ceil(np.clip(tallest, 0, 1) * height)
    picture[(height - np.arange(height))[:, None] <= heights[None, :]] = OPAQUE | np.uint32(colour)


@compiled
def logo(counts, information, skipped, scale, columns, glyphs, colours, picture):
    """Paint a sequence logo: letters stand on each other, each as high as its share of the column's ``information`` in
    bits times ``scale`` pixels, the most frequent on top, without the class ``skipped``; ``columns`` are
    `edges`, ``colours`` uint8 (CLASSES, 3)."""
    height, depth, breadth = picture.shape[0], glyphs.shape[1], glyphs.shape[2]
    order = np.empty(counts.shape[1], np.int64)
    start = 0
    while start < columns.size - 1 and columns[start] < counts.shape[0]:
        column, stop = columns[start], start + 1
        while stop < columns.size - 1 and columns[stop] == column:
            stop += 1
        total, found = 0, 0
        for kind in range(1, counts.shape[1]):
            amount = counts[column, kind]
            if amount and kind != skipped:
                total += amount
                place = found
                while place > 0 and counts[column, order[place - 1]] > amount:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = kind
                found += 1
        base = float(height)
        for place in range(found):
            kind = order[place]
            tall = information[column] * scale * counts[column, kind] / total
            top = base - tall
            for y in range(max(0, round(top)), min(height, round(base))):
                across = min(depth - 1, max(0, int((y + 0.5 - top) / tall * depth)))
                for x in range(start, stop):
                    along = min(breadth - 1, int((x + 0.5 - start) / (stop - start) * breadth))
                    share = np.uint32(255) if stop - start < 4 else np.uint32(glyphs[kind, across, along])
                    if share:
                        picture[y, x] = _mixed(picture[y, x], colours, kind, share)
            base = top
        start = stop


def load(letters: np.ndarray) -> None:
    """Load the compiled code that counts, paints and edits an alignment like this one, uint8 (rows, columns): by doing
    it with a corner, on any thread, so that neither the first picture nor the first edit need wait."""
    corner = letters[:1, :1]
    tiles, one, counts = Tiles.of(corner), np.arange(1), np.zeros((1, CLASSES), np.int32)
    for some in (letters[:1], tiles[:], tiles):
        count(some)
    Recount(count(tiles), tiles, tiles.with_cells(one, 0, np.zeros((1, 1), np.uint8))).columns()
    held(tiles.table, np.zeros(1, np.uint64), np.zeros(1, np.bool_))
    tiles.others(0, slice(1), 0)  # which is said of the cursor
    codes, palette, glyphs = (np.zeros(shape, np.uint8) for shape in ((1, CLASSES), (2, 3), (CLASSES, 1, 1)))
    picture, places = np.zeros((1, 1), np.uint32), edges(0.0, 1.0, 1, 1)
    counts.setflags(write=False)
    cells(tiles, one, places, places, codes, palette, 0, picture)
    sample = Sample(tiles, Monitor())
    sampled(tiles, one, places, places, codes, palette, 0, picture, sample, sample.kept(tiles.table))
    write(tiles, one, one, one, 0, 0, codes, palette, palette, codes, glyphs, picture)
    colours = np.zeros((CLASSES, 3), np.uint8)
    logo(counts, np.zeros(1, np.float32), 0, np.float64(1), places, glyphs, colours, picture)
