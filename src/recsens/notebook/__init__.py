"""The Python interface of recsens: one call per step of an experiment, in memory; results are the same as in a study."""
