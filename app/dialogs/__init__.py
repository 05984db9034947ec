"""Dialogs: preferences, help pages, about."""
