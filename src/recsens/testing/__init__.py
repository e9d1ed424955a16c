"""What tests of plug-ins need, including your own: data with known answers, and a look for parameters that nothing reads.

A recommender of your own should find the withheld items of `checkerboard`, survive every one of `edge_cases`, and score `crowd`
alike whichever users are asked for together. A plug-in of any kind should have no `unread_parameters`.
"""

from recsens.testing._data import Checkerboard, checkerboard, crowd, edge_cases, from_rows
from recsens.testing._parameters import unread_parameters

__all__ = ["Checkerboard", "checkerboard", "crowd", "edge_cases", "from_rows", "unread_parameters"]
