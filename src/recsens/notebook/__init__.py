"""The Python interface of recsens: one call per step of an experiment, in memory, with the same numbers as a study."""
