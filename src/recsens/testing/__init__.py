"""Tools for testing plug-ins, including your own: data with known answers, and a search for unused parameters.

Your own recommender should find the withheld items of `checkerboard`, handle each of the `edge_cases`, and compute the same scores
for `crowd` whichever users are scored together. A plug-in of any kind should have no `unread_parameters`.
"""

from recsens.testing._data import Checkerboard, checkerboard, crowd, edge_cases, from_rows
from recsens.testing._parameters import unread_parameters

__all__ = ["Checkerboard", "checkerboard", "crowd", "edge_cases", "from_rows", "unread_parameters"]
