"""Values do not depend on a number."""

from recsens.conclusions.claims import Ground
from recsens.conclusions.claims._parameters import quantity
from recsens.conclusions.claims._within_tolerance import Steady


class Constant(Steady):
    """The value of a system is the same all along ``over``: within ``tolerance`` of the mean of all places, as a share of it.

    Held if the interval over folds of every value lies within, not held if one lies wholly outside, else undecided. The mean itself
    is taken as exact.
    """

    def words(self, ground: Ground) -> str:
        """State what is constant."""
        return f"{quantity(ground.experiment, self.metric, self.over).name} of {self.system} is constant over {self.over}"
