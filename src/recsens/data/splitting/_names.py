"""Names of splits that share a module."""

MODULES = {
    **dict.fromkeys(("given", "leave_out", "per_item"), "fixed_counts"),
    **dict.fromkeys(("k_fold", "k_fold_users"), "k_folds"),
    **dict.fromkeys(("min_train", "pruned", "thinned"), "reduced"),
    **dict.fromkeys(("predefined", "revealed"), "from_files"),
    **dict.fromkeys(("rolling", "temporal"), "by_time"),
}
"""Name of a split -> its module in this package."""
