"""Names without a blank in 150 letters do not widen the window."""

from pathlib import Path

from antidiag.app import application, settings
from antidiag.app.panels.sequence_table import NAME
from antidiag.app.window import Window
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from tests.app.steps import cells

CASES = Path(__file__).parents[1] / "cases" / "seq"


def test_a_warning_with_a_long_name_does_not_widen_the_window(qtbot, folder, monkeypatch):
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    monkeypatch.setattr(Window, "confirm_close", lambda self, jobs: True)
    found = settings.Settings()
    application.make_application(found)
    window = Window(found, registry.METHODS)
    qtbot.addWidget(window)
    window.show()
    window.resize(1300, 800)
    for number, name in enumerate(("w01a_proteins.fa", "w01b_long_named_dna.fa")):
        window.loader.open_paths([CASES / name])
        qtbot.waitUntil(lambda count=4 * number: len(cells(window, NAME)) > count)
    qtbot.waitUntil(lambda: "The types differ: contig" in window.cost.warnings.text())
    assert window.minimumSizeHint().width() < 1000 and window.width() == 1300
    window.close()
