"""Names of recommenders that share a module."""

MODULES = {
    **dict.fromkeys(("average_rating", "popularity", "random"), "trivial"),
    **dict.fromkeys(("bpr", "bpr_implicit"), "bpr"),
    **dict.fromkeys(("chi2", "kld", "rocchio", "rsv"), "pseudo_relevance_feedback"),
    **dict.fromkeys(("gmf", "mlp", "neumf"), "neural_collaborative"),
    **dict.fromkeys(("item_knn", "user_knn"), "nearest_neighbours"),
    **dict.fromkeys(("latent_cross", "lc_nn"), "latent_crosses"),
    **dict.fromkeys(("lda", "plsa"), "topic_models"),
    **dict.fromkeys(("lm_wsr_ib", "lm_wsr_ub"), "lm_wsr"),
    **dict.fromkeys(("nncos_ib", "nncos_ub"), "nncos"),
    **dict.fromkeys(("fs_slim", "slim"), "sparse_linear"),
    **dict.fromkeys(("rm1", "rm2"), "relevance_models"),
}
"""Name of a recommender -> its module in this package."""
