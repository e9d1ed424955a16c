"""recsens's Python interface: one call per step of an experiment, in memory, with the same numbers as a study."""
