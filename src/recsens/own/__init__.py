"""Plug-ins of the user's own: where they are found, and what is wrong with them, said with file and line."""

from recsens.own._classes import explained, refuse_mistakes
from recsens.own._modules import add_folders, import_own, is_own, line_of

__all__ = ["add_folders", "explained", "import_own", "is_own", "line_of", "refuse_mistakes"]
