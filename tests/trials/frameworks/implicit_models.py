"""Fit models of implicit, export them, and write implicit's own lists."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import implicit
import numpy as np
from scipy.sparse import csr_matrix
from shared import DEPTH, OUT, keep, rated

import recsens_export  # isort: skip

test = rated("test")
user, item, rating = map(np.array, zip(*rated("train"), strict=True))
users, row = np.unique(user, return_inverse=True)
items, column = np.unique(item, return_inverse=True)
user_items = csr_matrix((rating.astype(np.float32), (row, column)))
tried = {
    "WMF": implicit.als.AlternatingLeastSquares(factors=16, iterations=5, random_state=1),
    "BPR": implicit.bpr.BayesianPersonalizedRanking(factors=16, iterations=20, random_state=1),
    "LMF": implicit.lmf.LogisticMatrixFactorization(factors=16, iterations=5, random_state=1),
    "Cosine": implicit.nearest_neighbours.CosineRecommender(K=20),
    "TFIDF": implicit.nearest_neighbours.TFIDFRecommender(K=20),
    "BM25": implicit.nearest_neighbours.BM25Recommender(K=20),
}
for name, model in tried.items():
    model.fit(user_items, show_progress=False)
    scores = recsens_export.from_implicit(model, users, items, train=user_items, test=test)
    told = scores.save(OUT / f"{name}.npz")
    found, _ = model.recommend(np.arange(len(users)), user_items, N=DEPTH)
    keep(name, {users[at]: items[listed] for at, listed in enumerate(found)}, told)
scores.save_split(OUT / "split")
