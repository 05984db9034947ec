"""The views of a result, in the order of their tabs. Each takes a frozen result and the shared selection."""

from functools import cache

from app.kit.view import View


@cache
def kinds() -> tuple[type[View], ...]:
    """All views. They are most of what the window loads, so they are imported when they are first asked for."""
    from app.views.aligned.view import AlignmentViewer
    from app.views.cube.view import CubeView
    from app.views.distances.view import DistancesView
    from app.views.dotplot.view import DotPlotView
    from app.views.graph.view import GraphView
    from app.views.growing.view import GrowthView
    from app.views.hmm.learning import LearningView
    from app.views.hmm.states import StatesView
    from app.views.joins.view import JoinsView
    from app.views.matrix.view import MatrixView
    from app.views.orders.view import OrdersView
    from app.views.product.view import ProductView
    from app.views.profile.view import ProfileView
    from app.views.recursion.view import RecursionView
    from app.views.refining.view import RefinementView
    from app.views.replay.view import ReplayView
    from app.views.run.phases import PhasesView
    from app.views.run.timeline import TimelineView
    from app.views.structure.chain import OrderView
    from app.views.structure.view import StructureView
    from app.views.summary.view import SummaryView
    from app.views.tree.view import TreeView

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

    from kernels.cpu import jit  # and with it Numba
    from kernels.io import aligned_pixels

    jit.prepare()
    aligned_pixels.load(np.zeros((1, 1), np.uint8))  # or compiled code would be loaded while it is painted
