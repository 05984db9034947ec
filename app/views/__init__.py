"""The views of a result, in the order of their tabs. Each takes a frozen result and the shared selection."""

from app.views.alignment import AlignmentView
from app.views.arcs import StructureView
from app.views.chain import OrderView
from app.views.cube import CubeView
from app.views.distances import DistancesView
from app.views.dotplot import DotPlotView
from app.views.graph import GraphView
from app.views.joins import JoinsView
from app.views.learning import LearningView
from app.views.matrix import MatrixView
from app.views.orders import OrdersView
from app.views.phases import PhasesView
from app.views.rows import RowsView
from app.views.states import StatesView
from app.views.summary import SummaryView
from app.views.timeline import TimelineView
from app.views.tree import TreeView

VIEWS = (
    AlignmentView,
    RowsView,
    TreeView,
    JoinsView,
    DistancesView,
    StatesView,
    LearningView,
    GraphView,
    StructureView,
    OrderView,
    MatrixView,
    DotPlotView,
    CubeView,
    OrdersView,
    TimelineView,
    PhasesView,
    SummaryView,
)
