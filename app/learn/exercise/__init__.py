"""Exercises: tables with blanks that are checked while typing, and questions about the next step."""
