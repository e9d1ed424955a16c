"""Users with enough train, test or relevant test ratings."""

from typing import Self

from pydantic import Field, model_validator

from recsens.arrays import Bools
from recsens.comparison.users._base import Population, Users
from recsens.plugins.prose import listed, several


class WithRatings(Users):
    """Average the users with at least the given numbers of train ratings, test ratings and relevant test ratings.

    By default, one train rating is enough: users without test ratings, or without relevant test ratings, are averaged and count as
    zero. If each relevant test rating has its own ranking (1R), users without relevant test ratings have no ranking and are left
    out. ``relevant=1`` is another common policy: it leaves out users who cannot score above zero on any metric of relevance.
    ``train=0`` averages all users, including users without train ratings. ``most_train`` selects newcomers:
    ``with_ratings(train=1,most_train=10)`` averages users with one to ten train ratings.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.3"
    also_called = ("all", "all_users")

    train: int = Field(1, ge=0, description="minimum number of train ratings")
    test: int = Field(0, ge=0, description="minimum number of test ratings")
    relevant: int = Field(0, ge=0, description="minimum number of relevant test ratings; 1 skips users without any")
    most_train: int | None = Field(None, ge=0, description="maximum number of train ratings; null for any number")

    @model_validator(mode="after")
    def _check_satisfiable(self) -> Self:
        if self.most_train is not None and self.most_train < self.train:
            raise ValueError(
                f"no user can have at least {self.train} and at most {self.most_train} train ratings; raise most_train"
            )
        return self

    def prose(self, relevant: int = 0) -> str:
        """Name all minima and the maximum."""
        return f"We averaged over {self.prose_users(relevant)}."

    def prose_title(self) -> str:
        """Name the averaged users."""
        return self.prose_users(0).removeprefix("the ")

    def prose_users(self, relevant: int) -> str:
        """Name the averaged users, with ``relevant`` as another minimum of relevant test ratings."""
        minima = {"training": self.train, "test": self.test, "relevant test": max(self.relevant, relevant)}
        bounds = [f"at least {several(least, f'{what} rating')}" for what, least in minima.items() if least]
        bounds += [f"at most {self.most_train:,} training ratings"] if self.most_train is not None else []
        return f"the users with {listed(bounds)}" if bounds else "all users"

    @property
    def reads(self) -> frozenset[str]:
        """Train and test ratings; also relevant ratings if the spec sets a minimum for them."""
        return frozenset({"train", "test", *(["relevant"] if self.relevant > 0 else [])})

    def admit(self, population: Population) -> Bools:
        """Admit the users who reach all minima and do not exceed the maximum."""
        enough = (population.train >= self.train) & (population.test >= self.test) & (population.relevant >= self.relevant)
        return enough if self.most_train is None else enough & (population.train <= self.most_train)
