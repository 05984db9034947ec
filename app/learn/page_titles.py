"""The titles of the pages of Learn and their commands, which the command search finds before the pages are made."""

from __future__ import annotations

CLASSES_TITLE, WALKTHROUGH_TITLE, LECTURES_TITLE, EXERCISES_TITLE = (
    "The four classes",
    "Step by step",
    "Lectures",
    "Exercises",
)
PAGE_COMMANDS = {
    WALKTHROUGH_TITLE: (
        "Go to the start (Home)",
        "One step back (Left)",
        "Play or pause (Space)",
        "One step forward (Right)",
        "Go to the end (End)",
        *(f"Speed: {speed} / s" for speed in ("0.5", "1", "2", "4", "10", "25")),
        "Scene\u2026: Add this to the open lecture",
        "Copy the picture",
        "Save this step, an animation, or an HTML page",
        *(f"Clock: Same {clock}" for clock in ("steps", "modelled time", "measured time")),
        *(f"Colours: {meaning}" for meaning in ("Progress", "Worker", "Memory", "Best paths")),
        "Returned path",
    ),
    LECTURES_TITLE: (
        "Open a lecture file",
        "Present: Full screen",
        "New: Start an empty lecture",
        "Edit the texts of this scene",
        "Move this scene up",
        "Move this scene down",
        "Remove this scene",
        "Undo the last change",
        "Save the lecture to a file",
        "Presenter view: Show the lecture and, beside it, text and next scene",
        "Handout\u2026: Save all scenes with their texts as PDF or HTML",
    ),
    EXERCISES_TITLE: (
        "Worksheet\u2026: Save 3 exercises and their solutions as PDF",
        "Hint",
        "Reveal",
        "Next question",
    ),
}
"""The commands of pages by their titles, as `list_view_commands` reads them from the widgets."""


def page_titles() -> list[str]:
    """Return the titles of all pages, in their order."""
    from antidiag.app.learn.guidelines import GUIDELINES
    from antidiag.kernels.cuda import guideline_timings

    guided = [guideline.title for guideline in (*GUIDELINES, *guideline_timings.GUIDELINES)]
    return [CLASSES_TITLE, WALKTHROUGH_TITLE, LECTURES_TITLE, EXERCISES_TITLE, *guided]
