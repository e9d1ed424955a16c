"""Use compiled code only if it was made from the content of the current source. This covers the caches of Python and numba."""
