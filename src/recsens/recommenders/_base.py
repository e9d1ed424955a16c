"""The contract of a recommender."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import PrivateAttr, model_validator

from recsens import plugins
from recsens.errors import DesignError, nearest
from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.recommenders._presets import Preset
from recsens.specs import Spec, Value, format_value

Arrays = Mapping[str, NDArray[Any]]

SPLIT_NAMES = ("dataset", "filter", "split")
"""What a path of score files may hold in braces: the names that `recsens export` gives data sets, filters and splits."""


class Recommender(Plugin):
    """Learns from train and gives every (user, item) pair a score, or NaN where it cannot (decision B).

    What was learnt is a set of named arrays in ``learned``, which is all that is saved. No ratings are stored: what a score
    needs of a user's profile is read from ``train``. Test data never reach a recommender.
    """

    kind: ClassVar[str] = "recommender"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("neighbours", "n_neighbors", "num_neighbors", "max_nbrs", "nn", "topk", "neighborhood_size"), "k"),
        **dict.fromkeys(("n_factors", "num_factors", "latent_dim", "embedding_size", "n_components", "rank"), "factors"),
        **dict.fromkeys(("reg", "reg_all", "lambda", "l2_reg", "reg_weight"), "regularization"),
        **dict.fromkeys(("lr", "lr_all", "learn_rate"), "learning_rate"),
        **dict.fromkeys(("n_epochs", "iterations", "n_iterations", "n_iter", "max_iter"), "epochs"),
        **dict.fromkeys(("sim", "metric", "distance"), "similarity"),
        "neighbors": "k",
        "shrink": "shrinkage",
        "n_topics": "topics",
    }
    deterministic: ClassVar[bool] = True
    """Whether the same train set and stream give the same bytes at any number of threads."""
    predicts_ratings: ClassVar[bool] = False
    """Whether scores are on the rating scale, so that MAE and RMSE have a meaning."""
    is_trivial: ClassVar[bool] = False
    """Whether fitting is so cheap that the ranking job does it itself and no model is kept."""
    n_threads: ClassVar[int] = 1
    """Threads that fitting can use; the ranking of users always has one."""
    presets: ClassVar[Mapping[str, Preset]] = {}
    """Named sets of parameters; a class that has some declares the parameter ``preset`` with `preset_field`, as its last."""

    _learned: dict[str, NDArray[Any]] = PrivateAttr(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse presets that no study could name, or that are none."""
        super().__pydantic_init_subclass__(**kwargs)
        if cls.presets and list(cls.model_fields)[-1:] != ["preset"]:
            raise TypeError(f"{cls.__name__} has presets; give it 'preset: str | None = preset_field()' as its last field")
        for name, preset in cls.presets.items():
            if not isinstance(preset, Preset):
                raise TypeError(f"{cls.__name__}: preset '{name}' must be a Preset(params, source), not {preset!r}")
            unknown = [key for key in preset.params if key not in cls.model_fields]
            if unknown:
                raise TypeError(f"{cls.__name__}: preset '{name}' sets '{unknown[0]}', which is no parameter")

    @model_validator(mode="before")
    @classmethod
    def _take_preset(cls, given: Any) -> Any:
        """Put the parameters of a preset below those given beside it."""
        name = given.get("preset") if isinstance(given, dict) else None
        if name is None or "preset" not in cls.model_fields:
            return given
        if name not in cls.presets:
            raise ValueError(f"there is no preset '{name}'{nearest(str(name), cls.presets)}")
        return {**cls.presets[name].params, **given}

    @classmethod
    def each_apart(cls, name: str, values: Sequence[Value]) -> str:
        """Say how several values of a parameter are compared, or the best of them chosen."""
        of, listed = cls.plugin_name(), format_value(tuple(values))
        return f"give each a label of its own under 'systems', or let tuned(of={of},search=grid({name}={listed})) choose one"

    @classmethod
    def choices(cls) -> Mapping[str, Sequence[str]]:
        """Return the names of the presets."""
        return {"preset": list(cls.presets)} if cls.presets else {}

    @property
    def chosen_preset(self) -> Preset | None:
        """The preset that the parameters start from."""
        name = getattr(self, "preset", None)
        return None if name is None else self.presets[name]

    @property
    def calibrated_on_test(self) -> bool:
        """Whether parameters were chosen for their results on test data, here or in a component within.

        Parameters written out one by one are known again where they are those of such a preset and not the defaults, which stand on
        grounds of their own.
        """
        within: list[Plugin] = [plugins.build(kind, spec) for kind, spec in self.nested() if kind == self.kind]
        return self._is_calibrated() or any(getattr(each, "calibrated_on_test", False) for each in within)

    def _is_calibrated(self) -> bool:
        if self.chosen_preset is not None and self.chosen_preset.calibrated_on_test:
            return True
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        now = {name: getattr(self, name) for name in defaults if name != "preset"}
        suspects = [preset.params for preset in self.presets.values() if preset.calibrated_on_test]
        return any(now == {**now, **params} and any(now[name] != defaults[name] for name in params) for params in suspects)

    def _usual(self) -> dict[str, Any]:
        return {**super()._usual(), **(self.chosen_preset.params if self.chosen_preset else {})}

    @property
    def learned(self) -> Arrays:
        """The named arrays that `fit` left."""
        return self._learned

    def restore(self, arrays: Arrays) -> Self:
        """Take up what an earlier `fit` learnt."""
        self._learned = dict(arrays)
        return self

    @property
    def stream_name(self) -> str:
        """Name of the recommender in random streams; one around another takes that one's."""
        return self.plugin_name()

    def choosing(self, choice: Spec) -> Self:
        """Return the recommender that takes a choice of parameters, made by tuning; only one that is tuned has any.

        Raises
        ------
        DesignError
            If nothing is chosen for this recommender.
        """
        raise DesignError(f"nothing is tuned in '{self.spec}', and '{choice}' was chosen for it")

    @property
    def score_files(self) -> str | None:
        """Where the scores stand that are read in place of a model, a path with names in braces; None for whatever learns."""
        return None

    def on_split(self, names: Mapping[str, str]) -> Self:
        """Return the recommender for one split of a data set, given its `SPLIT_NAMES`; only what reads files for each cares."""
        return self

    def on_fold(self, fold: str) -> Self:
        """Return the recommender for one fold of the split, such as ``repeat-0``; only what reads a file for each fold cares.

        Raises
        ------
        ConfigError
            If there is no file of this fold.
        """
        return self

    @abstractmethod
    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Learn from the train set, put named arrays into ``self._learned`` and return ``self``; ``train`` is never changed."""

    @abstractmethod
    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        """Score all items for some users: a new array of shape (len(users), n_items), NaN where not computable.

        A user's scores do not depend on which other users are asked for in the same block.
        """


def learn(recommender: Recommender, train: Interactions, rng: np.random.Generator) -> Recommender:
    """Fit a recommender and check that it is one that comes back.

    Raises
    ------
    DesignError
        If what ``fit`` returns is no recommender.
    """
    found = recommender.fit(train, rng)
    if not isinstance(found, Recommender):
        raise DesignError(
            f"fit of '{recommender.spec}' returned {type(found).__name__}, not a recommender", remedy="end it with 'return self'"
        )
    return found
