"""A multi-layer perceptron over the factors of a user and an item."""

from pydantic import Field

from recsens.recommenders._neural_collaborative import CollaborativeNetwork
from recsens.recommenders._neural_networks import FusedNetwork


class MLP(CollaborativeNetwork):
    """s(u, i) = h · z_L + b, where z_0 = [p_u; q_i] and z_l = max(0, W_l z_{l-1} + b_l), learnt as ``gmf``.

    The last of the L layers has K units, and each layer has half as many units as the one below, so p and q have K 2^{L-1} values.
    With K = 8 and L = 3, the input has 64 units, and the layers have 32, 16 and 8. The W_l start from U(-a, a), a = √(6 / (width
    below + width)), as is the default in the authors' code; in the paper they start from N(0, 0.01²).

    Users and items without train ratings that count are not computable.
    """

    source = "He, Liao, Zhang, Nie, Hu & Chua (2017), equation 10, section 4.1; Keras code by the authors"
    pace = 30
    also_called = ("multi_layer_perceptron", "ncf_mlp")

    layers: int = Field(3, ge=1, le=8, description="number L of layers, each half as wide as the one below")

    @property
    def network(self) -> FusedNetwork:
        """The tower of layers, without a product of factors."""
        return FusedNetwork(narrowest=self.factors, layers=self.layers)
