"""The library's interface for Python: one call for each step of an experiment, in memory, with the numbers of a study."""
