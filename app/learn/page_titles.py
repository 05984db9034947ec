"""The titles of the pages of Learn, which the command search finds before the pages are made."""

from __future__ import annotations

CLASSES_TITLE, WALKTHROUGH_TITLE, LECTURES_TITLE, EXERCISES_TITLE = (
    "The four classes",
    "Step by step",
    "Lectures",
    "Exercises",
)


def page_titles() -> list[str]:
    """Return the titles of all pages, in their order."""
    from antidiag.app.learn.guidelines import GUIDELINES
    from antidiag.kernels.cuda import guideline_timings

    guided = [guideline.title for guideline in (*GUIDELINES, *guideline_timings.GUIDELINES)]
    return [CLASSES_TITLE, WALKTHROUGH_TITLE, LECTURES_TITLE, EXERCISES_TITLE, *guided]
