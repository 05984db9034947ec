"""How the program meets its user: messages, configuration, and what the shell completes."""
