"""Names of target selections that share a module."""

MODULES = {
    **dict.fromkeys(("ar", "uar"), "all_relevant"),
    **dict.fromkeys(("one_r", "p1r", "rel_plus_n", "u1r"), "one_relevant"),
}
"""Name of a target selection -> its module in this package."""
