"""Compiled code is that of its source: what Python and numba keep on disk is used only if it was made from the same content."""
