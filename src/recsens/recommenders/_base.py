"""The contract of a recommender."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, model_validator

from recsens import plugins
from recsens.arrays import Bools, Floats, Ints, Reals
from recsens.artefacts import schemas, storage
from recsens.data.interactions import Interactions
from recsens.errors import ArtefactError, DesignError, nearest
from recsens.plugins import Plugin, component
from recsens.plugins.frozen import frozen
from recsens.plugins.own import Call, returns
from recsens.plugins.specs import Spec, Value, format_value, parse
from recsens.recommenders._memory_check import Extent


def write_model(path: str | Path, recommender: Recommender) -> None:
    """Write a recommender's learnt arrays, with its full spec as the header."""
    storage.write_arrays(path, {"spec": str(recommender.full_spec)}, recommender.learned, schemas.MODEL)


def read_model(path: str | Path, recommender: Recommender) -> Recommender:
    """Read a recommender with its learnt arrays.

    Raises ArtefactError if the file contains another recommender.
    """
    header, arrays = storage.read_arrays(path, schemas.MODEL)
    if header["spec"] != str(recommender.full_spec):
        raise ArtefactError(f"holds '{header['spec']}', not '{recommender.full_spec}'", where=str(path))
    return recommender.restore(arrays)


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of parameters and its source.

    Attributes
    ----------
    params
        Parameters that differ from the recommender's defaults.
    source
        Who used these parameters, and on which data.
    calibrated_on_test
        Whether the parameters were chosen because they reproduce published results on test data. A comparison on the same data
        favours the system; every table that contains the system says so.
    """

    params: Mapping[str, Value]
    source: str
    calibrated_on_test: bool = False


def valcarce2018_ml1m(params: Mapping[str, Value], source: str) -> Mapping[str, Preset]:
    """Return the preset that comes closest to the scores of MovieLens 1M that Valcarce et al. (2018) released."""
    return {"valcarce2018-ml1m": Preset(params, source, calibrated_on_test=True)}


def preset_field() -> Any:
    """Declare the parameter ``preset``, the last field of a recommender with presets."""
    return Field(None, description="a named set of parameters; parameters given explicitly override it")


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The values that ``tuned`` tries for a recommender if a study names none.

    Attributes
    ----------
    values
        Parameters with lists or ranges of values, written as in a random search: ``"k=log_uniform(low=5,high=500),q=[1,2]"``.
    source
        Who searched these ranges.
    """

    values: str
    source: str

    @property
    def params(self) -> Mapping[str, Value]:
        """The lists or ranges by parameter."""
        return dict(parse(f"random({self.values})").params)


Arrays = Mapping[str, NDArray[Any]]
Presets = Mapping[str, Preset]


class ScoredLists(NamedTuple):
    """The scored items of some users; user b has the items ``items[starts[b]:starts[b + 1]]``, each only once."""

    starts: Ints
    items: NDArray[np.int32]
    scores: Floats

    @property
    def row(self) -> Ints:
        """User of each item, as an index into the requested users."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


SPLIT_NAMES = ("dataset", "filter", "split")
"""Placeholders in paths of score files: each is replaced by the name that `recsens export` gives to the data set, filter or
split."""


def _check_fitted(call: Call, fitted: object) -> Recommender:
    """Check the result of ``fit``, and make the learnt arrays read-only."""
    if not isinstance(fitted, Recommender):
        problem = f"returned {type(fitted).__name__} from fit, not a recommender"
        raise call.refused(problem, "a recommender", "end it with 'return self'")
    learned: object = fitted.learned
    if not isinstance(learned, Mapping) or not all(isinstance(name, str) for name in learned):
        raise call.refused("learnt something that is not a mapping from names to arrays", "self._learned = {'name': array}")
    for name, array in learned.items():
        if type(array) not in {np.ndarray, np.memmap} or array.dtype.hasobject:
            kind = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            allowed = "plain numpy arrays of numbers, booleans or text of a fixed length"
            raise call.refused(f"learnt '{name}', which is {kind}", allowed, "of a sparse matrix, keep data, indices and indptr")
    # The mapping itself stays writable, because a class may add arrays to those that its base class learnt.
    fitted._learned = {name: frozen(array) for name, array in learned.items()}  # noqa: SLF001 - of this module's class
    return fitted


def _check_scores(call: Call, scores: object) -> NDArray[Any]:
    shape = len(call.arguments["users"]), call.arguments["train"].n_items
    return call.array(scores, "scores", "fiu", shape, gaps=True)


def _check_amount(call: Call, amount: object) -> float:
    number = float(amount) if isinstance(amount, int | float | np.integer | np.floating) else math.nan
    if not 0 <= number < math.inf:
        raise call.refused(f"returned {amount!r} from {call.method.__name__}", "a number of 0 or more")
    return number


class Recommender(Plugin):
    """A system (decision B) that learns from train and scores pairs of a user and an item; pairs that it cannot score get NaN.

    It learns named arrays, ``learned``, and only these are saved. Ratings are not stored: scoring reads users' profiles from
    ``train``. A recommender never receives test data.
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
    """Whether the same train set and stream give the same bytes for any number of threads."""
    draws: ClassVar[bool] = True
    """Whether ``fit`` draws from its stream. A study with several fits fits a system that draws nothing only once. A class with a
    ``fit`` of its own draws unless it says that it does not."""
    predicts_ratings: ClassVar[bool] = False
    """Whether scores are on the rating scale; MAE and RMSE then apply."""
    is_trivial: ClassVar[bool] = False
    """Whether fitting takes very little time. If so, the job that ranks also fits, and no model is stored."""
    n_threads: ClassVar[int] = 1
    """Number of threads that fitting can use; ranking always uses one."""
    pace: ClassVar[float] = 1
    """Training time, as a multiple of the usual time; a job's time limit on a cluster is proportional to it."""
    needs: ClassVar[tuple[str, ...] | None] = None
    """Side information that ``fit`` reads. None means that ``fit`` reads and receives none. Otherwise, the tuple lists the columns
    that ``fit`` requires, such as ``user.age``, ``item.genres`` and ``context.device``, and may be empty. ``fit`` then receives all
    columns of the data set."""
    presets: ClassVar[Presets] = {}
    """Named sets of parameters; a class with presets declares ``preset`` as its last parameter, with `preset_field`."""
    search_space: ClassVar[SearchSpace | None] = None
    """The values from which ``tuned`` draws if a study names none."""

    _learned: dict[str, NDArray[Any]] = PrivateAttr(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a pace that is not above 0."""
        super().__pydantic_init_subclass__(**kwargs)
        if "fit" in vars(cls) and "draws" not in vars(cls) and not isinstance(cls.draws, property):
            cls.draws = True
        if not isinstance(cls.pace, property) and not (isinstance(cls.pace, int | float) and 0 < cls.pace < math.inf):
            raise TypeError(f"{cls.__name__}: pace = {cls.pace!r}; give it a number above 0, where 1 is as fast as most")

    @model_validator(mode="before")
    @classmethod
    def _take_preset(cls, given: Any) -> Any:
        """Start from a preset's parameters; parameters given explicitly override them."""
        name = given.get("preset") if isinstance(given, dict) else None
        if name is None or "preset" not in cls.model_fields:
            return given
        if name not in cls.presets:
            raise ValueError(f"there is no preset '{name}'{nearest(str(name), cls.presets)}")
        return {**cls.presets[name].params, **given}

    @classmethod
    def each_apart(cls, name: str, values: Sequence[Value]) -> str:
        """Explain how to compare several values of a parameter, or to choose the best of them."""
        of, listed = cls.plugin_name(), format_value(tuple(values))
        return f"give each a separate label under 'systems', or let tuned(of={of},search=grid({name}={listed})) choose one"

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
        """Whether parameters of this component, or of a component inside it, were chosen by their results on test data.

        If individually set parameters equal those of a preset chosen in this way, they count too. Defaults never count, because
        they were chosen for other reasons.
        """
        within: list[Plugin] = [plugins.build(kind, spec) for kind, spec in self.nested() if kind == self.kind]
        return self._is_calibrated() or any(getattr(each, "calibrated_on_test", False) for each in within)

    @property
    def side_information(self) -> tuple[str, ...] | None:
        """Columns that this recommender and its inner recommenders need, as in ``needs``; None if none of them reads any."""
        within = [plugins.build(kind, spec) for kind, spec in self.nested() if kind == self.kind]
        needs = [self._own_needs(), *(each.side_information for each in within if isinstance(each, Recommender))]
        read = [columns for columns in needs if columns is not None]
        return tuple(dict.fromkeys(column for columns in read for column in columns)) if read else None

    def _own_needs(self) -> tuple[str, ...] | None:
        return self.needs

    def _is_calibrated(self) -> bool:
        if self.chosen_preset is not None and self.chosen_preset.calibrated_on_test:
            return True
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        now = {name: getattr(self, name) for name in defaults if name != "preset"}
        suspects = [preset.params for preset in self.presets.values() if preset.calibrated_on_test]
        return any(now == {**now, **params} and any(now[name] != defaults[name] for name in params) for params in suspects)

    def _defaults(self) -> dict[str, Any]:
        return {**super()._defaults(), **(self.chosen_preset.params if self.chosen_preset else {})}

    @returns(_check_amount)
    def bytes_needed(self, extent: Extent) -> float:
        """Return the peak memory of fitting and scoring, in bytes, beyond a few times the data; jobs on a cluster request it."""
        return 0

    @returns(_check_amount)
    def seconds_needed(self, extent: Extent) -> float:
        """Return the seconds of fitting beyond a time proportional to the ratings; time limits on a cluster include them."""
        return 0

    @property
    def learned(self) -> Arrays:
        """The named arrays that `fit` learnt."""
        return self._learned

    def restore(self, arrays: Arrays) -> Self:
        """Restore the arrays that an earlier `fit` learnt."""
        self._learned = frozen(dict(arrays))
        return self

    @property
    def stream_name(self) -> str:
        """Name of the recommender in random streams; a wrapper returns its inner recommender's name."""
        return self.plugin_name()

    def choosing(self, choice: Spec) -> Self:
        """Return the recommender with the parameters that tuning chose; only `tuned` can do this.

        Raises DesignError if this recommender is not tuned.
        """
        raise DesignError(f"'{self.spec}' has no tuned parameters, but '{choice}' was chosen for it")

    @property
    def score_files(self) -> str | None:
        """Path, with placeholders in braces, of the score files that replace a model; None for recommenders that learn."""
        return None

    def scored_lists(self, train: Interactions, users: Ints) -> ScoredLists | None:
        """Return the scored items of some users, if these are few; None if `score_targets` should be called instead.

        Only recommenders that read score files do this; the scores must be the same as those of `score_targets`.
        """
        return None

    @property
    def has_places_only(self) -> bool:
        """Whether only the places of judged items among a user's targets are known; rankings then have no lists."""
        return False

    def on_split(self, names: Mapping[str, str]) -> Self:
        """Return the recommender for one split, given the names for `SPLIT_NAMES`; only recommenders that read files change."""
        return self

    def within(self, outer: Spec) -> Self:
        """Return the recommender under a study's split; only `tuned` changes, if its own split follows the study's."""
        return self

    def on_fold(self, fold: str) -> Self:
        """Return the recommender for one fold of the split, such as ``repeat-0``; only recommenders that read files change.

        Raises ConfigError if there is no file for this fold.
        """
        return self

    def check_judged(self, train: Interactions, judged: Bools) -> None:
        """Check that enough judged users have scores; only recommenders that read score files do this.

        ``judged`` is a mask of shape (n_users,). Raises DataError if too few of these users are in the file.
        """

    @abstractmethod
    @returns(_check_fitted)
    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Learn from the train set, put named arrays into ``self._learned`` and return ``self``; ``train`` is never changed."""

    @abstractmethod
    @returns(_check_scores)
    def score(self, train: Interactions, users: Ints) -> Reals:
        """Return the scores of all items for some users: a new array, shape (len(users), n_items), NaN where not computable.

        A user's scores do not depend on the other users in the call.
        """

    def score_targets(self, train: Interactions, users: Ints, targets: Bools) -> Reals:
        """Score the targets of some users, given as a mask of shape (len(users), n_items); by default, as `score` does."""
        return self.score(train, users)


def learn(recommender: Recommender, train: Interactions, rng: np.random.Generator) -> Recommender:
    """Fit a recommender; the arrays that it learnt become read-only, as after `Recommender.restore`.

    Raises DesignError if ``fit`` does not return a recommender, or learns anything other than named arrays.
    """
    return freeze_arrays(recommender.fit(train, rng))


def freeze_arrays(fitted: Recommender) -> Recommender:
    """Make the arrays that a recommender learnt read-only."""
    fitted._learned = frozen(dict(fitted.learned))  # noqa: SLF001 - of this module's class
    return fitted


class Wrapper(Recommender):
    """A recommender that fits another recommender, and has the same randomness, threads and files as that recommender."""

    of: Annotated[Spec, *component("recommender")] = Field(description="the inner recommender")

    _fold: str | None = PrivateAttr(None)

    @property
    def inner(self) -> Recommender:
        """The inner recommender."""
        inner = Recommender.build(self._fitted_spec())
        return inner if self._fold is None else inner.on_fold(self._fold)

    def _fitted_spec(self) -> Spec:
        return self.of

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        """Whether the inner recommender is deterministic."""
        return self.inner.deterministic

    @property
    def draws(self) -> bool:  # type: ignore[override]
        """Whether the inner recommender draws at random."""
        return self.inner.draws

    @property
    def n_threads(self) -> int:  # type: ignore[override]
        """Number of threads that the inner recommender can use."""
        return self.inner.n_threads

    @property
    def pace(self) -> float:  # type: ignore[override]
        """The pace of the inner recommender."""
        return self.inner.pace

    def bytes_needed(self, extent: Extent) -> float:
        """Return the memory that the inner recommender needs, in bytes."""
        return self.inner.bytes_needed(extent)

    def seconds_needed(self, extent: Extent) -> float:
        """Return the time that the inner recommender needs, in seconds."""
        return self.inner.seconds_needed(extent)

    @property
    def stream_name(self) -> str:
        """The inner recommender's name; scores are then the same as without the wrapper."""
        return self.inner.stream_name

    def own_files(self) -> Sequence[Path]:
        """List the files of the inner recommender."""
        return self.inner.own_files()

    def on_split(self, names: Mapping[str, str]) -> Self:
        """Return the wrapper around the inner recommender for one split of a data set."""
        return self.model_copy(update={"of": self.inner.on_split(names).spec})

    def on_fold(self, fold: str) -> Self:
        """Return the wrapper around the inner recommender for one fold; raises the same errors as `Recommender.on_fold`."""
        bound = self.model_copy()
        bound._fold = fold  # noqa: SLF001 - of this class
        bound.inner  # noqa: B018 - refuses a fold without a file
        return bound
