"""Widgets and layouts: forms, editors, menus, docks, icons."""
