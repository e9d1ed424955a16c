"""Run by Surprise's own Python: fit two models, and write their predictions and Surprise's metrics of them."""

import csv
import json
import sys
from pathlib import Path

from surprise import SVD, Dataset, KNNBasic, Reader, accuracy

folder = Path(sys.argv[1])


reader = Reader(line_format="user item rating", sep=",", skip_lines=1, rating_scale=(1, 5))
train = Dataset.load_from_file(str(folder / "train.csv"), reader).build_full_trainset()
with (folder / "test.csv").open(encoding="utf-8", newline="") as file:
    test = [(row["user"], row["item"], float(row["rating"])) for row in csv.DictReader(file)]
values = {}
for name, model in (("svd", SVD(random_state=1)), ("knn", KNNBasic(verbose=False)), ("tied", KNNBasic(k=1, verbose=False))):
    found = model.fit(train).test(test)
    values[name] = {each: float(getattr(accuracy, each)(found, verbose=False)) for each in ("rmse", "mse", "mae", "fcp")}
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["user", "item", "score"])
        lines.writerows((one.uid, one.iid, repr(float(one.est))) for one in found)

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
