"""Divide and filter made data with a framework's own code, in the framework's environment and without recsens.

The program is called with a framework and a folder that contains data.csv and asked.json: the pieces of code in the first cell of
each row in docs/coming-from.md. It writes roles.json: for each row and each fold, the role of every interaction. Random splits have
a fixed seed, and the framework's defaults otherwise.
"""

import csv
import json
import sys
import warnings
from functools import partial
from pathlib import Path

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


def fold(train, test=(), validation=()):
    """Return the role of each interaction; the arguments are pairs of user and item."""
    roles = [UNUSED] * len(ROWS)
    for role, pairs in ((TRAIN, train), (TEST, test), (VALIDATION, validation)):
        for user, item in pairs:
            assert roles[AT[int(user), int(item)]] == UNUSED
            roles[AT[int(user), int(item)]] = role
    return roles


def cornac(code):
    """Read the sets of an evaluation method."""
    from cornac import eval_methods

    given = {"fmt": "UIRT", "exclude_unknowns": False, "seed": 1}
    names = {name: partial(getattr(eval_methods, name), ROWS, **given) for name in ("RatioSplit", "StratifiedSplit", "CrossValidation")}
    method = eval(code[0], names)
    for _ in range(getattr(method, "n_folds", 1)):
        sets = [method.train_set, method.test_set, method.val_set]
        if "n_folds" in vars(method):
            method._get_train_test()
            method._next_fold()
            sets = [method.train_set, method.test_set]  # the validation set is the test set again
        yield fold(*([(of.user_ids[u], of.item_ids[i]) for u, i, _ in zip(*of.uir_tuple, strict=True)] if of else [] for of in sets))


def implicit(code):
    """Split the matrix of users and items."""
    from implicit import evaluation

    matrix = csr_matrix((RATING, (USER, ITEM)))
    names = {name: partial(getattr(evaluation, name), matrix, random_state=1) for name in ("train_test_split", "leave_k_out_split")}
    yield fold(*(zip(*side.nonzero(), strict=True) for side in eval(code[0], names)))


def surprise(code):
    """Split a data set of raw ratings."""
    import surprise as own
    from surprise import model_selection

    reader = own.Reader(line_format="user item rating timestamp", sep=",", skip_lines=1, rating_scale=(1, 5))
    data = own.Dataset.load_from_file(str(FOLDER / "data.csv"), reader)
    names = {name: partial(getattr(model_selection, name), random_state=1) for name in ("KFold", "LeaveOneOut")}
    names["train_test_split"] = partial(model_selection.train_test_split, data, random_state=1)
    made = eval(code[0], names)
    for train, test in [made] if isinstance(made, tuple) else made.split(data):
        known = [(train.to_raw_uid(user), train.to_raw_iid(item)) for user, item, _ in train.all_ratings()]
        yield fold(known, [row[:2] for row in test])


if __name__ == "__main__":
    asked = json.loads((FOLDER / "asked.json").read_text(encoding="utf-8"))
    (FOLDER / "roles.json").write_text(json.dumps([list(globals()[FRAMEWORK](code)) for code in asked]), encoding="utf-8")
