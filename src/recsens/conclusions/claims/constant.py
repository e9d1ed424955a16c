"""Values that do not depend on a number."""

from recsens.conclusions.claims import Ground
from recsens.conclusions.claims._parameters import quantity
from recsens.conclusions.claims._within_tolerance import Steady


class Constant(Steady):
    """The value of a system is constant along ``over``: it stays within ``tolerance`` of its mean, as a share of this mean.

    The claim is held if every value's interval over folds lies within the tolerance, not held if one interval lies wholly outside
    the tolerance, and otherwise undecided. The mean itself counts as exact.
    """

    def words(self, ground: Ground) -> str:
        """State what is constant."""
        return f"{quantity(ground.experiment, self.metric, self.over).name} of {self.system} is constant over {self.over}"
