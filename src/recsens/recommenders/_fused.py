"""Networks of neural collaborative filtering: a product of factors, a tower, or both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints
from recsens.recommenders._factors import normal_draws
from recsens.recommenders._products import factor_products
from recsens.recommenders._towers import climbed, halving, tower_scores, tower_start
from recsens.recommenders._weights import Weights

_DEVIATION = 0.01


@dataclass(frozen=True, slots=True)
class FusedNetwork:
    """s = h · [p ∘ q; z_L] + b, where z_L is the top of a tower over [p'; q'] (He et al. 2017, equation 12).

    A row of the table ``users`` holds p and p', one of ``items`` q and q'.

    Attributes
    ----------
    factors
        Length of p and q; 0 without the product.
    narrowest
        Width of the last layer of the tower.
    layers
        Layers of the tower, each half as wide as the one below; 0 without a tower.
    """

    factors: int = 0
    narrowest: int = 0
    layers: int = 0

    @property
    def tables(self) -> tuple[str, ...]:
        """Weights with a row for each user, or for each item."""
        return "users", "items"

    @property
    def top(self) -> int:
        """Length of h."""
        return self.factors + (self.narrowest if self.layers else 0)

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of the tower from its input on; none without a tower."""
        return halving(self.narrowest, self.layers) if self.layers else ()

    @property
    def embedding(self) -> int:
        """Number of values kept for a user, and for an item."""
        return self.factors + (self.widths[0] // 2 if self.layers else 0)

    def start(self, train: Interactions, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Draw tables from N(0, 0.01²), layers as `tower_start`, and h from U(-a, a), a = √(3 / length), as the authors' code."""
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
            tops.append(climbed(torch, weights, torch.cat(tower, 1), self.layers))
        return torch.cat(tops, 1)

    def scores(self, learned: Mapping[str, NDArray[Any]], users: Ints) -> Floats:
        """Return s for some users and all items, shape (len(users), n_items), from learnt weights and without PyTorch.

        Where ``gates`` are learnt, shape (n_users, top), a user's h is multiplied by them, value by value.
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


def fused(gmf: Mapping[str, NDArray[Any]], mlp: Mapping[str, NDArray[Any]], alpha: float) -> dict[str, NDArray[np.float32]]:
    """Join a product and a tower that were learnt apart: h = [α h_product; (1 - α) h_tower] (He et al. 2017, equation 13)."""
    output = np.concatenate((alpha * gmf["output"], (1 - alpha) * mlp["output"]), axis=1, dtype=np.float32)
    tables = {name: np.concatenate((gmf[name], mlp[name]), axis=1) for name in ("users", "items")}
    bias = (alpha * gmf["bias"] + (1 - alpha) * mlp["bias"]).astype(np.float32)
    return {**mlp, **tables, "output": output, "bias": bias}
