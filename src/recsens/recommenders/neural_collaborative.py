"""Networks of He et al. (2017): a product of factors, layers over factors, and both together.

gmf: Generalised matrix factorisation: a weighted product of factors.
mlp: A multi-layer perceptron over the factors of a user and an item.
neumf: Neural matrix factorisation: a product of factors and a tower, joined at the top.
"""

from typing import Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders._neural_networks import CollaborativeNetwork, FusedNetwork, join_networks


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

    label = "gmf"
    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 7 and 9, section 4.1; Keras code by the authors"
    pace = 20
    also_called = ("generalized_matrix_factorization",)

    @property
    def network(self) -> FusedNetwork:
        """The product of factors, without a tower of layers."""
        return FusedNetwork(factors=self.factors)


class MLP(CollaborativeNetwork):
    """s(u, i) = h · z_L + b, where z_0 = [p_u; q_i] and z_l = max(0, W_l z_{l-1} + b_l), learnt as ``gmf``.

    The last of the L layers has K units, and each layer has half as many units as the one below, so p and q have K 2^{L-1} values.
    With K = 8 and L = 3, the input has 64 units, and the layers have 32, 16 and 8. The W_l start from U(-a, a), a = √(6 / (width
    below + width)), as is the default in the authors' code; in the paper they start from N(0, 0.01²).

    Users and items without train ratings that count are not computable.
    """

    label = "mlp"
    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equation 10, section 4.1; Keras code by the authors"
    pace = 30
    also_called = ("multi_layer_perceptron", "ncf_mlp")

    layers: int = Field(3, ge=1, le=8, description="number L of layers, each half as wide as the one below")

    @property
    def network(self) -> FusedNetwork:
        """The tower of layers, without a product of factors."""
        return FusedNetwork(narrowest=self.factors, layers=self.layers)


class NeuMF(CollaborativeNetwork):
    """s(u, i) = h · [p_u ∘ q_i; z_L] + b, where z_0 = [p'_u; q'_i] and z_l = max(0, W_l z_{l-1} + b_l), learnt as ``gmf``.

    The product and the tower (as in ``mlp``) have separate factors. With ``pretraining``, Adam first learns each of them
    separately. Then h starts as [α h_product; (1 - α) h_tower], and b starts as the mean of the two values with the same weights.
    From there, plain stochastic gradient descent learns the whole network. All three fits have the same ``epochs`` and
    ``learning_rate``, because the paper does not give them for the last fit.

    Users and items without train ratings that count are not computable.
    """

    label = "neumf"
    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 12 and 13, sections 3.4 and 4.1; Keras code by the authors"
    pace = 200
    also_called = ("ncf", "neural_collaborative_filtering", "neural_matrix_factorization", "nmf_neural")

    layers: int = Field(3, ge=1, le=8, description="number L of layers, each half as wide as the one below")
    pretraining: bool = Field(False, description="whether the product and the tower are first learnt separately")
    alpha: float = Field(0.5, ge=0, le=1, description="weight α of the product after pre-training")

    @property
    def network(self) -> FusedNetwork:
        """The product and the tower, side by side."""
        return FusedNetwork(factors=self.factors, narrowest=self.factors, layers=self.layers)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread; with pre-training, three times.

        Raises
        ------
        ConfigError
            If PyTorch is not installed.
        DesignError
            If the weights do not stay finite, or the pairs of an epoch do not fit into memory.
        """
        if not self.pretraining:
            return super().fit(train, rng)
        alone = [FusedNetwork(factors=self.factors), FusedNetwork(narrowest=self.factors, layers=self.layers)]
        product, tower = (self._minimised(each, each.start(train, rng), train, rng) for each in alone)
        start = join_networks(product, tower, self.alpha)
        self._learned = self._withheld(self._minimised(self.network, start, train, rng, "sgd"), train)
        return self
