"""OrderView: the best order of a matrix chain as a tree, with the size and cost of every product."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PaintedView, PictureCanvas
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.kernels.folding.problem import ChainProblem
from antidiag.kernels.model import Result

HEIGHT, GAP = 40, 10
WIDEST = 150.0  # largest width of a product in pixels
BRACKETS = 26
MOST_DRAWN = 400  # most matrices of a chain with a tree


@dataclass(frozen=True)
class ChainProduct:
    """Matrices ``first`` to ``last`` (from 0, inclusive): one matrix, or a product of two parts."""

    first: int
    last: int
    depth: int
    shape: tuple[int, int]
    cost: int
    total: int
    parts: tuple[int, int] | None = None


class ChainOrderView(PaintedView):
    """The product with brackets, and below it the tree of the multiplication order."""

    id = "order"
    title = "Order"
    hint = "Point at a product to see its factors and its cost"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.products: tuple[ChainProduct, ...] = ()
        self._pointed: int | None = None
        self.plane = PictureCanvas(self.draw)
        self.plane.setAccessibleName("Order of the product")
        self.build_layout(self.plane)
        self.plane.pointed.connect(self._on_pointed)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.problem, ChainProblem)

    def show_result(self, result: Result | None) -> None:
        """Show the order of a result, or nothing."""
        result = result if result is not None and self.shows(result) else None
        self.result, self._pointed = result, None
        self._tools.setEnabled(result is not None)
        self.products = list_products(result) if result and result.problem.n <= MOST_DRAWN else ()
        self._update_legend()
        self.show_status("")
        self.plane.update()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the order of the products."""
        if self.result is None:
            return
        colours, metrics = theme.active(), painter.fontMetrics()
        painter.setPen(QColor(colours.text))
        order = metrics.elidedText(
            self.result.answer.format_order(self.result.problem), Qt.TextElideMode.ElideRight, int(area.width()) - 16
        )
        painter.drawText(QRectF(area.left(), area.top(), area.width(), BRACKETS), Qt.AlignmentFlag.AlignCenter, order)
        if not self.products:
            text = f"The tree is drawn for at most {MOST_DRAWN:,} matrices; the summary shows the whole order."
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        boxes = self.product_boxes(area)
        for product, box in zip(self.products, boxes, strict=True):
            for part in product.parts or ():
                painter.setPen(QPen(QColor(colours.muted), 1.2))
                top = QPointF(boxes[part].center().x(), boxes[part].top())
                painter.drawLine(QPointF(box.center().x(), box.bottom()), top)
        inside = set(self._contained_products(self._pointed)) if self._pointed is not None else set()
        for number, (product, box) in enumerate(zip(self.products, boxes, strict=True)):
            self._draw_product(painter, product, box, number == self._pointed, number in inside)

    def product_boxes(self, area: QRectF) -> list[QRectF]:
        """Return the rectangle of each product: above the middle of its matrices, at its depth."""
        column = area.width() / max(self.result.problem.n, 1)
        deepest = max(product.depth for product in self.products)
        room = area.height() - BRACKETS - 2 * GAP
        step = min(room / (deepest + 1), HEIGHT + 34)
        width = min(max(column - GAP, 8), WIDEST)
        height = min(HEIGHT, max(step - 8, 6))
        found = []
        for product in self.products:
            x = area.left() + (product.first + product.last + 1) / 2 * column
            y = area.top() + BRACKETS + GAP + product.depth * step
            found.append(QRectF(x - width / 2, y, width, height))
        return found

    def _draw_product(self, painter: QPainter, product: ChainProduct, box: QRectF, pointed: bool, inside: bool) -> None:
        colours = theme.active()
        outline = colours.path if pointed else colours.accent if product.parts else colours.border
        fill = colours.selection if inside else colours.panel if product.parts else colours.background
        painter.setPen(QPen(QColor(outline), 1.6))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box, 5, 5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        rows, columns = product.shape
        name = f"A{product.first + 1}" if product.parts is None else result_text.format_number(product.cost)
        size = f"{rows:,} {result_text.TIMES} {columns:,}"
        lines = [name, size] if painter.fontMetrics().horizontalAdvance(size) + 6 <= box.width() else [name]
        widest = max(painter.fontMetrics().horizontalAdvance(line) for line in lines)
        if widest + 4 <= box.width() and len(lines) * painter.fontMetrics().height() <= box.height() + 2:
            painter.setPen(QColor(colours.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))

    def _contained_products(self, number: int) -> list[int]:
        """Return the index of a product and of everything it contains."""
        parts = self.products[number].parts or ()
        return [number, *(below for part in parts for below in self._contained_products(part))]

    def _on_pointed(self, place: QPointF | None) -> None:
        boxes = self.product_boxes(QRectF(self.plane.rect())) if self.products and place is not None else []
        self._pointed = next((k for k, box in enumerate(boxes) if box.contains(place)), None)
        self.show_status(self._product_text(self.products[self._pointed]) if self._pointed is not None else "")
        self.plane.update()

    def _product_text(self, product: ChainProduct) -> str:
        rows, columns = product.shape
        if product.parts is None:
            return f"A{product.first + 1}: {rows:,} {result_text.TIMES} {columns:,}"
        left, right = (self.products[part] for part in product.parts)
        shapes = [f"({part.shape[0]:,} {result_text.TIMES} {part.shape[1]:,})" for part in (left, right)]
        return (
            f"A{product.first + 1}..A{product.last + 1}: {shapes[0]} {result_text.DOT} {shapes[1]} "
            f"needs {product.cost:,} multiplications, {product.total:,} including its factors"
        )

    def _update_legend(self) -> None:
        if self.result is None:
            self.legend.show_items(())
            return
        colours = theme.active()
        product = LegendItem("outline", "product: multiplications and size", (colours.accent,))
        total = LegendItem("text", f"{self.result.answer.cost:,} multiplications in total")
        self.legend.show_items((product, LegendItem("fill", "matrix", (colours.border,)), total))

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        super().apply_theme()
        self._update_legend()


def list_products(result: Result) -> tuple[ChainProduct, ...]:
    """Return every matrix and product of the best order, the whole product first."""
    sizes, n = result.problem.dimensions, result.problem.n
    splits = {(first, last): split for first, split, last in result.answer.splits.tolist()}
    found: list[ChainProduct] = []

    def add(first: int, last: int, depth: int) -> int:
        number = len(found)
        found.append(ChainProduct(first, last, depth, (sizes[first], sizes[last + 1]), 0, 0))
        if first < last:
            split = splits[first, last]
            left, right = add(first, split, depth + 1), add(split + 1, last, depth + 1)
            cost = sizes[first] * sizes[split + 1] * sizes[last + 1]
            total = cost + found[left].total + found[right].total
            found[number] = ChainProduct(first, last, depth, found[number].shape, cost, total, (left, right))
        return number

    add(0, n - 1, 0)
    return tuple(found)
