"""Use compiled code only if it was made from the current source, by content. This covers Python's cache on disk and numba's."""
