"""Write the scores of another framework's trained model, and the split on which it was trained, to files that recsens reads.

Copy this file next to your script. It needs Python 3.8 or later and NumPy, but not recsens. A few lines suffice, here for Cornac:

    import recsens_export

    scores = recsens_export.from_cornac(model, ratio_split)
    scores.save("exports/vaecf.npz")
    scores.save_split("exports")

There is one function per framework: ``from_recbole``, ``from_cornac``, ``from_lenskit``, ``from_rectools``, ``from_implicit``,
``from_replay`` and ``from_surprise``. ``from_torch`` takes a PyTorch module, and ``from_function`` any function that scores. All of
them return `Scores`, whose methods write files:

- ``save`` writes factors if the model is a product of factors, item-item weights if the model consists of such weights and they are
  smaller, and dense scores otherwise. Factors and weights are first compared with the model's own scores for some users.
- ``save_ranks`` writes, for each test item, how many candidates are above it and how many have the same score. This form is the
  smallest. It is enough for every metric of positions, but not for another split, nor for errors of predicted ratings.
- ``save_lists`` writes the best items of each user.
- ``save_split`` writes train.csv, validation.csv and test.csv.

Scores are computed for one block of users at a time, so that memory does not grow with the number of users. Users and items have
their raw names in every file. If anything does not fit, `ExportError` is raised, with one sentence, before a file is written.
"""

from __future__ import annotations

import csv
import inspect
import io
import os
import zipfile
from contextlib import contextmanager, suppress
from datetime import date, datetime, timezone
from pathlib import Path
from typing import IO, Any, Callable, Iterable, Iterator, NamedTuple, Sequence

import numpy as np

VERSION = 1
"""Version of the score format that this file writes."""

_CELLS = 1 << 22
"""Number of scores in a block of users."""

_TRIED_USERS = 24
"""Number of users for whom a product of factors, or a sum of weights, is compared with the model's own scores."""

_TOLERANCE = 1e-5
"""Largest difference that counts as a rounding error, as a share of the range between a user's lowest and highest score."""

_ROUNDING = 16 * 2.0**-23
"""Largest rounding error of float32, as a share of a user's largest score, but at most a hundredth of the range of the scores."""

_FLOATS = ("float16", "float32", "float64")

_COLUMNS = {
    "user": ("user", "user_id", "userId", "userID", "query_id", "uid"),
    "item": ("item", "item_id", "itemId", "itemID", "movieId", "iid"),
    "rating": ("rating", "weight", "relevance", "label", "score"),
    "timestamp": ("timestamp", "datetime", "time"),
}
"""The names that a column may have, by its role."""


class ExportError(Exception):
    """An error about a model, its ids or its scores. The message says in one sentence what is wrong, and what to do."""


class Profiles(NamedTuple):
    """The rated items of all users, user by user."""

    item: np.ndarray
    rating: np.ndarray
    indptr: np.ndarray


class Rows:
    """The rated pairs in one set of a split, as positions in two lists of raw names, with ratings and times if known."""

    def __init__(
        self,
        user_names: np.ndarray,
        item_names: np.ndarray,
        user: np.ndarray,
        item: np.ndarray,
        rating: np.ndarray | None = None,
        timestamp: np.ndarray | None = None,
    ) -> None:
        self.user_names = user_names
        self.item_names = item_names
        self.user = np.asarray(user, dtype=np.int64)
        self.item = np.asarray(item, dtype=np.int64)
        self.rating = None if rating is None else np.asarray(rating, dtype=np.float64)
        self.timestamp = None if timestamp is None else _times(timestamp, "the interactions")
        for positions, names, what in ((self.user, user_names, "users"), (self.item, item_names, "items")):
            if len(positions) and not (positions.min() >= 0 and positions.max() < len(names)):
                raise ExportError(f"the interactions name {what} beyond the {len(names):,} {what} that have an id")

    def __len__(self) -> int:
        return len(self.user)

    def profiles(self, users: np.ndarray, items: np.ndarray) -> Profiles:
        """Return each user's rated items as positions in other lists of names, without pairs that have no name in these lists."""
        user, item = self.at(users, items)
        kept = np.flatnonzero((user >= 0) & (item >= 0))
        kept = kept[np.argsort(user[kept], kind="stable")]
        rating = np.ones(len(kept)) if self.rating is None else self.rating[kept]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(user[kept], minlength=len(users)))))
        return Profiles(item[kept], rating, indptr)

    def at(self, users: np.ndarray, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each pair, the positions of its user and item in other lists of names; -1 if a name is not in the list."""
        return _positions(self.user_names, users)[self.user], _positions(self.item_names, items)[self.item]


class Split(NamedTuple):
    """The sets of a split; a set that was not given is None."""

    train: Rows | None = None
    validation: Rows | None = None
    test: Rows | None = None


class Factors(NamedTuple):
    """Scores as a product: s(u, i) = global + b_u + b_i + p_u . q_i."""

    user_factors: np.ndarray
    item_factors: np.ndarray
    user_biases: np.ndarray | None = None
    item_biases: np.ndarray | None = None
    global_bias: float | None = None

    def block(self, users: np.ndarray) -> np.ndarray:
        """Return the scores of some users for all items."""
        scores = self.user_factors[users].astype(np.float64) @ self.item_factors.astype(np.float64).T
        if self.user_biases is not None:
            scores += self.user_biases[users, None]
        if self.item_biases is not None:
            scores += self.item_biases
        if self.global_bias is not None:
            scores += self.global_bias
        return np.asarray(scores)


class Weights(NamedTuple):
    """Scores as sums over the user's train items: s(u, j) = sum of r_ui W_ij, where r is 1 or the rating in train.

    W is stored by rows. If no item of the user has a weight for a candidate, the candidate has no score if ``unreached`` is
    ``none``, and otherwise the score 0.
    """

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    profile: str = "ones"
    unreached: str = "zero"

    @classmethod
    def of(cls, matrix: Any, profile: str = "ones", unreached: str = "zero") -> Weights:
        """Make weights from a matrix of items x items, which is an array or a SciPy sparse matrix; zeros are left out."""
        if hasattr(matrix, "tocsr"):
            rows = matrix.tocsr().copy()
            rows.sum_duplicates()
            return cls(np.asarray(rows.data), np.asarray(rows.indices), np.asarray(rows.indptr), profile, unreached)
        matrix = np.asarray(matrix)
        row, column = np.nonzero(matrix)
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(matrix)))))
        return cls(matrix[row, column], column, indptr, profile, unreached)

    def block(self, users: np.ndarray, profiles: Profiles) -> np.ndarray:
        """Return the scores of some users for all items."""
        scores = np.zeros((len(users), len(self.indptr) - 1))
        reached = np.zeros(scores.shape, dtype=np.bool_)
        for row, user in enumerate(users):
            own = slice(profiles.indptr[user], profiles.indptr[user + 1])
            for item, rating in zip(profiles.item[own], profiles.rating[own]):
                within = slice(self.indptr[item], self.indptr[item + 1])
                scores[row, self.indices[within]] += (1.0 if self.profile == "ones" else rating) * self.data[within]
                reached[row, self.indices[within]] = True
        if self.unreached == "none":
            scores[~reached] = np.nan
        return scores


class Scores:
    """A model's scores for every user and item, ready to be written.

    Parameters
    ----------
    users, items
        Raw names, in the order of the model's rows and columns.
    block
        Function that returns the scores of users at given positions for all items, shape (number of these users, items).
    split
        The sets on which the model was trained and is tested.
    unscored
        Whether scores may be NaN, which means that the model has no score for the pair.
    products
        Function that yields products which may equal the scores. The first product that equals ``block`` for some users is used.
        The function is called after these users have been scored.
    """

    def __init__(
        self,
        users: Iterable[Any],
        items: Iterable[Any],
        block: Callable[[np.ndarray], Any],
        split: Split | None = None,
        unscored: bool = False,
        products: Callable[[], Iterable[Any]] | None = None,
    ) -> None:
        self.users = _names(users, "users")
        self.items = _names(items, "items")
        self.split = split or Split()
        self._block = block
        self._unscored = unscored
        if not len(self.users) or not len(self.items):
            raise ExportError("there are no users or no items: give the names of those on which the model was trained")
        self._check_train()
        self.product = self._first_exact(products)

    def save(self, path: str | os.PathLike[str], form: str | None = None, dtype: str | None = None) -> str:
        """Write the scores of every user and item to ``NAME.npz``, or densely to ``NAME.npy`` with two lists of names next to it.

        Parameters
        ----------
        path
            The file to write. Its folder is created, and a name without an ending gets ``.npz``.
        form
            ``factors``, ``item_weights`` or ``dense``; by default, the smallest form that reproduces the model's scores.
        dtype
            ``float16``, ``float32`` or ``float64``; by default, float32 for dense scores, and the model's own type for factors and
            weights.

        Returns
        -------
        str
            One line that says what was written; it is also printed.

        Raises
        ------
        ExportError
            If the model does not have this form, if a score is infinite, if a score is NaN although NaN is not allowed, or if the
            numbers do not fit into ``dtype``.
        """
        path = _file(path, (".npz", ".npy"))
        if dtype is not None and dtype not in _FLOATS:
            raise ExportError(f"dtype is {dtype!r}: give {', '.join(_FLOATS)}")
        form = self._form(form, path)
        if form == "dense":
            return self._save_dense(path, np.dtype(dtype or "float32"))
        return self._save_product(path, dtype)

    def save_ranks(self, path: str | os.PathLike[str], exclude: Sequence[str] = ("train", "validation")) -> str:
        """Write judged ranks to ``NAME.npz``: for each test pair, the numbers of candidates with a higher and with the same score.

        Candidates are the items that the model scores, except the user's items in the excluded sets of the split. Scores are
        compared in the model's own precision. A test pair is left out, and counted, if the model lacks its user or its item, if the
        model has no score for it, or if it is also in an excluded set.

        Raises
        ------
        ExportError
            If there is no test set, or if no pair of the test set can be ranked.
        """
        path = _file(path, (".npz",))
        test = self._side("test", "save_ranks")
        user, item = test.at(self.users, self.items)
        known = (user >= 0) & (item >= 0)
        pairs = np.unique(user[known] * len(self.items) + item[known])
        user, item = np.divmod(pairs, len(self.items))
        above, equal, candidates = (np.zeros(len(pairs), dtype=np.int64) for _ in range(3))
        for users, scores in self._candidates(np.unique(user), exclude):
            for row, of in enumerate(users):
                own = slice(*np.searchsorted(user, (of, of + 1)))
                ordered = np.sort(scores[row][~np.isnan(scores[row])])
                judged = scores[row, item[own]]
                last = np.searchsorted(ordered, judged, "right")
                above[own] = len(ordered) - last
                equal[own] = last - np.searchsorted(ordered, judged, "left") - 1
                candidates[own] = np.where(np.isnan(judged), 0, len(ordered))
        kept = candidates > 0
        if not kept.any():
            raise ExportError("no test pair can be ranked: users or items have different names in the test set and in the model")
        arrays = {"users": self.users, "items": self.items, "user": user, "item": item}
        arrays.update(above=above, equal=equal, candidates=candidates)
        for name in ("user", "item", "above", "equal", "candidates"):
            arrays[name] = arrays[name][kept].astype(np.int32)
        _write_npz(path, "judged_ranks", arrays)
        told = f"judged ranks of {np.count_nonzero(kept):,} test pairs"
        lost = {
            "whose user or item the model does not know": np.count_nonzero(~known),
            "that occur twice": np.count_nonzero(known) - len(pairs),
            "that are not candidates or have no score": np.count_nonzero(~kept),
        }
        return _told(path, told + "".join(f", without {n:,} {why}" for why, n in lost.items() if n))

    def save_lists(self, path: str | os.PathLike[str], depth: int = 1000, exclude: Sequence[str] = ("train", "validation")) -> str:
        """Write the ``depth`` best candidates of every user, with scores, to ``NAME.npz``; ties are in the order of the items.

        Candidates are as in `save_ranks`.
        """
        path = _file(path, (".npz",))
        if depth < 1:
            raise ExportError(f"depth is {depth}: give the number of items per list, 1 or more")
        lengths: list[np.ndarray] = []
        listed: list[np.ndarray] = []
        scored: list[np.ndarray] = []
        for _, scores in self._candidates(np.arange(len(self.users)), exclude):
            order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
            best = np.take_along_axis(scores, order, axis=1)
            has = ~np.isnan(best)
            lengths.append(np.count_nonzero(has, axis=1))
            listed.append(order[has].astype(np.int32))
            scored.append(best[has])
        indptr = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
        arrays = {"users": self.users, "items": self.items, "indptr": indptr}
        arrays.update(indices=np.concatenate(listed), scores=np.concatenate(scored))
        _write_npz(path, "lists", arrays)
        return _told(path, f"lists of at most {depth:,} items for {len(self.users):,} users")

    def save_split(self, folder: str | os.PathLike[str], overwrite: bool = False) -> str:
        """Write the sets of the split to train.csv, validation.csv and test.csv, with user, item, rating and timestamp.

        Pairs without a rating get the rating 1.

        Raises
        ------
        ExportError
            If no split was given, or, unless ``overwrite``, if the folder has a file with one of these names and different content.
        """
        sides = {name: rows for name, rows in self.split._asdict().items() if rows is not None}
        if not sides:
            raise ExportError("no split was given: pass train, validation and test to the function that takes the model")
        paths = {name: _file(Path(folder) / f"{name}.csv", (".csv",)) for name in self.split._fields}
        texts = {name: _csv(rows) for name, rows in sides.items()}
        for name, path in paths.items():
            if path.exists() and not overwrite and (name not in texts or path.read_bytes() != texts[name]):
                raise ExportError(f"{path} already exists with a different split: name another folder, or give overwrite=True")
        for name, path in paths.items():
            if name in texts:
                with _replacing(path) as file:
                    file.write(texts[name])
            elif path.exists():
                path.unlink()
        held = ", ".join(f"{name} {len(rows):,}" for name, rows in sides.items())
        said = f"{folder}: rows of {held}"
        print(said, flush=True)
        return said

    def blocks(self, users: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield positions of users, block by block, with the checked scores of these users for all items.

        If the scores are a product of factors, they are computed from the factors in float64, so all forms agree.
        """
        users = np.arange(len(self.users)) if users is None else users
        return self._in_blocks(users, self.product.block if isinstance(self.product, Factors) else self._block)

    def _in_blocks(self, users: np.ndarray, block: Callable[[np.ndarray], Any]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        size = max(1, _CELLS // len(self.items))
        for start in range(0, len(users), size):
            asked = users[start : start + size]
            yield asked, self._checked(asked, block(asked))

    def _checked(self, users: np.ndarray, given: Any) -> np.ndarray:
        scores = _array(given)
        if scores.dtype.kind in "biu":
            scores = scores.astype(np.float64)
        if scores.dtype.kind != "f":
            raise ExportError(f"the model returned {scores.dtype} instead of numbers")
        if scores.shape != (len(users), len(self.items)):
            shape = " x ".join(map(str, scores.shape))
            raise ExportError(
                f"the model returned scores of shape {shape} for {len(users):,} users and {len(self.items):,} items: "
                "do the names belong to this model?"
            )
        wrong = np.isinf(scores) if self._unscored else ~np.isfinite(scores)
        if wrong.any():
            row, column = (where[0] for where in np.nonzero(wrong))
            raise ExportError(
                f"the score of user '{self.users[users[row]]}' and item '{self.items[column]}' is {scores[row, column]}: "
                + ("infinite scores cannot be ranked" if self._unscored else "did the training diverge?")
            )
        return scores

    def _candidates(self, users: np.ndarray, exclude: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield blocks of scores in which items of the excluded sets are NaN."""
        unknown = set(exclude) - {"train", "validation"}
        if isinstance(exclude, str) or unknown:
            raise ExportError(f"exclude is {exclude!r}: give ('train', 'validation'), ('train',) or ()")
        if "train" in exclude:
            self._side("train", "leaving train items out of the candidates")
        sides = [rows for rows in (getattr(self.split, side) for side in exclude) if rows is not None]
        hidden = [rows.profiles(self.users, self.items) for rows in sides]
        for asked, scores in self.blocks(users):
            free = np.array(scores)
            for row, user in enumerate(asked):
                for profiles in hidden:
                    free[row, profiles.item[profiles.indptr[user] : profiles.indptr[user + 1]]] = np.nan
            yield asked, free

    def _side(self, name: str, of: str) -> Rows:
        rows: Rows | None = getattr(self.split, name)
        if rows is None or not len(rows):
            raise ExportError(f"{of} needs the {name} set: pass {name}= to the function that takes the model")
        return rows

    def _check_train(self) -> None:
        """Refuse a train set that has no user or no item in common with the model, because its names must be different."""
        if self.split.train is None or not len(self.split.train):
            return
        for names, own, what in (
            (self.split.train.user_names, self.users, "users"),
            (self.split.train.item_names, self.items, "items"),
        ):
            if (_positions(names, own) < 0).all():
                raise ExportError(f"no name of {what} in train ('{names[0]}', ...) is a name in the model ('{own[0]}', ...)")

    def _first_exact(self, products: Callable[[], Iterable[Any]] | None) -> Any:
        """Return the first product that equals the model's own scores for some users, or None."""
        if products is None:
            return None
        n = len(self.users)
        tried = np.unique(np.linspace(0, n - 1, min(n, _TRIED_USERS)).astype(np.int64))
        own = np.concatenate([scores for _, scores in self._in_blocks(tried, self._block)]).astype(np.float64)
        # A framework's internals may be other than expected; scores are then written densely.
        with suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):
            for product in products():
                if isinstance(product, Factors) and _fits(product, n, len(self.items)):
                    found = product.block(tried)
                elif isinstance(product, Weights) and len(product.indptr) == len(self.items) + 1 and self.split.train is not None:
                    found = product.block(tried, self.split.train.profiles(self.users, self.items))
                else:
                    continue
                if _equal(found, own):
                    return product
        return None

    def _form(self, form: str | None, path: Path) -> str:
        held = {Factors: "factors", Weights: "item_weights"}.get(type(self.product), "dense")
        if form not in (None, "factors", "item_weights", "dense"):
            raise ExportError(f"form is {form!r}: give factors, item_weights or dense")
        if path.suffix == ".npy":
            if form not in (None, "dense"):
                raise ExportError(f"{path}: to write {form}, give a file name that ends in .npz")
            return "dense"
        if form not in (None, "dense", held):
            raise ExportError(f"this model is not known to have {form.replace('_', ' ')}: leave form out, or give {held}")
        if form is None and isinstance(self.product, Factors):
            form = held if self.product[0].size + self.product[1].size <= len(self.users) * len(self.items) else "dense"
        elif form is None and isinstance(self.product, Weights):  # A weight also needs its position.
            form = held if 2 * len(self.product.data) <= len(self.users) * len(self.items) else "dense"
        return form or "dense"

    def _save_product(self, path: Path, dtype: str | None) -> str:
        arrays = {name: value for name, value in self.product._asdict().items() if value is not None}
        for name, value in arrays.items():
            if isinstance(value, str):
                arrays[name] = np.array(value)
            elif name not in ("indices", "indptr"):
                arrays[name] = _narrowed(np.asarray(value), np.dtype(dtype) if dtype and np.ndim(value) else None, name)
        if isinstance(self.product, Weights):
            arrays["indices"] = arrays["indices"].astype(np.int32)
            arrays["indptr"] = arrays["indptr"].astype(np.int64)
            _write_npz(path, "item_weights", {"items": self.items, **arrays})
            return _told(path, f"{len(self.product.data):,} weights of {len(self.items):,} items, times the train rows")
        _write_npz(path, "factors", {"users": self.users, "items": self.items, **arrays})
        n_users, k = self.product.user_factors.shape
        return _told(path, f"{k:,} factors of {n_users:,} users and {len(self.items):,} items")

    def _save_dense(self, path: Path, dtype: np.dtype) -> str:
        shape = (len(self.users), len(self.items))
        made = [0, 0]

        def narrowed() -> Iterator[np.ndarray]:
            for _, scores in self.blocks():
                block = _narrowed(scores, dtype, "scores")
                made[0] += int(np.count_nonzero(np.isnan(block)))
                if dtype.itemsize < scores.dtype.itemsize:
                    made[1] += _new_ties(scores, block)
                yield block

        if path.suffix == ".npy":
            listed = {kind: _lines(names, path) for kind, names in (("users", self.users), ("items", self.items))}
            with _replacing(path) as file:
                _write_array(file, dtype, shape, narrowed())
            for kind, lines in listed.items():
                with _replacing(path.with_suffix(f".{kind}.txt")) as file:
                    file.write(lines)
        else:
            streamed = _Streamed(dtype, shape, narrowed())
            _write_npz(path, "dense", {"users": self.users, "items": self.items, "scores": streamed})
        told = f"{dtype.name} scores of {shape[0]:,} users and {shape[1]:,} items"
        told += f", {made[0]:,} pairs without a score" if made[0] else ""
        return _told(path, told + (f", {made[1]:,} ties made by rounding to {dtype.name}" if made[1] else ""))


def from_cornac(model: Any, split: Any = None) -> Scores:
    """Take a fitted Cornac model, and the evaluation method (such as ``RatioSplit``) or the train set with which it was fitted.

    Without these, the train set that the model keeps is used; a model that was read from a file keeps no train set. The users are
    those of the train set. The items are also those of the train set, unless the model scores all items of the split. If the model
    refuses to score a user, all items get Cornac's default score, as in Cornac's evaluation.
    """
    _need(model, "a Cornac model", "score", "uid_map", "iid_map", "num_users", "num_items")
    if model.uid_map is None or model.num_users is None:
        raise ExportError("this Cornac model is not fitted: call model.fit, or run the experiment, first")
    if any("NextItem" in base.__name__ or "NextBasket" in base.__name__ for base in type(model).__mro__):
        raise ExportError(
            "this Cornac model scores a history of items or baskets: compute each user's scores and use from_function"
        )
    users = _ordered(model.uid_map, model.num_users, "users")
    n_items = _size_of_cornac(model)
    items = _ordered(model.iid_map, n_items, "items")

    def score(user: int) -> np.ndarray:
        found = _unless("ScoreException", model.score, int(user))
        return np.full(n_items, float(model.default_score())) if found is None else np.asarray(found).reshape(-1)

    def products() -> Iterator[Any]:
        yield from _factors_among(
            model,
            (len(users), n_items),
            pairs=(("u_factors", "i_factors"), ("U", "V"), ("Theta", "Beta")),
            user_biases=("u_biases", "Bu"),
            item_biases=("i_biases", "Bi"),
            global_biases=("global_mean",),
        )
        if getattr(model, "B", None) is not None:
            yield Weights.of(model.B, "ratings")
            yield Weights.of(model.B, "ones")

    sides = split if hasattr(split, "train_set") else model if split is None else None
    train = split if sides is None else getattr(sides, "train_set", None)
    validation, test = getattr(sides, "val_set", None), getattr(sides, "test_set", None)
    parts = _split_of(_rows_of_cornac, train, validation, test)
    return Scores(users, items, lambda asked: np.stack([score(user) for user in asked]), parts, products=products)


def _size_of_cornac(model: Any) -> int:
    """Return the number of items that a Cornac model scores: the items of the train set, or all items of its split."""
    found = _unless("ScoreException", model.score, 0)
    n_items = 0 if found is None else np.size(found)
    return int(n_items) if n_items == len(model.iid_map) else int(model.num_items)


def _unless(error_name: str, score: Callable[..., Any], *arguments: Any) -> Any:
    """Call a model's function; return None if it raises the framework's own error, whose class this file cannot import."""
    try:
        return score(*arguments)
    except Exception as error:
        if type(error).__name__ != error_name:
            raise
        return None


def _split_of(rows: Callable[[Any, str], Any], train: Any, validation: Any, test: Any) -> Split:
    """Convert each set of a split to rows."""
    return Split(rows(train, "train"), rows(validation, "validation"), rows(test, "test"))


def from_implicit(
    model: Any, users: Iterable[Any], items: Iterable[Any], train: Any = None, validation: Any = None, test: Any = None
) -> Scores:
    """Take a fitted model of implicit, and the raw names of the rows and columns of the matrix on which it was fitted.

    ``train`` is that matrix; a model of nearest neighbours needs it. Each set is a sparse matrix of the same shape with ratings as
    values, or any form that `from_function` takes. The scores are compared with the model's ``recommend``, if the model has this
    method.
    """
    users, items = _names(users, "users"), _names(items, "items")
    split = _split_of(lambda side, what: _rows(side, what, users, items), train, validation, test)
    if hasattr(model, "similarity"):
        if model.similarity is None:
            raise ExportError("this model of implicit is not fitted: call model.fit(user_items) first")
        if split.train is None:
            raise ExportError("a model of nearest neighbours needs users' train items for its scores: give train=user_items")
        weights = Weights.of(model.similarity, "ratings", "none")
        _fit_ids(model.similarity.shape[0], items, "items")
        profiles = split.train.profiles(users, items)
        block = _scoring_by_recommend(model, len(items), profiles) or (lambda asked: weights.block(asked, profiles))
        return Scores(users, items, block, split, unscored=True, products=lambda: [weights])
    _need(model, "a model of implicit", "user_factors", "item_factors")
    if model.user_factors is None or model.item_factors is None:
        raise ExportError("this model of implicit is not fitted: call model.fit(user_items) first")
    factors = Factors(_array(model.user_factors), _array(model.item_factors))
    _fit_ids(len(factors.user_factors), users, "users")
    _fit_ids(len(factors.item_factors), items, "items")
    block = _scoring_by_recommend(model, len(items), None) or factors.block
    return Scores(users, items, block, split, products=lambda: [factors])


def _scoring_by_recommend(model: Any, n_items: int, profiles: Profiles | None) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return a function for the scores by a model's own ``recommend``, or None; some models need the users' ratings."""
    if not hasattr(model, "recommend"):
        return None
    from scipy.sparse import csr_matrix

    def block(asked: np.ndarray) -> np.ndarray:
        scores = np.full((len(asked), n_items), np.nan)
        for row, user in enumerate(asked):
            rated = None
            if profiles is not None:
                own = slice(profiles.indptr[user], profiles.indptr[user + 1])
                rated = csr_matrix((profiles.rating[own], profiles.item[own], [0, own.stop - own.start]), shape=(1, n_items))
            found, given = model.recommend(int(user), rated, N=n_items, filter_already_liked_items=False)
            scores[row, found] = given
        return scores

    return block


def from_surprise(algo: Any, validation: Any = None, test: Any = None, clip: bool = False) -> Scores:
    """Take a fitted Surprise algorithm, which keeps its train set; ``test`` is the list of pairs that ``algo.test`` takes.

    Scores are predicted ratings. They are not clipped to the rating scale, because clipping makes scores equal; ``clip=True`` clips
    them, as Surprise does. Scores of SVD, SVD++, NMF and the baseline are computed for many pairs at once, unless they are clipped.
    For all other algorithms, and for clipped scores, Surprise estimates each pair separately, in Python.
    """
    _need(algo, "an algorithm of Surprise", "estimate", "default_prediction")
    trainset = getattr(algo, "trainset", None)
    if trainset is None:
        raise ExportError("this algorithm of Surprise is not fitted: call algo.fit(trainset) first")
    users = _names([trainset.to_raw_uid(user) for user in range(trainset.n_users)], "users")
    items = _names([trainset.to_raw_iid(item) for item in range(trainset.n_items)], "items")
    low, high = trainset.rating_scale if clip else (-np.inf, np.inf)

    def estimate(user: int, item: int) -> float:
        found = _unless("PredictionImpossible", algo.estimate, user, item)
        found = algo.default_prediction() if found is None else found
        return min(high, max(low, float(found[0] if isinstance(found, tuple) else found)))

    def block(asked: np.ndarray) -> np.ndarray:
        return np.array([[estimate(int(user), item) for item in range(len(items))] for user in asked])

    user, item, rating = (np.array(column) for column in zip(*trainset.all_ratings()))
    train = Rows(users, items, user, item, rating)
    split = Split(train, _rows(validation, "validation"), _rows(test, "test"))
    return Scores(users, items, block, split, products=None if clip else lambda: _factors_of_surprise(algo, train))


def _factors_of_surprise(algo: Any, train: Rows) -> Iterator[Factors]:
    """Yield factors whose product may equal the scores of a Surprise algorithm."""
    p, q, y = (getattr(algo, name, None) for name in ("pu", "qi", "yj"))
    mean = algo.trainset.global_mean
    if q is None and getattr(algo, "bu", None) is not None and getattr(algo, "bi", None) is not None:
        yield Factors(np.zeros((len(algo.bu), 1)), np.zeros((len(algo.bi), 1)), algo.bu, algo.bi, mean)
    if p is None or q is None:
        return
    if y is not None:
        counts = np.bincount(train.user, minlength=len(p))
        sums = np.zeros_like(p)
        np.add.at(sums, train.user, y[train.item])
        p = p + sums / np.sqrt(np.maximum(counts, 1))[:, None]
    if getattr(algo, "bu", None) is not None:
        yield Factors(p, q, algo.bu, algo.bi, mean)
    yield Factors(p, q)


def from_lenskit(pipeline: Any, train: Any, validation: Any = None, test: Any = None) -> Scores:
    """Take a trained LensKit pipeline and the data set on which it was trained; ``test`` is an item list collection or a table.

    If the pipeline's node ``scorer`` has no score for a pair, the file has none either.
    """
    _need(pipeline, "a pipeline of LensKit", "run", "node")
    _need(train, "a data set of LensKit", "users", "items", "interaction_table")
    from lenskit.data import ItemList

    users, items = _array(train.users.ids()), _array(train.items.ids())
    everything = ItemList(item_ids=items)

    def score(user: int) -> np.ndarray:
        query = users[user].item() if hasattr(users[user], "item") else users[user]
        found = pipeline.run("scorer", query=query, items=everything)
        return np.asarray(found.scores(), dtype=np.float64)

    split = _split_of(lambda side, what: _rows(_frame_of_lenskit(side), what), train, validation, test)
    return Scores(
        users,
        items,
        lambda asked: np.stack([score(user) for user in asked]),
        split,
        unscored=True,
        products=lambda: _products_of_lenskit(pipeline.node("scorer"), train),
    )


def _frame_of_lenskit(given: Any) -> Any:
    """Return the table of a data set or of an item list collection, and anything else unchanged."""
    if hasattr(given, "interaction_table"):
        return given.interaction_table(format="pandas", original_ids=True)
    return given.to_df() if hasattr(given, "to_df") else given


def _products_of_lenskit(node: Any, train: Any) -> Iterator[Any]:
    """Yield products that may equal a LensKit component's scores; by default, LensKit learns users' factors anew from histories."""
    component: Any = getattr(node, "component", None)
    if getattr(component, "weights", None) is not None:
        yield Weights.of(component.weights, "ones")
    if getattr(component, "item_embeddings", None) is None:
        return
    items, bias = _array(component.item_embeddings), getattr(component, "bias", None)
    shared = {} if bias is None else {"item_biases": bias.item_biases, "global_bias": float(bias.global_bias)}
    if getattr(component, "user_embeddings", None) is not None:
        yield Factors(_array(component.user_embeddings), items, getattr(bias, "user_biases", None), **shared)
    if hasattr(component, "new_user_embedding"):
        learnt = [component.new_user_embedding(user, train.user_row(user_num=user)) for user in range(train.user_count)]
        own = np.stack([_array(factors) for factors, _ in learnt])
        offsets = None if bias is None else np.array([float(offset or 0) for _, offset in learnt])
        yield Factors(own, items, offsets, **shared)


def from_rectools(model: Any, dataset: Any, validation: Any = None, test: Any = None) -> Scores:
    """Take a fitted RecTools model and the data set on which it was fitted; ``test`` is a table with ``user_id`` and ``item_id``.

    A pair that the model does not recommend at any depth has no score in the file.
    """
    _need(model, "a model of RecTools", "recommend", "is_fitted")
    _need(dataset, "a data set of RecTools", "user_id_map", "item_id_map", "get_raw_interactions")
    if not model.is_fitted:
        raise ExportError("this model of RecTools is not fitted: call model.fit(dataset) first")
    users = _array(dataset.user_id_map.external_ids)[: dataset.n_hot_users]
    items = _array(dataset.item_id_map.external_ids)

    def block(asked: np.ndarray) -> np.ndarray:
        found = model.recommend(users=users[asked], dataset=dataset, k=len(items), filter_viewed=False)
        row = _positions_in(found["user_id"].to_numpy(), users[asked], "to the user")
        scores = np.full((len(asked), len(items)), np.nan)
        scores[row, _positions_in(found["item_id"].to_numpy(), items, "the item")] = found["score"].to_numpy()
        return scores

    def products() -> Iterator[Any]:
        if hasattr(model, "get_vectors"):
            wanted = (dataset,) if inspect.signature(model.get_vectors).parameters else ()
            user_factors, item_factors = model.get_vectors(*wanted)
            yield Factors(_array(user_factors)[: len(users)], _array(item_factors))
        similar = getattr(getattr(model, "model", None), "similarity", None)
        matrix = similar if similar is not None else getattr(model, "weight", None)
        if matrix is not None and np.shape(matrix) == (len(items), len(items)):
            for unreached in ("none", "zero"):
                yield Weights.of(matrix, "ratings", unreached)

    split = _split_of(_rows, dataset.get_raw_interactions(), validation, test)
    return Scores(users, items, block, split, unscored=True, products=products)


def from_replay(model: Any, dataset: Any, validation: Any = None, test: Any = None) -> Scores:
    """Take a fitted RePlay model and the data set on which it was fitted; tables may be from pandas, Polars or Spark.

    The model recommends all items to every user, in blocks of users; a pair that it does not recommend has no score in the file.
    The users are those with interactions. The items are those on which the model was fitted, including items that have only
    features.
    """
    _need(model, "a model of RePlay", "predict")
    _need(dataset, "a data set of RePlay", "interactions", "feature_schema")
    if not hasattr(model, "fit_items"):
        raise ExportError("this model of RePlay is not fitted: call model.fit(dataset) first")
    columns = dataset.feature_schema
    user_column, item_column = columns.query_id_column, columns.item_id_column
    rated = {"user": user_column, "item": item_column, "rating": columns.interactions_rating_column}
    rated["timestamp"] = columns.interactions_timestamp_column
    named = {ours: name for ours, name in rated.items() if name}
    table = _pandas(dataset.interactions)
    users = np.unique(table[user_column].to_numpy())
    items = np.unique(_pandas(model.fit_items)[item_column].to_numpy())

    def block(asked: np.ndarray) -> np.ndarray:
        wanted = [each.item() if hasattr(each, "item") else each for each in users[asked]]
        found = _pandas(model.predict(dataset, k=len(items), queries=wanted, filter_seen_items=False))
        scores = np.full((len(asked), len(items)), np.nan)
        row = _positions_in(found[user_column].to_numpy(), users[asked], "to the user")
        scores[row, _positions_in(found[item_column].to_numpy(), items, "the item")] = found["rating"].to_numpy()
        return scores

    split = _split_of(lambda side, what: _rows(_pandas(side), what, names=named), table, validation, test)
    return Scores(users, items, block, split, unscored=True)


def from_recbole(model: Any, train_data: Any, valid_data: Any = None, test_data: Any = None) -> Scores:
    """Take a trained RecBole model and its data loaders, as ``data_preparation`` or ``load_data_and_model`` returns them.

    The users and items are those of the data set, without the padding. Items in the user's history keep their scores, although
    RecBole's own evaluation hides them. A sequential model scores the sequence of each user's test row, so every user must have one
    test row.
    """
    _need(model, "a model of RecBole", "predict", "full_sort_predict", "eval")
    import torch
    from recbole.data.interaction import Interaction

    loaders = {"train": train_data, "validation": valid_data, "test": test_data}
    sides = {what: _dataset_of_recbole(loader, what) for what, loader in loaders.items() if loader is not None}
    if "train" not in sides:
        raise ExportError("from_recbole needs train_data: the first loader that data_preparation(config, dataset) returns")
    data = sides["train"]
    user_field, item_field = data.uid_field, data.iid_field
    users, items = (_array(data.field2id_token[field])[1:] for field in (user_field, item_field))
    is_sequential = hasattr(data, "item_list_length_field")
    rows = _last_rows_of_recbole(sides.get("test")) if is_sequential else None
    if rows is not None:
        users = users[rows[0] - 1]

    def block(asked: np.ndarray) -> np.ndarray:
        if rows is not None:
            inputs = sides["test"].inter_feat[torch.as_tensor(rows[1][asked])]
        else:
            inputs = data.join(Interaction({user_field: torch.as_tensor(asked + 1)}))
        with _evaluating(model):
            scores = _scored_by_recbole(model, inputs, data)
        return _array(scores.reshape(len(asked), len(items) + 1))[:, 1:]

    def products() -> Iterator[Any]:
        if rows is None:
            yield from _products_of_recbole(model)

    split = Split(**{what: _rows_of_recbole(side) for what, side in sides.items()})
    return Scores(users, items, block, split, products=products)


def _dataset_of_recbole(loader: Any, what: str) -> Any:
    """Return the data set of a RecBole data loader; a data set is returned unchanged."""
    found = next((each for each in (getattr(loader, name, None) for name in ("_dataset", "dataset")) if each is not None), loader)
    _need(found, f"{what}: a data loader of RecBole", "inter_feat", "field2id_token", "uid_field", "iid_field")
    return found


def _last_rows_of_recbole(test: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the users of a sequential test set, and the row of each user."""
    if test is None:
        raise ExportError("a sequential model of RecBole scores the sequences of the test set: give test_data")
    user = _array(test.inter_feat[test.uid_field])
    found, first = np.unique(user, return_index=True)
    if len(found) < len(user):
        raise ExportError(
            "a sequential model of RecBole scores each test row separately, but some users have several: split by leave-one-out"
        )
    return found, first


def _scored_by_recbole(model: Any, inputs: Any, data: Any) -> Any:
    """Score all items for each row of the inputs with the model's method for all items; without such a method, pair by pair."""
    import torch

    device = next(model.parameters()).device
    try:
        return model.full_sort_predict(inputs.to(device))
    except NotImplementedError:  # RecBole's base class raises it for models that only score pairs, such as NeuMF
        pairs = inputs.repeat_interleave(data.item_num)
        pairs.update(data.get_item_feature().repeat(len(inputs)))
        parts = (pairs[start : start + (1 << 16)].to(device) for start in range(0, len(pairs), 1 << 16))
        return torch.cat([model.predict(part).reshape(-1) for part in parts])


def _products_of_recbole(model: Any) -> Iterator[Any]:
    """Yield products that may equal a RecBole model's scores: of embeddings (before or after its layers), or item weights."""
    for of_users, of_items in (("restore_user_e", "restore_item_e"), ("user_embedding", "item_embedding")):
        pair = [getattr(model, of_users, None), getattr(model, of_items, None)]
        if all(each is not None for each in pair):
            arrays = [_array(getattr(each, "weight", each)) for each in pair]
            if all(each.ndim == 2 for each in arrays):
                yield Factors(arrays[0][1:], arrays[1][1:])
    for name in ("item_similarity", "w"):
        matrix = getattr(model, name, None)
        if matrix is not None and np.ndim(matrix) == 2:
            yield Weights.of(matrix[1:, 1:], "ones")


def _rows_of_recbole(data: Any) -> Rows:
    """Return the interactions of a RecBole data set, including the first of each sequence, which only the item list contains."""
    feat, config = data.inter_feat, data.config
    fields = {"user": data.uid_field, "item": data.iid_field, "rating": config["RATING_FIELD"], "timestamp": config["TIME_FIELD"]}
    held = {what: field for what, field in fields.items() if field in feat.columns}
    columns = {what: _array(feat[field]) for what, field in held.items()}
    if hasattr(data, "item_list_length_field"):
        first = _array(feat[data.item_list_length_field]) == 1
        for what, field in held.items():
            listed = f"{field}{config['LIST_SUFFIX']}"
            begun = _array(feat[field])[first] if what == "user" else _array(feat[listed])[first, 0]
            columns[what] = np.concatenate([begun, columns[what]])
    users, items = (_names(data.field2id_token[fields[what]][1:], f"{what}s") for what in ("user", "item"))
    return Rows(users, items, columns["user"] - 1, columns["item"] - 1, columns.get("rating"), columns.get("timestamp"))


def from_torch(
    module: Any,
    users: Iterable[Any],
    items: Iterable[Any],
    train: Any = None,
    validation: Any = None,
    test: Any = None,
    pairs: bool = True,
    unscored: bool = False,
) -> Scores:
    """Take a PyTorch module that maps two tensors, the positions of users and of items, to one score per pair.

    With ``pairs=False``, the module maps the positions of users to a matrix of users x items. Positions refer to ``users`` and
    ``items``, the lists of raw names; the sets of the split are as in `from_function`.
    """
    _need(module, "a module of PyTorch", "eval", "parameters", "train", "modules")
    import torch

    users, items = _names(users, "users"), _names(items, "items")
    device = next((each.device for each in module.parameters()), torch.device("cpu"))
    everything = torch.arange(len(items), device=device)

    def block(asked: np.ndarray) -> np.ndarray:
        given = torch.as_tensor(asked, device=device)
        with _evaluating(module):
            scores = module(given.repeat_interleave(len(items)), everything.repeat(len(asked))) if pairs else module(given)
        return _array(scores.reshape(len(asked), len(items)) if pairs else scores)

    return from_function(block, users, items, train, validation, test, unscored)


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Set a PyTorch module to ``eval()``, without gradients; afterwards, restore the training mode of all its parts."""
    import torch

    trained = [(part, part.training) for part in module.modules()]
    try:
        module.eval()
        with torch.no_grad():
            yield
    finally:
        module.train(trained[0][1])  # some modules do more here than set the flag
        for part, was_training in trained:
            part.training = was_training


def from_function(
    score: Callable[[np.ndarray], Any],
    users: Iterable[Any],
    items: Iterable[Any],
    train: Any = None,
    validation: Any = None,
    test: Any = None,
    unscored: bool = False,
) -> Scores:
    """Take any function from positions in ``users`` to a matrix of scores: one row per user, and one column per item.

    If the scores are already computed, the function is ``lambda users: matrix[users]``. ``users`` and ``items`` are raw names.

    ``train``, ``validation`` and ``test`` are tables with columns for user, item and, if there are any, rating and timestamp (data
    frames of pandas or Polars, or dictionaries of columns), lists of tuples in this order, or sparse matrices of users x items
    whose values are ratings. A score of NaN is an error unless ``unscored``.
    """
    if not callable(score):
        raise ExportError(f"from_function takes a function from positions of users to scores, not {_kind(score)}")
    users, items = _names(users, "users"), _names(items, "items")
    split = _split_of(lambda side, what: _rows(side, what, users, items), train, validation, test)
    return Scores(users, items, score, split, unscored)


def _factors_among(
    model: Any,
    shape: tuple[int, int],
    pairs: Sequence[tuple[str, str]],
    user_biases: Sequence[str],
    item_biases: Sequence[str],
    global_biases: Sequence[str],
) -> Iterator[Factors]:
    """Yield every product that a model's attributes may form, those with most biases first, and then the biases alone."""

    def held(names: Sequence[str], n: int) -> list[np.ndarray | None]:
        arrays = [_array(value) for value in (getattr(model, name, None) for name in names) if value is not None]
        return [each.reshape(-1)[:n] for each in arrays] + [None]

    factors = [
        [_array(getattr(model, name)) for name in pair]
        for pair in pairs
        if all(getattr(model, each, None) is not None for each in pair)
    ]
    products = [(p[: shape[0]], q[: shape[1]]) for p, q in factors if p.ndim == q.ndim == 2]
    products.append((np.zeros((shape[0], 1)), np.zeros((shape[1], 1))))
    for p, q in products:
        for mean in held(global_biases, 1):
            for b_u in held(user_biases, shape[0]):
                for b_i in held(item_biases, shape[1]):
                    yield Factors(p, q, b_u, b_i, None if mean is None else float(mean[0]))


def _rows_of_cornac(data: Any, what: str) -> Rows | None:
    if data is None:
        return None
    _need(data, f"{what}: an evaluation method or a data set of Cornac", "uir_tuple", "uid_map", "iid_map")
    user, item, rating = data.uir_tuple
    users = _ordered(data.uid_map, len(data.uid_map), "users")
    items = _ordered(data.iid_map, len(data.iid_map), "items")
    return Rows(users, items, user, item, rating, getattr(data, "timestamps", None))


def _rows(
    given: Any, what: str, users: np.ndarray | None = None, items: np.ndarray | None = None, names: dict[str, str] | None = None
) -> Rows | None:
    """Convert one set of a split, in any form that `from_function` accepts, to rows."""
    if given is None or isinstance(given, Rows):
        return given
    if hasattr(given, "tocoo"):
        if users is None or items is None or given.shape != (len(users), len(items)):
            expected = "" if users is None or items is None else f", not {len(users):,} x {len(items):,} as the names"
            raise ExportError(f"{what} is a matrix of {' x '.join(f'{n:,}' for n in given.shape)}{expected}")
        cells = given.tocoo()
        return Rows(users, items, cells.row, cells.col, cells.data)
    if hasattr(given, "columns") or isinstance(given, dict):
        columns = _columns(given, what, names)
    else:
        columns = _columns_of_tuples(given, what)
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ExportError(f"{what}: columns differ in length: " + ", ".join(f"{len(c):,} {name}" for name, c in columns.items()))
    user_names, user = _coded(columns["user"], f"users of {what}")
    item_names, item = _coded(columns["item"], f"items of {what}")
    rating = columns.get("rating")
    if rating is not None:
        rating = np.asarray(rating, dtype=np.float64)
        if not np.isfinite(rating).all():
            raise ExportError(f"{what}: the rating of row {int(np.flatnonzero(~np.isfinite(rating))[0]) + 1:,} is not finite")
    timestamp = _times(columns["timestamp"], what) if "timestamp" in columns else None
    return Rows(user_names, item_names, user, item, rating, timestamp)


def _columns(table: Any, what: str, names: dict[str, str] | None) -> dict[str, np.ndarray]:
    held = [str(name) for name in (table if isinstance(table, dict) else table.columns)]
    found = {}
    for ours, known in _COLUMNS.items():
        wanted = known if names is None else tuple(filter(None, [names.get(ours)]))
        name = next((each for each in wanted if each in held), None)
        if name is not None:
            found[ours] = _array(table[name])
        elif ours in ("user", "item"):
            raise ExportError(f"{what}: no column of {ours}s among {', '.join(held)}: name it {' or '.join(wanted)}")
    return found


def _columns_of_tuples(rows: Any, what: str) -> dict[str, np.ndarray]:
    try:
        listed = [tuple(row) for row in rows]
    except TypeError:
        raise ExportError(
            f"{what} is {_kind(rows)}: give a table, tuples of user, item, rating and time, or a sparse matrix"
        ) from None
    widths = {len(row) for row in listed}
    if not listed or len(widths) > 1 or not widths <= {2, 3, 4}:
        raise ExportError(f"{what}: all tuples must have user and item, and rating and time if there are any")
    return dict(zip(_COLUMNS, (np.array(column, dtype=object if at < 2 else None) for at, column in enumerate(zip(*listed)))))


def _coded(values: np.ndarray, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct names among some values, and the position of each value among these names."""
    values = np.asarray(values)
    if values.dtype.kind == "O":
        values = _texts(values, what)
    distinct, positions = np.unique(values, return_inverse=True)
    return _names(distinct, what), positions.reshape(-1)


def _names(values: Iterable[Any], what: str) -> np.ndarray:
    """Return raw names as text; they must be distinct and not empty."""
    array = values if isinstance(values, np.ndarray) else np.array(list(values), dtype=object)
    texts = _texts(array.reshape(-1), what)
    if len(texts) and (texts == "").any():
        raise ExportError(f"{what}: the name at position {int(np.flatnonzero(texts == '')[0]):,} is empty")
    ordered = np.sort(texts)
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(twice):
        raise ExportError(f"{what}: the name '{ordered[twice[0]]}' occurs twice")
    return texts


def _texts(values: np.ndarray, what: str) -> np.ndarray:
    kind = values.dtype.kind
    if kind == "U":
        return values
    if kind in "iu":
        return values.astype(np.str_)
    if kind == "S":
        return np.char.decode(values, "utf-8")
    if kind != "O":
        raise ExportError(
            f"{what} are {values.dtype}, such as {values.flat[0] if values.size else '?'}: give them as text or whole numbers"
        )
    wrong = next(
        (each for each in values if isinstance(each, (bool, np.bool_)) or not isinstance(each, (str, bytes, int, np.integer))), None
    )
    if wrong is not None or any(each is None for each in values):
        raise ExportError(f"{what}: {wrong!r} is not a name: give text or whole numbers")
    texts = [each.decode("utf-8") if isinstance(each, bytes) else str(each) for each in values]
    return np.array(texts, dtype=np.str_) if texts else np.empty(0, dtype="U1")


def _ordered(positions: Any, n: int, what: str) -> np.ndarray:
    """Return the names with the positions 0 to n - 1 in a dictionary from names to positions."""
    names = {position: name for name, position in positions.items()}
    missing = next((position for position in range(n) if position not in names), None)
    if missing is not None:
        raise ExportError(
            f"the model has {n:,} {what}, but no {what[:-1]} has the position {missing:,}: these ids are not the model's"
        )
    return _names([names[position] for position in range(n)], what)


def _positions(names: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return the position of each name in another list; -1 if it is not in the list."""
    if names is among:
        return np.arange(len(names))
    where = {name: position for position, name in enumerate(among.tolist())}
    return np.array([where.get(name, -1) for name in names.tolist()], dtype=np.int64)


def _positions_in(values: np.ndarray, among: np.ndarray, what: str) -> np.ndarray:
    """Return the positions of raw names of any type, which a model recommended, in a list that must contain all of them."""
    order = np.argsort(among, kind="stable")
    found = order[np.minimum(np.searchsorted(among[order], values), len(among) - 1)]
    strange = np.flatnonzero(among[found] != values)
    if len(strange):
        raise ExportError(
            f"the model recommends {what} '{values[strange[0]]}', which the data set lacks: give the data set that it was fitted on"
        )
    return found


def _fit_ids(n: int, names: np.ndarray, what: str) -> None:
    if n != len(names):
        raise ExportError(
            f"the model has {n:,} {what}, but {len(names):,} names were given: give the names for the matrix that it was fitted on"
        )


def _fits(factors: Factors, n_users: int, n_items: int) -> bool:
    """Whether the shapes of a product match those of the scores."""
    p, q = factors.user_factors, factors.item_factors
    biases = ((factors.user_biases, n_users), (factors.item_biases, n_items))
    return (
        p.ndim == q.ndim == 2
        and p.shape == (n_users, q.shape[1])
        and len(q) == n_items
        and all(bias is None or np.shape(bias) == (n,) for bias, n in biases)
    )


def _equal(found: np.ndarray, own: np.ndarray) -> bool:
    """Whether scores are equal up to rounding, and missing for the same pairs.

    How large a rounding error may be depends on the range of the user's scores, because a difference that is small relative to the
    scores may still decide the order of all items.
    """
    known = ~np.isnan(own)
    if not np.array_equal(~np.isnan(found), known):
        return False
    highest = np.max(own, axis=1, initial=-np.inf, where=known)
    between = np.maximum(highest - np.min(own, axis=1, initial=np.inf, where=known), 0.0)
    rounding = _ROUNDING * np.max(np.abs(own), axis=1, initial=0.0, where=known)
    allowed = np.maximum(_TOLERANCE * between, np.where(between > 0, np.minimum(rounding, between / 100), rounding))
    return bool((np.max(np.abs(found - own), axis=1, initial=0.0, where=known) <= allowed).all())


def _need(given: Any, what: str, *attributes: str) -> None:
    lacking = [name for name in attributes if not hasattr(given, name)]
    if lacking:
        raise ExportError(f"{_kind(given)} is not {what}: it has no {' and no '.join(lacking)}")


def _kind(given: Any) -> str:
    if given is None:
        return "None"
    of = type(given)
    return f"a value of type {of.__qualname__ if of.__module__ == 'builtins' else f'{of.__module__}.{of.__qualname__}'}"


def _array(given: Any) -> np.ndarray:
    """Return a NumPy array from a PyTorch tensor, a matrix on a GPU, a column of a table, or anything array-like."""
    for name in ("detach", "cpu"):
        given = getattr(given, name)() if hasattr(given, name) else given
    for name in ("to_numpy", "numpy"):
        if not isinstance(given, np.ndarray) and hasattr(given, name):
            given = getattr(given, name)()
    return np.asarray(given)


def _pandas(table: Any) -> Any:
    """Return a Spark or Polars table as a pandas table."""
    convert = getattr(table, "toPandas", getattr(table, "to_pandas", None))
    return table if convert is None else convert()


def _times(given: Any, what: str) -> np.ndarray:
    """Return time stamps as numbers. Dates become seconds since 1970, and are in UTC if they have no time zone."""
    times = np.asarray(given)
    if times.dtype.kind == "O":
        missing = np.flatnonzero(np.isin(times.astype(np.str_), ("None", "NaT", "nan", "<NA>")))
    else:
        missing = np.flatnonzero(times != times)  # noqa: PLR0124 - as only NaN and NaT are
    if len(missing):
        raise ExportError(f"{what}: the time stamp of row {missing[0] + 1:,} is missing: leave out such rows, or all time stamps")
    if times.dtype.kind == "O":
        times = np.array([_instant(each) for each in times.tolist()])
    if len(times) and times.dtype.kind not in "iufM":
        raise ExportError(
            f"{what}: time stamps such as {times[0]!s} are neither numbers nor dates: convert them, or leave them out"
        )
    if times.dtype.kind != "M":
        return times
    nanoseconds = times.astype("datetime64[ns]").astype(np.int64)
    return nanoseconds // 10**9 if (nanoseconds % 10**9 == 0).all() else nanoseconds / 1e9


def _instant(given: Any) -> Any:
    """Return a date as a NumPy date in UTC, and anything else unchanged."""
    if isinstance(given, datetime) and given.tzinfo is not None:
        given = given.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64(given) if isinstance(given, date) else given


def _narrowed(values: np.ndarray, dtype: np.dtype | None, what: str) -> np.ndarray:
    """Return numbers converted to another type, by default the same type; no number may become infinite."""
    with np.errstate(over="ignore"):
        narrow = values if dtype is None else values.astype(dtype)
    if narrow.dtype.name not in _FLOATS:
        narrow = narrow.astype(np.float64)
    if what != "scores" and not np.isfinite(values).all():
        raise ExportError(f"{what.replace('_', ' ')} of the model contain NaN or infinity: did the training diverge?")
    if np.isinf(narrow).any():
        raise ExportError(f"{what.replace('_', ' ')} up to {np.nanmax(np.abs(values)):g} do not fit into {narrow.dtype.name}")
    return narrow


def _new_ties(scores: np.ndarray, narrow: np.ndarray) -> int:
    """Count neighbours in the order of a user's scores that differ, but are equal in a narrower type."""
    order = np.argsort(scores, axis=1)
    before = np.diff(np.take_along_axis(scores, order, axis=1), axis=1)
    after = np.diff(np.take_along_axis(narrow, order, axis=1), axis=1)
    return int(np.count_nonzero((before != 0) & (after == 0)))


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that gets its name only after it is complete; so no program reads an incomplete file."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(path)
    finally:
        if temporary.exists():
            temporary.unlink()


class _Streamed(NamedTuple):
    """An array with only one block of rows in memory at a time."""

    dtype: np.dtype
    shape: tuple[int, int]
    blocks: Iterator[np.ndarray]


def _file(path: str | os.PathLike[str], endings: Sequence[str]) -> Path:
    """Return a path with one of some endings, after creating its folder; a name without an ending gets the first ending."""
    found = Path(path)
    if not found.suffix:
        found = found.with_name(f"{found.name}{endings[0]}")
    if found.suffix not in endings:
        raise ExportError(f"{found}: name the file NAME{' or NAME'.join(endings)}")
    found.parent.mkdir(parents=True, exist_ok=True)
    return found


def _write_npz(path: Path, kind: str, arrays: dict[str, Any]) -> None:
    """Write arrays as NumPy does, but always with the same bytes; compress names and positions, but not a model's numbers."""
    held = {"recsens_scores": np.array(VERSION), "kind": np.array(kind), **arrays}
    with _replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, value in held.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            is_float = value.dtype.kind == "f"
            entry.compress_type = zipfile.ZIP_STORED if is_float else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as member:
                if isinstance(value, _Streamed):
                    _write_array(member, value.dtype, value.shape, value.blocks)
                else:
                    _write_array(member, value.dtype, value.shape, [value])


def _write_array(file: Any, dtype: np.dtype, shape: tuple[int, ...], blocks: Iterable[np.ndarray]) -> None:
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    for block in blocks:
        file.write(np.ascontiguousarray(block).tobytes())


def _lines(names: np.ndarray, path: Path) -> bytes:
    """Return names as text, one per line."""
    broken = next((name for name in names.tolist() if len(name.splitlines()) != 1), None)
    if broken is not None:
        raise ExportError(f"{path}: the name {broken!r} has several lines: write to a file that ends in .npz")
    return "".join(f"{name}\n" for name in names.tolist()).encode("utf-8")


def _csv(rows: Rows) -> bytes:
    """Return the text of interactions as CSV."""
    rating = np.ones(len(rows)) if rows.rating is None else rows.rating
    columns = [rows.user_names[rows.user].tolist(), rows.item_names[rows.item].tolist(), _numbers(rating)]
    names = ["user", "item", "rating"]
    if rows.timestamp is not None:
        columns.append(_numbers(rows.timestamp))
        names.append("timestamp")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns))
    return text.getvalue().encode("utf-8")


def _numbers(values: np.ndarray) -> list[Any]:
    """Return numbers for writing: whole numbers become integers, without a decimal point."""
    values = np.asarray(values)
    is_whole = values.dtype.kind in "iu" or (
        np.isfinite(values).all() and (values == np.floor(values)).all() and (np.abs(values) < 2**53).all()
    )
    return list((values.astype(np.int64) if is_whole else values).tolist())


def _told(path: Path, what: str) -> str:
    said = f"{path}: {what}, {path.stat().st_size / 1e6:.1f} MB"
    print(said, flush=True)
    return said
