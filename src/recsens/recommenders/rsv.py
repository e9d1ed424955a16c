"""Robertson selection value: an item's mean rating among the nearest users, times its probability among them."""

from typing import ClassVar

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Preset, Presets, Reals, preset_field
from recsens.recommenders._pseudo_relevance_feedback import Expansion, neighbours_means, probabilities


class RSV(Expansion):
    """s(u, i) = p(i|V_u) Σ_{v in V_u} r_vi / |V_u|.

    V_u are the k users nearest to u by the cosine of raw ratings, as in ``rocchio``. p(i|V) = Σ_{v in V} r_vi / Σ_{v in V} Σ_j r_vj
    by maximum likelihood (``mle``); ``nmle`` divides p(i|V) by |V|. Both factors of s depend on i only through Σ_{v in V} r_vi, and
    increase with that sum. Therefore every user's ranking is the same as with ``rocchio``, whatever the estimate; only the scores
    differ.

    Items that no user in V_u rated are not computable, nor is any item for a user without neighbours. Without ratings, every
    interaction counts as a rating of 1. Negative ratings are refused.
    """

    source = "Valcarce, Parapar & Barreiro (2016), Efficient pseudo-relevance feedback methods; Robertson (1990)"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 200}, "Valcarce et al. (2018), RSV: the released P@10 and nDCG@10 on MovieLens 1M", calibrated_on_test=True
        )
    }

    preset: str | None = preset_field()

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the neighbours' mean ratings by the items' probabilities among them."""
        return probabilities(train, users, self._learned) * neighbours_means(train, users, self._learned)
