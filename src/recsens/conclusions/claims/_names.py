"""Names of claims that share a module."""

MODULES = {
    **dict.fromkeys(("differ", "exceeds", "not_significant", "ranks", "robust_to_unrated", "tied", "wins"), "systems"),
    **dict.fromkeys(("constant", "monotone", "peaks", "proportional"), "along_number"),
    **dict.fromkeys(("metric_beats", "metric_bounds", "metric_leads", "metric_trend"), "metric_orders"),
    **dict.fromkeys(("statistic", "times_random", "within"), "values"),
}
"""Name of a claim -> its module in this package."""
