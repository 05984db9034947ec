"""CheckpointedAlignment: the best alignment in linear memory, with special rows and columns kept."""
