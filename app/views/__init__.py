"""The views of a result, in the order of their tabs."""

from functools import cache

from antidiag.app.kit.view_protocols import ResultView


@cache
def view_classes() -> tuple[type[ResultView], ...]:
    """Return all views; imported on first use, because they are most of what the window loads."""
    from antidiag.app.views.aligned.view import AlignmentViewer
    from antidiag.app.views.cube.view import CubeView
    from antidiag.app.views.distances.view import DistancesView
    from antidiag.app.views.dotplot.view import DotPlotView
    from antidiag.app.views.graph.view import GraphView
    from antidiag.app.views.growth.view import GrowthView
    from antidiag.app.views.hmm.learning import LearningView
    from antidiag.app.views.hmm.states import StatesView
    from antidiag.app.views.joins.view import JoinsView
    from antidiag.app.views.matrix.view import MatrixView
    from antidiag.app.views.orders.view import OrdersView
    from antidiag.app.views.product.view import ProductView
    from antidiag.app.views.profile.view import ProfileView
    from antidiag.app.views.recursion.view import RecursionView
    from antidiag.app.views.refinement.view import RefinementView
    from antidiag.app.views.replay.view import ReplayView
    from antidiag.app.views.run.phases import PhasesView
    from antidiag.app.views.run.timeline import TimelineView
    from antidiag.app.views.search.view import SearchView
    from antidiag.app.views.structure.chain_order import ChainOrderView
    from antidiag.app.views.structure.view import StructureView
    from antidiag.app.views.summary.view import SummaryView
    from antidiag.app.views.tree.tree_view import TreeView

    return (
        SearchView,
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
        ChainOrderView,
        MatrixView,
        DotPlotView,
        CubeView,
        OrdersView,
        TimelineView,
        ReplayView,
        PhasesView,
        SummaryView,
    )


def preload_views() -> None:
    """Load, on any thread, what the window would need for the first result."""
    view_classes()
    import numpy as np

    from antidiag.kernels.alignments import cell_pixels

    cell_pixels.load_compiled_code(np.zeros((1, 1), np.uint8))  # or compiled code would be loaded while it is painted
