"""Compiled code matches its source: code that Python and numba cache on disk is used only if made from the same content."""
