"""The alignment of many rows: seen from afar to letters, coloured, counted, searched and edited."""
