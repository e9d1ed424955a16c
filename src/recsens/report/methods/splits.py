"""How train and test were separated, in prose."""

from collections.abc import Callable, Mapping

from recsens.conclusions.verdicts.components import built
from recsens.data.splitting import Splitter
from recsens.errors import RecsensError
from recsens.plugins.specs import Spec, parse
from recsens.report.methods.phrases import full, own_words, several, share, value


def split_sentences(split: Spec, repeats: int) -> list[str]:
    """Say how train and test were separated, and how often that was drawn."""
    return [*_said(split, "the ratings"), *_repeated(split, repeats)]


def _said(split: Spec, whose: str) -> list[str]:
    """Say how a split divides ``whose`` ratings."""
    if split.name not in SPLITS:
        return [own_words("split", "The data were split by", split)]
    return SPLITS[split.name](full("split", split), whose)


def _repeated(split: Spec, repeats: int) -> list[str]:
    splitter = built("split", split)
    has_folds = isinstance(splitter, Splitter) and _n_folds(splitter) > 1
    if repeats > 1:
        over = "draws and folds" if has_folds else "draws"
        return [f"This was drawn {repeats:,} times; values are means over all {over}."]
    if has_folds:
        return ["Values are means over the folds."]
    return []


def _n_folds(splitter: Splitter) -> int:
    try:
        return splitter.n_folds
    except RecsensError:
        # The files that tell how many there are may be gone since the study ran.
        return 1


def _random(spec: Spec, whose: str) -> list[str]:
    ratio = float(str(spec.get("ratio")))
    if spec.get("count") == "exact":
        return [f"We split {whose} at random: {share(ratio)} (rounded down) for training, the others for testing."]
    return [
        (
            f"We split {whose} at random: each was taken for training with probability {value(ratio)}, independently of all others "
            f"({share(ratio)} on average), and for testing otherwise."
        )
    ]


def _k_fold(spec: Spec, whose: str) -> list[str]:
    k = spec.get("k")
    return [
        (
            f"We divided {whose} at random into {k} folds whose sizes differ by one at most; each fold was the test set "
            "once, with all others for training."
        )
    ]


def _temporal(spec: Spec, whose: str) -> list[str]:
    moment = spec.get("at")
    if moment is not None:
        return [f"We split {whose} by time: those before {moment} for training, those from then on for testing."]
    first = f"the first {share(spec.get('ratio'))}"
    if spec.get("ties") != "train":
        order = "in the order of users and items in the data" if spec.get("ties") == "key" else "in random order"
        return [
            (
                f"We split {whose} by time: {first} (rounded down) for training, the later ones for testing; those of the same "
                f"second stand {order}."
            )
        ]
    return [
        (
            f"We split {whose} by time: {first} for training, with all others of the same second as the last of them, and "
            "the later ones for testing."
        )
    ]


def _given(spec: Spec, _: str) -> list[str]:
    n = int(str(spec.get("n")))
    which = "the first" if spec.get("which") == "first" else "a random"
    number = several(n, "rating")
    given = f"{which} {number.removeprefix('one ')}" if n == 1 else f"{number}{_chosen(spec, 'first')}"
    return [
        f"Of each user, {given} went to training and all others to testing; users with no more are in training alone.",
        *_tied(spec),
    ]


def _leave_out(spec: Spec, _: str) -> list[str]:
    n, least = int(str(spec.get("n"))), spec.get("min_rating")
    which = "the last rating in time" if spec.get("which") == "last" else "a random rating"
    held = which if n == 1 else f"{n:,} ratings{_chosen(spec, 'last')}"
    among = f" among those of {value(least)} and above" if least is not None else ""
    return [
        f"Of each user, we held out {held}{among} for testing; users without as many, or without others, are in training alone.",
        *_tied(spec),
    ]


def _tied(spec: Spec) -> list[str]:
    if spec.get("which") == "random":
        return []
    order = "the order of items in the data" if spec.get("ties") == "key" else "a random order"
    return [f"Ratings that a user gave at the same time stand in {order}."]


def _chosen(spec: Spec, by_time: str) -> str:
    return f", the {by_time} in time," if spec.get("which") == by_time else ", drawn at random,"


def _per_item(spec: Spec, _: str) -> list[str]:
    n = several(int(str(spec.get("n"))), "random rating")
    side, other = ("training", "testing") if spec.get("side") == "train" else ("testing", "training")
    return [f"Of each item, {n} went to {side} and all others to {other}; items with no more are in training alone."]


def _uniform(spec: Spec, _: str) -> list[str]:
    rounded = "rounded down" if spec.get("rounding") == "floor" else "rounded"
    return [
        (
            f"For testing, we drew the same number of ratings ({rounded}) of each of the most popular items, of as many items as "
            f"possible for {share(spec.get('sigma'))} of the ratings; every item kept at least {share(spec.get('epsilon'))} of "
            "its own for training, to which all other ratings went."
        )
    ]


def _predefined(spec: Spec, _: str) -> list[str]:
    return [f"Training and test sets were read from files ({spec.get('path')}); ratings that these do not name were not used."]


def _per_user(spec: Spec, _: str) -> list[str]:
    return _said(_inner(spec), "the ratings of each user")


def _k_fold_users(spec: Spec, _: str) -> list[str]:
    return [
        (
            f"We divided the users at random into {spec.get('k')} folds whose sizes differ by one at most. In each fold, only its "
            "own users' ratings were split; all ratings of other users were for training."
        ),
        *_said(_inner(spec), "the ratings of each user"),
    ]


def _min_train(spec: Spec, whose: str) -> list[str]:
    least = several(int(str(spec.get("n"))), "training rating")
    return [*_said(_inner(spec), whose), f"Users with fewer than {least} were then left out altogether."]


def _percentile(spec: Spec, whose: str) -> list[str]:
    return [
        *_said(_inner(spec), whose),
        f"The items and test ratings of each of {spec.get('m')} percentiles of popularity were recorded, which moves no rating.",
    ]


def _thinned(spec: Spec, whose: str) -> list[str]:
    kept = share(spec.get("share"))
    said = {
        "ratings": f"Each test rating was kept with a probability of {kept}",
        "users": f"The test ratings of each user were kept, all of them, with a probability of {kept}",
        "popularity": f"Of the test ratings, those of the {kept} of the items with the fewest training ratings were kept",
    }[str(spec.get("by"))]
    return [*_said(_inner(spec), whose), f"{said}; the others were not used."]


def _validated(spec: Spec, whose: str) -> list[str]:
    inside = " ".join(_said(_inner(spec, "inside"), "the training ratings"))
    return [
        *_said(_inner(spec), whose),
        (
            "The training set was split once more, and what would be for testing in this split was the validation set, on which no "
            f"system learned: {inside}"
        ),
    ]


def _rolling(spec: Spec, whose: str) -> list[str]:
    windows, days = int(str(spec.get("windows"))), float(str(spec.get("horizon")))
    return [
        (
            f"We split {whose} by time: the last {several(windows, 'window')} of {value(days)} days were tested one after another, "
            "each with everything before it for training; what came after it was not used."
        )
    ]


def _pruned(spec: Spec, whose: str) -> list[str]:
    chosen = str(spec.get("filter"))
    return [*_said(_inner(spec), whose), f"The training set alone was then filtered by '{chosen}'; the test set stayed whole."]


def _complete(spec: Spec, whose: str) -> list[str]:
    return [
        *_said(_inner(spec), whose),
        "Systems learned from this training set, and were tested with the true rating of every item that a user has not in it.",
    ]


def _revealed(spec: Spec, _: str) -> list[str]:
    tested = "all ratings of the fold" if spec.get("test") == "all" else "the observed ratings of the fold"
    return [
        (
            f"Folds, and which ratings would have been observed, were read from a file ({spec.get('path')}): for each fold, the "
            f"observed ratings of all others were for training, and {tested} for testing."
        )
    ]


def _inner(spec: Spec, name: str = "of") -> Spec:
    return parse(str(spec.get(name)))


SPLITS: Mapping[str, Callable[[Spec, str], list[str]]] = {
    "random": _random,
    "k_fold": _k_fold,
    "temporal": _temporal,
    "given": _given,
    "leave_out": _leave_out,
    "per_item": _per_item,
    "uniform": _uniform,
    "predefined": _predefined,
    "per_user": _per_user,
    "k_fold_users": _k_fold_users,
    "min_train": _min_train,
    "percentile": _percentile,
    "thinned": _thinned,
    "validated": _validated,
    "rolling": _rolling,
    "pruned": _pruned,
    "complete": _complete,
    "revealed": _revealed,
}
"""What each split did to ratings, which its second argument names."""
