"""The views of a result, in the order of their tabs. Each takes a frozen result and the shared selection."""

from functools import cache

from antidiag.app.kit.view import View


@cache
def kinds() -> tuple[type[View], ...]:
    """All views. They are most of what the window loads, so they are imported when they are first asked for."""
    from antidiag.app.views.aligned.view import AlignmentViewer
    from antidiag.app.views.cube.view import CubeView
    from antidiag.app.views.distances.view import DistancesView
    from antidiag.app.views.dotplot.view import DotPlotView
    from antidiag.app.views.graph.view import GraphView
    from antidiag.app.views.growing.view import GrowthView
    from antidiag.app.views.hmm.learning import LearningView
    from antidiag.app.views.hmm.states import StatesView
    from antidiag.app.views.joins.view import JoinsView
    from antidiag.app.views.matrix.view import MatrixView
    from antidiag.app.views.orders.view import OrdersView
    from antidiag.app.views.product.view import ProductView
    from antidiag.app.views.profile.view import ProfileView
    from antidiag.app.views.recursion.view import RecursionView
    from antidiag.app.views.refining.view import RefinementView
    from antidiag.app.views.replay.view import ReplayView
    from antidiag.app.views.run.phases import PhasesView
    from antidiag.app.views.run.timeline import TimelineView
    from antidiag.app.views.structure.chain import OrderView
    from antidiag.app.views.structure.view import StructureView
    from antidiag.app.views.summary.view import SummaryView
    from antidiag.app.views.tree.view import TreeView

    return (
        AlignmentViewer,
        ProfileView,
        TreeView,
        GrowthView,
        RefinementView,
        RecursionView,
        JoinsView,
        DistancesView,
        StatesView,
        LearningView,
        GraphView,
        ProductView,
        StructureView,
        OrderView,
        MatrixView,
        DotPlotView,
        CubeView,
        OrdersView,
        TimelineView,
        ReplayView,
        PhasesView,
        SummaryView,
    )


def load() -> None:
    """Load, on any thread, what the window would wait for when it shows the first result."""
    kinds()
    import numpy as np

    from antidiag.kernels.cpu import jit  # and with it Numba
    from antidiag.kernels.io import aligned_pixels

    jit.prepare()
    aligned_pixels.load(np.zeros((1, 1), np.uint8))  # or compiled code would be loaded while it is painted
