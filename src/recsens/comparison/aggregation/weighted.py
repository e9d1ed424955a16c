"""Mean over users, weighted by the number of ratings or by a column of the table of users."""

import numpy as np
from pydantic import Field

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._weighing import weighted_user_means
from recsens.errors import DesignError

_NUMBERS_OF_RATINGS = ("test", "relevant", "train")


class Weighted(Aggregate):
    """m = Σ_u w_u m_u / Σ_u w_u, where w_u is the user's number of ratings or a column of the data set's table of users.

    Cañamares, Castells & Moffat (2020) call ``by=test`` "Test weighted" and ``by=relevant`` "Test relevant". Over several folds,
    the value is the mean of the folds' weighted means. Any other name except ``train`` is a column of the data set's table of
    users. Users with weight zero are left out; if all weights are zero, the value is NaN. A test compares the values, with the
    users' weights. A column is refused if it does not exist or is not numeric, or if an averaged user's value is missing or
    negative.
    """

    source = "Cañamares, Castells & Moffat (2020), sections 3.8 and 4.5; Steck (2013)"
    averages_values = True
    weighs_users = True
    is_tested = True

    by: str = Field(
        "test",
        min_length=1,
        description="a user's weight: test, relevant or train (numbers of ratings), or a numeric column of the table of users",
    )

    def prose(self) -> str:
        """Say that the value is a weighted mean, and what a user's weight is."""
        counts = {"test": "test ratings", "relevant": "relevant test ratings", "train": "training ratings"}
        weight = f"of {counts[self.by]}" if self.by in counts else f"in the column ‘{self.by}’ of the table of users"
        return f"The value of a system is the weighted mean of the users' values; a user's weight is the user's number {weight}."

    @property
    def user_columns(self) -> tuple[str, ...]:
        """The column, unless weights are numbers of ratings."""
        return () if self.by in _NUMBERS_OF_RATINGS else (self.by,)

    @property
    def uses_relevance(self) -> bool:
        """Whether weights are numbers of relevant ratings."""
        return self.by == "relevant"

    @property
    def mean(self) -> str:
        """Name the weighted mean, with its weights."""
        return f"the mean weighted by {self.by}"

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Return the weighted average; NaN if no weight is above 0."""
        return weighted_user_means(scores.values, scores.counts, self.weights(scores))

    def weights(self, scores: UserMeasures) -> Floats:
        """Return the column times `UserMeasures.weights`; 0 for users who count for no system.

        Raises
        ------
        DesignError
            If an averaged user has no valid weight in the column.
        """
        averaged = scores.counts.any(axis=0)
        column = self._column_weights(scores)
        unfit = averaged & ~(np.isfinite(column) & (column >= 0))
        if unfit.any():
            n_empty, n_users = np.count_nonzero(unfit & np.isnan(column)), np.count_nonzero(averaged)
            raise self._refusal(
                f"of the {n_users:,} users averaged, {n_empty:,} have no value in the column '{self.by}' "
                f"and {np.count_nonzero(unfit) - n_empty:,} a negative or infinite one",
                "a number of zero or above for every user averaged",
            )
        return np.where(averaged, column, 0.0) * scores.weights

    def _column_weights(self, scores: UserMeasures) -> Floats:
        if self.by not in scores.users:
            raise self._refusal(f"the data set's table of users has no column '{self.by}'", "a column of numbers of that table")
        column = np.asarray(scores.users[self.by])
        if not (np.issubdtype(column.dtype, np.integer) or np.issubdtype(column.dtype, np.floating)):
            example = f" but '{column[0]}'" if len(column) else ""
            raise self._refusal(
                f"the column '{self.by}' of the table of users does not hold numbers{example}", "a column of numbers"
            )
        return column.astype(np.float64)

    def _refusal(self, problem: str, allowed: str) -> DesignError:
        always = ", ".join(f"weighted(by={name})" for name in _NUMBERS_OF_RATINGS)
        return DesignError(problem, where=f"aggregate '{self.spec}'", allowed=allowed, remedy=f"{always} work with any data set")
