"""Compiled loops that find the positions of items among a user's targets without sorting all scores.

Each score of a row goes into a cell (`cells`). Only the cells with judged items (`groups`), and those with the first items of the
ranking (`heads`), are opened; an uneven distribution of scores over cells affects only the speed.
"""

from recsens.ranking.kernels.among_targets import JudgedInLayer, Stands, rank_apart, rank_targets

__all__ = ["JudgedInLayer", "Stands", "rank_apart", "rank_targets"]
