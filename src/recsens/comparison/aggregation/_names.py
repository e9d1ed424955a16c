"""Names of aggregates that share a module."""

MODULES = {
    **dict.fromkeys(("geometric", "mean", "median"), "averages"),
    **dict.fromkeys(("georisk", "trisk", "urisk"), "risk"),
}
"""Name of an aggregate -> its module in this package."""
