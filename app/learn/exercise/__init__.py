"""Exercises: blanks that are checked as they are typed, and questions about what comes next."""
