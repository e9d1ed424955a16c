"""Fit algorithms of Surprise, export them, and write lists sorted by its own estimates."""

from collections import defaultdict

import surprise
from shared import DATA, DEPTH, OUT, keep, rated

import recsens_export  # isort: skip

reader = surprise.Reader(line_format="user item rating timestamp", sep=",", skip_lines=1, rating_scale=(1, 5))
trainset = surprise.Dataset.load_from_file(str(DATA / "train.csv"), reader).build_full_trainset()
test = rated("test")
seen = defaultdict(set)
for user, item, _ in rated("train"):
    seen[user].add(item)
items = {item for _, item, _ in rated("train")}
tried = {
    "SVD": surprise.SVD(n_factors=20, n_epochs=5, random_state=1),
    "SVDpp": surprise.SVDpp(n_factors=5, n_epochs=1, random_state=1),
    "NMF": surprise.NMF(n_epochs=5, random_state=1),
    "BaselineOnly": surprise.BaselineOnly(verbose=False),
    "KNN": surprise.KNNBasic(k=20, verbose=False),
    "SlopeOne": surprise.SlopeOne(),
}
for name, algo in tried.items():
    algo.fit(trainset)
    scores = recsens_export.from_surprise(algo, test=test)
    told = scores.save(OUT / f"{name}.npz")
    lists = {}
    # Surprise makes no lists: these are the items with the highest estimates, for fewer users if estimates take long.
    for user in sorted(seen)[:: 10 if name in {"KNN", "SlopeOne", "SVDpp"} else 1]:
        estimates = {item: algo.predict(user, item, clip=False).est for item in sorted(items - seen[user])}
        lists[user] = sorted(estimates, key=estimates.__getitem__, reverse=True)[:DEPTH]
    keep(name, lists, told)
scores.save_split(OUT / "split")
