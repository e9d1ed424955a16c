"""Generalised matrix factorisation: a weighted product of factors."""

from recsens.recommenders._neural_collaborative import CollaborativeNetwork
from recsens.recommenders._neural_networks import FusedNetwork


class GMF(CollaborativeNetwork):
    """s(u, i) = h · (p_u ∘ q_i) + b, with weights that minimise -Σ [y ln σ(s) + (1 - y) ln(1 - σ(s))], y = 1 if u rated i.

    The sum runs over all rated pairs and, for each of them, ``negatives`` unrated pairs of the same user. The items of the unrated
    pairs are drawn uniformly, with replacement, from the items that only other users rated, with new draws in each epoch. The pairs
    are put into random order and divided into batches of ``batch_size``; for each batch, Adam (Kingma & Ba 2015, with their β and
    ε) takes a step for all weights on the mean of the batch's terms. p and q start from N(0, 0.01²). h starts from U(-a, a) with a
    = √(3 / K), as in the authors' code; in the paper it starts from N(0, 0.01²). The constant b is in that code, but not in the
    paper's equations. There is no regularisation and no early stopping: the authors' code keeps the weights of the epoch that does
    best on test data, whereas ``gmf`` keeps those of the last epoch.

    PyTorch (``recsens[neural]``) computes in float32, on one thread. The paper ranks by ŷ = σ(s), which gives the same order as s.
    Users and items without train ratings that count are not computable. With ``preference=positive``, items rated below the
    threshold of relevance count as unrated.
    """

    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 7 and 9, section 4.1; Keras code by the authors"
    pace = 20
    also_called = ("generalized_matrix_factorization",)

    @property
    def network(self) -> FusedNetwork:
        """The product of factors, without a tower of layers."""
        return FusedNetwork(factors=self.factors)
