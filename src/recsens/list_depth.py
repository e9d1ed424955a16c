"""How many items of each ranking are kept."""

LIST_DEPTH = 100
"""Length of the stored recommendation lists; the largest cut-off of metrics that read lists."""
