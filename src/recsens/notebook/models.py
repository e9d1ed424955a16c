"""Models: recommenders fitted on a train set."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from recsens.arrays import Ints
from recsens.errors import DesignError, explain_missing_library
from recsens.notebook.arguments import one_blas_thread, read_component, refuse_other, seed_or
from recsens.notebook.folds import Side, TrainTest
from recsens.notebook.shown_tables import names_of, sample_of
from recsens.outcomes.measuring.trials import Trials, tune
from recsens.pipeline.fitting import fit_recommender
from recsens.recommenders import Recommender
from recsens.recommenders.program import Program
from recsens.recommenders.tuned import Tuned
from recsens.report.html.templates import cell
from recsens.seeds import Origin


@dataclass(frozen=True)
class Model:
    """A fitted recommender.

    Attributes
    ----------
    recommender
        The fitted recommender; its arrays are in ``recommender.learned``.
    fold
        The fold; the recommender was fitted on its train set.
    seed
        Seed of the random streams of fitting and tuning.
    tuning
        The candidates of tuning, and the choice among them; None for a recommender that is not tuned.
    """

    recommender: Recommender
    fold: TrainTest
    seed: int
    tuning: Trials | None = None

    @property
    def trials(self) -> pd.DataFrame:
        """The candidates of tuning, best first, each with its mean over validation folds; empty if the recommender is not tuned."""
        tried = [] if self.tuning is None else self.tuning.best_first
        return pd.DataFrame(
            [{"candidate": str(trial.candidate.spec), "mean": trial.mean} for trial in tried], columns=["candidate", "mean"]
        )

    def scores(self, users: list[str]) -> pd.DataFrame:
        """Score all items for the named users: one row per user, one column per item; NaN if a score is not computable.

        Raises
        ------
        DesignError
            If a user is not in the data set, or if ``users`` is not a list.
        """
        if not isinstance(users, Iterable) or isinstance(users, str):
            raise DesignError(f"users = {users!r} is not a list", allowed="a list of names", remedy=f"write [{str(users)!r}]")
        train = self.fold.train.interactions
        codes = {name: code for code, name in enumerate(names_of(train.user_ids, train.n_users))}
        unknown = [user for user in users if user not in codes]
        if unknown:
            raise DesignError(f"there is no user {unknown[0]!r}", allowed=f"names as text, such as {next(iter(codes))!r}")
        user_codes: Ints = np.array([codes[user] for user in users], dtype=np.int64)
        with one_blas_thread():
            scores = self.recommender.score(train, user_codes)
        return pd.DataFrame(scores, index=pd.Index(users, name="user"), columns=names_of(train.item_ids, train.n_items))

    def __repr__(self) -> str:
        return f"<{self.recommender.spec}, fitted on {self.fold.train!r}>"

    def _repr_html_(self) -> str:
        tried = [] if self.tuning is None else [sample_of(self.trials, "Candidates of tuning, best first")]
        return cell(repr(self).strip("<>"), tables=tried)


def fit(recommender: str | Recommender, train: Side, *, seed: int | None = None) -> Model:
    """Fit a recommender on the train set of a fold; test data are not read.

    Parameters
    ----------
    recommender
        Text as under ``systems`` in a study, such as ``user_knn(k=50)``, or an object, which may be of your own class. A
        recommender ``tuned(...)`` is first tuned on its validation data.
    train
        The train set that `split` returns.
    seed
        Seed of the random streams; by default, the split's seed.

    Raises
    ------
    SpecError
        If there is no such recommender (the message suggests the nearest name), or if a parameter is invalid.
    DesignError
        If the recommender cannot learn from these data, if ``train`` is not a train set, or if the seed is not a whole number.
    MissingLibraryError
        If the recommender needs a library that a basic installation does not include.
    """
    refuse_other("the train set", train, Side, "train, test = recsens.split(...)")
    if train.role != "train":
        raise DesignError(f"a recommender learns from the train set, not from the {train.role} set")
    fold = train.fold
    # Fitting changes the object; two models must therefore not share it.
    component = read_component("recommender", recommender, Recommender.build)
    named = type(component).from_spec(component.spec).on_split(fold.design.names)
    origin = Origin(seed_or(seed, fold.design.seed), fold.ratings.identity, fold.name)
    train_set, validation = train.interactions, fold.validation.interactions
    if named.side_information is not None:
        train_set, validation = fold.ratings.with_tables(train_set), fold.ratings.with_tables(validation)
    with one_blas_thread(), explain_missing_library():
        if not isinstance(named, Tuned):
            given = named.with_validation(validation) if isinstance(named, Program) else named
            return Model(fit_recommender(given, train_set, origin), fold, origin.seed)
        tried = named.within(fold.design.split)
        tuning = tune(tried, train_set, validation, identity=origin.identity, fold=origin.fold, seed=origin.seed)
        chosen = fit_recommender(named, train_set, origin, choice=tuning.chosen)
    return Model(chosen, fold, origin.seed, tuning)
