"""Neural matrix factorisation: a product of factors and a tower, joined at the top."""

from typing import Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders._neural_collaborative import CollaborativeNetwork
from recsens.recommenders._neural_networks import FusedNetwork, fused


class NeuMF(CollaborativeNetwork):
    """s(u, i) = h · [p_u ∘ q_i; z_L] + b, where z_0 = [p'_u; q'_i] and z_l = max(0, W_l z_{l-1} + b_l), learnt as ``gmf``.

    The product and the tower (as in ``mlp``) have separate factors. With ``pretraining``, Adam first learns each of them
    separately. Then h starts as [α h_product; (1 - α) h_tower], and b starts as the mean of the two values with the same weights.
    From there, plain stochastic gradient descent learns the whole network. All three fits have the same ``epochs`` and
    ``learning_rate``, because the paper does not give them for the last fit.

    Users and items without train ratings that count are not computable.
    """

    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equations 12 and 13, sections 3.4 and 4.1; Keras code by the authors"
    pace = 40
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
        start = fused(product, tower, self.alpha)
        self._learned = self._withheld(self._minimised(self.network, start, train, rng, "sgd"), train)
        return self
