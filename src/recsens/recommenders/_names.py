"""Names of recommenders that share a module."""

MODULES = {
    **dict.fromkeys(("chi2", "kld", "rocchio", "rsv"), "pseudo_relevance_feedback"),
    **dict.fromkeys(("gmf", "mlp", "neumf"), "neural_collaborative"),
    **dict.fromkeys(("lm_wsr_ib", "lm_wsr_ub"), "lm_wsr"),
    **dict.fromkeys(("nncos_ib", "nncos_ub"), "nncos"),
}
"""Name of a recommender -> its module in this package."""
