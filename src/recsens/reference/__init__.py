"""Documentation generated from the code: every plug-in, every key of a study file, the map of the library.

``python -m recsens.reference`` writes the files in a checkout, ``--check`` fails where one is out of date.
"""

from recsens.reference._pages import pages, sections
from recsens.reference._rooms import LAYERS

__all__ = ["LAYERS", "pages", "sections"]
