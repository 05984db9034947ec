"""Dialogs: preferences, profiles, shortcuts, help pages, and questions before data is lost."""
