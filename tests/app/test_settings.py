"""Settings where nothing can be kept."""

from antidiag.app import settings


def test_settings_that_cannot_be_kept_last_as_long_as_the_window(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(settings.FOLDER_VARIABLE, str(tmp_path / "file" / "settings"))
    found = settings.Settings()
    assert found.number("scale", 100) == 100
    found.put("scale", 150)
    found.save()
    assert found.number("scale", 100) == 150
