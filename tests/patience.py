"""How long a test waits for what must come before it is taken for lost; a busy machine may need long."""

PATIENCE_S = 300.0
PATIENCE_MS = int(1000 * PATIENCE_S)
