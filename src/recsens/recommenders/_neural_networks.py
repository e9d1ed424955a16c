"""Networks for neural collaborative filtering: a product of factors, a tower, or both."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.plugins.frozen import frozen
from recsens.recommenders import Arrays, Extent, Floats, Ints, Reals, Recommender, SearchSpace, claim
from recsens.recommenders._factors import normal_draws
from recsens.recommenders._gradient_descent import Labelled, Network, Optimiser, RatedPairs, Steps, Weights, descend
from recsens.recommenders._kernels import compiled
from recsens.recommenders._preference import preferences
from recsens.recommenders._products import factor_products

_DEVIATION = 0.01


_TILE = 64
"""Number of items handled together; a layer's output for this many items fits into the first-level cache."""


@dataclass(frozen=True, slots=True)
class FusedNetwork:
    """s = h · [p ∘ q; z_L] + b, where z_L is the top of a tower over [p'; q'] (He et al. 2017, equation 12).

    A row of the table ``users`` contains p and p', and a row of ``items`` contains q and q'.

    Attributes
    ----------
    factors
        Length of p and q; 0 without the product.
    narrowest
        Width of the last layer of the tower.
    layers
        Number of layers of the tower, each half as wide as the one below; 0 without a tower.
    """

    factors: int = 0
    narrowest: int = 0
    layers: int = 0

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the weights with a row for each user, or for each item."""
        return "users", "items"

    @property
    def top(self) -> int:
        """Length of h."""
        return self.factors + (self.narrowest if self.layers else 0)

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of the tower from its input upwards, such as 64, 32, 16, 8; none without a tower."""
        return tuple(self.narrowest << above for above in range(self.layers, -1, -1)) if self.layers else ()

    @property
    def embedding(self) -> int:
        """Number of values in the row of a user, and in the row of an item."""
        return self.factors + (self.widths[0] // 2 if self.layers else 0)

    def start(self, train: Interactions, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Draw tables from N(0, 0.01²), layers as in `tower_start`, and h from U(-a, a), a = √(3 / top), like the authors."""
        bound = np.sqrt(3.0 / self.top)
        return {
            "users": normal_draws(train.user_keys, self.embedding, _DEVIATION, rng).astype(np.float32),
            "items": normal_draws(train.item_keys, self.embedding, _DEVIATION, rng).astype(np.float32),
            **tower_start(self.widths, rng),
            "output": rng.uniform(-bound, bound, (1, self.top)).astype(np.float32),
            "bias": np.zeros(1, dtype=np.float32),
        }

    def logits(self, torch: Any, weights: Weights, users: Any, items: Any, rated: Ints | None = None) -> Any:
        """Return s for a batch of pairs, by PyTorch, shape (n pairs,)."""
        hidden = self.hidden(torch, weights, users, items)
        return torch.nn.functional.linear(hidden, weights["output"], weights["bias"])[:, 0]

    def hidden(self, torch: Any, weights: Weights, users: Any, items: Any) -> Any:
        """Return [p ∘ q; z_L] for a batch of pairs, by PyTorch, shape (n pairs, top)."""
        parts = self.factors, self.embedding - self.factors
        product, tower = zip(*(weights.rows(*read).split(parts, 1) for read in (("users", users), ("items", items))), strict=True)
        tops = [product[0] * product[1]] if self.factors else []
        if self.layers:
            tops.append(climb_tower(torch, weights, torch.cat(tower, 1), self.layers))
        return torch.cat(tops, 1)

    def scores(self, learned: Mapping[str, NDArray[Any]], users: Ints) -> Floats:
        """Return s for some users and all items from learnt weights, without PyTorch, shape (len(users), n_items).

        If the learnt weights have ``gates``, shape (n_users, top), a user's h is multiplied by them elementwise.
        """
        p, q = learned["users"][users].astype(np.float64), learned["items"]
        output = np.repeat(learned["output"].astype(np.float64), len(users), axis=0)
        if "gates" in learned:
            output *= learned["gates"][users]
        scores = np.full((len(users), len(q)), learned["bias"][0], dtype=np.float64)
        if self.factors:
            scores += factor_products(p[:, : self.factors] * output[:, : self.factors], q[:, : self.factors])
        if self.layers:
            scores += tower_scores(learned, p[:, self.factors :], q[:, self.factors :], output[:, self.factors :])
        return scores


def join_networks(gmf: Mapping[str, NDArray[Any]], mlp: Mapping[str, NDArray[Any]], alpha: float) -> dict[str, NDArray[np.float32]]:
    """Join a product and a tower that were learnt separately: h = [α h_product; (1 - α) h_tower] (He et al. 2017, equation 13)."""
    output = np.concatenate((alpha * gmf["output"], (1 - alpha) * mlp["output"]), axis=1, dtype=np.float32)
    tables = {name: np.concatenate((gmf[name], mlp[name]), axis=1) for name in ("users", "items")}
    bias = (alpha * gmf["bias"] + (1 - alpha) * mlp["bias"]).astype(np.float32)
    return {**mlp, **tables, "output": output, "bias": bias}


def layer_names(layer: int) -> tuple[str, str]:
    """Return the names of a layer's weights and biases; layers are counted from 1."""
    return f"layer_{layer}", f"biases_{layer}"


def tower_start(widths: Sequence[int], rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Draw all layers' weights from U(-a, a), a = √(6 / (width below + width)) (Glorot & Bengio 2010); biases are zero."""
    start = {}
    for layer, (below, width) in enumerate(pairwise(widths), start=1):
        weights, biases = layer_names(layer)
        bound = np.sqrt(6.0 / (below + width))
        start[weights] = rng.uniform(-bound, bound, (width, below)).astype(np.float32)
        start[biases] = np.zeros(width, dtype=np.float32)
    return start


def climb_tower(torch: Any, weights: Any, bottom: Any, layers: int) -> Any:
    """Return z_L, where z_l = max(0, W_l z_{l-1} + b_l), for a batch of inputs z_0, by PyTorch."""
    for layer in range(1, layers + 1):
        matrix, biases = layer_names(layer)
        bottom = torch.relu(torch.nn.functional.linear(bottom, weights[matrix], weights[biases]))
    return bottom


def tower_scores(learned: Mapping[str, NDArray[Any]], users: Reals, items: Reals, output: Reals) -> Floats:
    """Return h_u · z_L of every pair, where z_0 = [p_u; q_i], shape (n users, n_items), in float64.

    ``output`` contains h_u, shape (n users, width of the last layer). Every score is summed in the same order and without BLAS, as
    in `recsens.recommenders._factors.factor_scores`.
    """
    n_layers = sum(name.startswith("layer_") for name in learned)
    weights = [learned[name].astype(np.float64) for layer in range(1, n_layers + 1) for name in layer_names(layer)]
    of_user, of_item = np.split(weights[0], [users.shape[1]], axis=1)
    # The first layer's input is the sum of a user part and an item part.
    left = factor_products(users, of_user) + weights[1]
    right = factor_products(of_item, items)
    widths = np.array([len(biases) for biases in weights[1::2]])
    rest = np.concatenate([np.empty(0), *map(np.ravel, weights[2:])])
    outputs = np.ascontiguousarray(output, dtype=np.float64)
    scores = np.zeros((len(users), len(items)))
    _add_towers(frozen(left), frozen(right), frozen(rest), frozen(widths), frozen(outputs), scores)
    return scores


@compiled()
def _add_towers(left: Floats, right: Floats, rest: Floats, widths: Ints, output: Floats, out: Floats) -> None:
    """Add h_u · z_L to ``out``; ``rest`` contains the weights and biases of the layers above the first."""
    n_rows, n_columns = out.shape
    below = np.empty((widths.max(), _TILE))
    above = np.empty((widths.max(), _TILE))
    for first in range(0, n_columns, _TILE):
        n = min(_TILE, n_columns - first)
        for row in range(n_rows):
            for f in range(widths[0]):
                for c in range(n):
                    below[f, c] = max(left[row, f] + right[f, first + c], 0.0)
            at = 0
            for layer in range(1, len(widths)):
                n_in, n_out = widths[layer - 1], widths[layer]
                end = at + n_out * (n_in + 1)
                _climb(rest[at:end], n_in, n_out, n, below, above)
                below, above = above, below
                at = end
            for f in range(widths[-1]):
                weight = output[row, f]
                for c in range(n):
                    out[row, first + c] += weight * below[f, c]


@compiled()
def _climb(layer: Floats, n_in: int, n_out: int, n: int, below: Floats, above: Floats) -> None:
    """Set ``above`` to max(0, W z + b) of the ``n`` columns z of ``below``; ``layer`` contains W, row by row, and b."""
    for o in range(n_out):
        above[o, :n] = layer[n_out * n_in + o]
        for f in range(n_in):
            weight = layer[o * n_in + f]
            for c in range(n):
                above[o, c] += weight * below[f, c]
        for c in range(n):
            above[o, c] = max(above[o, c], 0.0)


_BYTES_PER_PAIR = 72
"""Peak memory, in bytes, per pair of an epoch; a pair is in memory three times: as drawn, in order, and shuffled."""

_BYTES_PER_NUMBER = 24
"""Additional bytes per pair, if each has the number of the rated pair for which it was drawn."""


class CollaborativeNetwork(Recommender):
    """A network s(u, i) that learns to distinguish rated pairs from unrated pairs, which are sampled anew in every epoch."""

    extra = "neural"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("num_neg", "num_ng", "n_negatives", "neg_sampling", "train_neg_sample"), "negatives"),
        **dict.fromkeys(("batch", "train_batch_size"), "batch_size"),
    }
    search_space = SearchSpace(
        "epochs=log_uniform(low=5,high=50),factors=log_uniform(low=4,high=64),learning_rate=log_uniform(low=0.0001,high=0.01)",
        "He et al. (2017), section 4.1",
    )

    factors: int = Field(8, ge=1, le=1024, description="number K of predictive factors")
    epochs: int = Field(20, ge=1, le=10_000, description="passes over the rated pairs")
    negatives: int = Field(4, ge=1, le=1000, description="unrated items drawn for each rated one, anew in each epoch")
    batch_size: int = Field(256, ge=1, le=1_000_000, description="pairs, rated or not, per step")
    learning_rate: float = Field(0.001, gt=0, le=1, description="length of a step")
    preference: Literal["binary", "positive"] = Field("binary", description="which ratings count, all or only relevant ones")

    @property
    @abstractmethod
    def network(self) -> FusedNetwork:
        """The network described by these parameters."""

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes that the pairs of an epoch need, including the numbers of their rated pairs."""
        return extent.ratings * (1 + self.negatives) * (_BYTES_PER_PAIR + _BYTES_PER_NUMBER)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread.

        Raises ConfigError if PyTorch is not installed, and DesignError if the weights do not stay finite or the pairs of an epoch
        do not fit into memory.
        """
        weights = self._minimised(self.network, self.network.start(train, rng), train, rng)
        self._learned = self._withheld(weights, train)
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Run the network for all items, without PyTorch."""
        scores = self.network.scores(self._learned, users)
        scores[np.isnan(self._learned["users"][users, 0]), :] = np.nan
        scores[:, np.isnan(self._learned["items"][:, 0])] = np.nan
        return scores

    def _minimised(
        self,
        network: Network,
        start: Mapping[str, NDArray[Any]],
        train: Interactions,
        rng: np.random.Generator,
        optimiser: Optimiser = "adam",
        *,
        numbered: bool = False,
    ) -> dict[str, NDArray[np.float32]]:
        """Return a network's fitted weights.

        If ``numbered``, the network also receives, for each pair, the number of the rated pair for which it was drawn.
        """
        pairs = RatedPairs(preferences(train, self.preference))
        n_pairs = len(pairs.user) * (1 + self.negatives)
        n_bytes = n_pairs * (_BYTES_PER_PAIR + _BYTES_PER_NUMBER * numbered)
        claim(self, n_bytes, f"the {n_pairs:,} pairs of an epoch", "draw fewer negatives")
        steps = Steps(self.epochs, self.batch_size, self.learning_rate)

        def draw() -> Labelled:
            return pairs.draw(self.negatives, rng, numbered=numbered)

        return descend(self, network, start, draw, steps, optimiser=optimiser)

    def _withheld(self, learned: Arrays, train: Interactions) -> dict[str, NDArray[Any]]:
        """Set to NaN the rows of users and items that have no rating that counts, because these rows were never learnt."""
        counted = preferences(train, self.preference)
        users, items = learned["users"].copy(), learned["items"].copy()
        users[np.diff(counted.indptr) == 0] = np.nan
        items[np.bincount(counted.indices, minlength=train.n_items) == 0] = np.nan
        return {**learned, "users": users, "items": items}
