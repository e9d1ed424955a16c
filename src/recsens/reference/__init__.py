"""The reference that is generated from the code: what a study file may say, and every plug-in.

``python -m recsens.reference`` writes the files in a checkout, ``--check`` fails where one is out of date.
"""

from recsens.reference._pages import pages

__all__ = ["pages"]
