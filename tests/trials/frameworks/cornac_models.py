"""Fit models of Cornac, export them, and write Cornac's own lists."""

import warnings

from shared import DEPTH, OUT, keep, rated

import recsens_export  # isort: skip
from cornac import models
from cornac.eval_methods import BaseMethod

warnings.simplefilter("ignore")
split = BaseMethod.from_splits(rated("train"), rated("test"), exclude_unknowns=True, seed=1)
tried = {
    "EASE": models.EASE(lamb=500),
    "ItemKNN": models.ItemKNN(k=50),
    "UserKNN": models.UserKNN(k=50),
    "BPR": models.BPR(k=10, max_iter=50, seed=1),
    "MF": models.MF(k=10, max_iter=20, seed=1),
    "PMF": models.PMF(k=10, max_iter=20, seed=1),
    "NMF": models.NMF(k=10, max_iter=20, seed=1),
    "MMMF": models.MMMF(k=10, max_iter=20, seed=1),
    "HPF": models.HPF(k=5, max_iter=10, seed=1),
    "BaselineOnly": models.BaselineOnly(),
    "MostPop": models.MostPop(),
    "VAECF": models.VAECF(n_epochs=5, seed=1),
    "NeuMF": models.NeuMF(num_factors=8, layers=(16, 8), num_epochs=1, backend="pytorch", seed=1),
}
for name, model in tried.items():
    model.fit(split.train_set)
    scores = recsens_export.from_cornac(model, split)
    told = scores.save(OUT / f"{name}.npz")
    train = split.train_set
    keep(name, {user: model.recommend(user, DEPTH, remove_seen=True, train_set=train) for user in train.user_ids}, told)
scores.save_split(OUT / "split")
