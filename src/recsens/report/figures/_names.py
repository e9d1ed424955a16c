"""Names of figures that share a module."""

MODULES = {
    **dict.fromkeys(("bars", "lines"), "charts"),
    **dict.fromkeys(("differences_by_option", "scores_by_option"), "by_option"),
    **dict.fromkeys(("distribution", "relevant_share", "split_profile"), "ratings"),
    **dict.fromkeys(("influence", "joint", "shortest"), "pairs"),
}
"""Name of a figure -> its module in this package."""
