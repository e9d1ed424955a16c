"""Coordinates of an experiment's numbers: the dimensions, their names in a study, and the number at some coordinates."""
