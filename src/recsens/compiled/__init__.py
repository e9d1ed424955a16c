"""Kernels compiled by numba: how their machine code is kept, and small kernels that several packages use."""
