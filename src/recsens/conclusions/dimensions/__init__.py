"""The space of an experiment's numbers: along what they differ, how a study names that, and the number at some coordinates."""
