"""Divide and filter made data with a framework's own code, in the framework's environment and without recsens.

The program is called with a framework and a folder that contains data.csv and asked.json: the pieces of code in the first cell of
each row in docs/coming-from.md. It writes roles.json: for each row and each fold, the role of every interaction; for a filter, the
ratings. Random splits have a fixed seed, and the framework's defaults otherwise.
"""

import csv
import json
import os
import sys
import time
import warnings
from functools import partial
from pathlib import Path

os.environ["TZ"] = "UTC"  # LensKit reads dates in local time
time.tzset()
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

FRAMEWORK, FOLDER = sys.argv[1], Path(sys.argv[2])
sys.argv = sys.argv[:1]  # RecBole reads the command line too
TRAIN, TEST, VALIDATION, UNUSED = range(4)

with (FOLDER / "data.csv").open(encoding="utf-8", newline="") as file:
    ROWS = [(int(row["user"]), int(row["item"]), float(row["rating"]), int(row["timestamp"])) for row in csv.DictReader(file)]
USER, ITEM, RATING, TIME = map(np.array, zip(*ROWS, strict=True))
AT = {row[:2]: at for at, row in enumerate(ROWS)}


def run(code, names):
    """Run the first piece of code in a cell of our own page."""
    return eval(code[0], dict(names))  # noqa: S307 - a page of our own


def fold(train, test=(), validation=()):
    """Return the role of each interaction; the arguments are pairs of user and item."""
    roles = [UNUSED] * len(ROWS)
    for role, pairs in ((TRAIN, train), (TEST, test), (VALIDATION, validation)):
        for user, item in pairs:
            assert roles[AT[int(user), int(item)]] == UNUSED
            roles[AT[int(user), int(item)]] = role
    return roles


def ratings(left):
    """Return the rating of each interaction that a filter left, and -1 for the others; ``left`` has users, items and ratings."""
    found = dict.fromkeys(AT, -1.0) | {(int(user), int(item)): float(rating) for user, item, rating in left}
    return [found[pair] for pair in AT]


def cornac(code):
    """Read the sets of an evaluation method."""
    from cornac import eval_methods

    given = {"fmt": "UIRT", "exclude_unknowns": False, "seed": 1}
    names = {
        name: partial(getattr(eval_methods, name), ROWS, **given) for name in ("RatioSplit", "StratifiedSplit", "CrossValidation")
    }
    method = run(code, names)
    for _ in range(getattr(method, "n_folds", 1)):
        sets = [method.train_set, method.test_set, method.val_set]
        if "n_folds" in vars(method):
            method._get_train_test()
            method._next_fold()
            sets = [method.train_set, method.test_set]  # the validation set is the test set again
        yield fold(
            *([(of.user_ids[u], of.item_ids[i]) for u, i, _ in zip(*of.uir_tuple, strict=True)] if of else [] for of in sets)
        )


def implicit(code):
    """Split the matrix of users and items."""
    from implicit import evaluation

    matrix = csr_matrix((RATING, (USER, ITEM)))
    names = {name: partial(getattr(evaluation, name), matrix, random_state=1) for name in ("train_test_split", "leave_k_out_split")}
    yield fold(*(zip(*side.nonzero(), strict=True) for side in run(code, names)))


def lenskit(code):
    """Call a function on a data set; of two splits by time, the test set of the first is the validation set of the second."""
    import pandas as pd
    from lenskit import splitting
    from lenskit.data import from_interactions_df
    from lenskit.random import set_global_rng

    set_global_rng(1)
    data = from_interactions_df(pd.DataFrame({"user_id": USER, "item_id": ITEM, "rating": RATING, "timestamp": TIME}))
    made = run(code, {**vars(splitting), "data": data})
    folds = [made] if isinstance(made, splitting.TTSplit) else list(made)
    known = [of.train.interaction_table(format="pandas", original_ids=True) for of in folds]
    sides = [[zip(of["user_id"], of["item_id"], strict=True) for of in (a, b.test_df)] for a, b in zip(known, folds, strict=True)]
    if isinstance(made, list):
        sides = [[sides[0][0], sides[1][1], sides[0][1]]]
    for side in sides:
        yield fold(*side)


def recbole(code):
    """Read lines of a configuration, with a data set's filters or the evaluation's split."""
    import yaml
    from recbole.config import Config
    from recbole.data import create_dataset
    from recbole.utils import init_seed

    (FOLDER / "data").mkdir(exist_ok=True)
    lines = ["user_id:token\titem_id:token\trating:float\ttimestamp:float", *("\t".join(map(str, row)) for row in ROWS)]
    (FOLDER / "data" / "data.inter").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = yaml.safe_load("\n".join(code))
    split = {key: asked.pop(key) for key in ("split", "group_by", "order") if key in asked}
    common = {
        "data_path": str(FOLDER),
        "load_col": {"inter": ["user_id", "item_id", "rating", "timestamp"]},
        "state": "ERROR",
        "eval_args": {"group_by": "user", "mode": "full", **split},
    }
    init_seed(1, reproducibility=True)
    dataset = create_dataset(Config(model="Pop", dataset="data", config_dict={**common, **asked}))

    def pairs(of):
        return (dataset.id2token(each, of[each]) for each in ("user_id", "item_id"))

    if split:
        train, validation, test = (zip(*pairs(side.inter_feat), strict=True) for side in dataset.build())
        yield fold(train, test, validation)
    else:
        left = dataset.inter_feat
        yield ratings(zip(*pairs(left), left["label" if "label" in left else "rating"], strict=True))


def replay(code):
    """Split or filter a data frame."""
    import pandas as pd
    from replay import splitters
    from replay.preprocessing import filters

    frame = pd.DataFrame({"query_id": USER, "item_id": ITEM, "rating": RATING, "timestamp": TIME})
    made = run(code, {**vars(filters), **vars(splitters), "RandomSplitter": partial(splitters.RandomSplitter, seed=1)})
    if hasattr(made, "transform"):
        left = made.transform(frame)
        yield ratings(zip(left["query_id"], left["item_id"], left["rating"], strict=True))
        return
    parts = made.split(frame)
    for sides in [parts] if isinstance(parts, tuple) else parts:
        yield fold(*(zip(side["query_id"], side["item_id"], strict=True) for side in sides))


def surprise(code):
    """Split a data set of raw ratings."""
    import surprise as own
    from surprise import model_selection

    reader = own.Reader(line_format="user item rating timestamp", sep=",", skip_lines=1, rating_scale=(1, 5))
    data = own.Dataset.load_from_file(str(FOLDER / "data.csv"), reader)
    names = {name: partial(getattr(model_selection, name), random_state=1) for name in ("KFold", "LeaveOneOut")}
    names["train_test_split"] = partial(model_selection.train_test_split, data, random_state=1)
    made = run(code, names)
    for train, test in [made] if isinstance(made, tuple) else made.split(data):
        known = [(train.to_raw_uid(user), train.to_raw_iid(item)) for user, item, _ in train.all_ratings()]
        yield fold(known, [row[:2] for row in test])


if __name__ == "__main__":
    asked = json.loads((FOLDER / "asked.json").read_text(encoding="utf-8"))
    (FOLDER / "roles.json").write_text(json.dumps([list(globals()[FRAMEWORK](code)) for code in asked]), encoding="utf-8")
