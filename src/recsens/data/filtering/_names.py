"""Names of filters that share a module."""

MODULES = {
    **dict.fromkeys(("binarise", "rating_range", "rating_threshold"), "rating_values"),
    **dict.fromkeys(("ratings_per_item", "ratings_per_user"), "count_bounds"),
}
"""Name of a filter -> its module in this package."""
