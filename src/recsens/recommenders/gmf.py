"""Generalised matrix factorisation: a weighted product of factors."""

from recsens.recommenders._neural_collaborative import CollaborativeNetwork
from recsens.recommenders._neural_networks import FusedNetwork


class GMF(CollaborativeNetwork):
    """s(u, i) = h · (p_u ∘ q_i) + b, with weights that minimise -Σ [y ln σ(s) + (1 - y) ln(1 - σ(s))], y = 1 if u rated i.

    The sum runs over all rated pairs and, for each, ``negatives`` unrated ones of the same user, drawn uniformly and with
    replacement from the items that others rated, with new draws in each epoch. It is averaged over batches of ``batch_size`` pairs
    in random order, each a step of Adam (Kingma & Ba 2015, with their β and ε) for all weights. p and q start from N(0, 0.01²); h
    starts as in the authors' code, from U(-a, a) with a = √(3 / K), where the paper has N(0, 0.01²). b, the constant of that code,
    is not in the paper's equations. There is no regularisation and no early stopping: the authors' code keeps the epoch that does
    best on test data, this one keeps the last.

    In float32 by PyTorch (``recsens[neural]``), on one thread. σ(s) is the paper's ŷ and gives the same order. Users and items
    without train ratings that count are not computable. With ``preference=positive`` items rated below relevance count as unrated.
    """

    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 7 and 9, section 4.1; Keras code by the authors"
    pace = 20
    also_called = ("generalized_matrix_factorization",)

    @property
    def network(self) -> FusedNetwork:
        """The product without a tower."""
        return FusedNetwork(factors=self.factors)
