"""Run by RecBole's own Python: train three models, export them, and write their lists and RecBole's metrics of the test set."""

import csv
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
sys.argv = sys.argv[:1]  # RecBole reads the command line too
sys.path.insert(0, str(folder))

import numpy as np  # noqa: E402

import recsens_export  # isort: skip # noqa: E402
from recbole.config import Config  # noqa: E402
from recbole.data import create_dataset, data_preparation  # noqa: E402
from recbole.utils import get_model, get_trainer, init_seed  # noqa: E402
from recbole.utils.case_study import full_sort_topk  # noqa: E402

METRICS = ("Recall", "MRR", "NDCG", "Hit", "Precision", "MAP")
sides = {"train": "train", "validation": "valid", "test": "test"}
(folder / "data").mkdir()
for side, label in sides.items():
    with (folder / f"{side}.csv").open(encoding="utf-8", newline="") as file:
        lines = ["\t".join(row) for row in csv.reader(file)]
    lines[0] = "user_id:token\titem_id:token\trating:float"
    (folder / "data" / f"data.{label}.inter").write_text("\n".join(lines) + "\n", encoding="utf-8")

common = {
    "data_path": str(folder),
    "checkpoint_dir": str(folder / "saved"),
    "benchmark_filename": list(sides.values()),
    "load_col": {"inter": ["user_id", "item_id", "rating"]},
    "eval_args": {"split": {"RS": [0.8, 0.1, 0.1]}, "group_by": None, "order": "RO", "mode": "full"},
    "metrics": list(METRICS),
    "topk": [5, 10],
    "metric_decimal_place": 12,
    "valid_metric": "MRR@10",
    "epochs": 2,
    "seed": 1,
    "show_progress": False,
    "state": "ERROR",
    "train_batch_size": 4096,
}
values = {}
for name, options in (("EASE", {}), ("BPR", {"embedding_size": 16}), ("Pop", {"epochs": 1})):
    config = Config(model=name, dataset="data", config_dict={**common, **options})
    init_seed(config["seed"], reproducibility=True)
    dataset = create_dataset(config)
    train_data, valid_data, test_data = data_preparation(config, dataset)
    model = get_model(config["model"])(config, train_data.dataset).to(config["device"])
    trainer = get_trainer(config["MODEL_TYPE"], config["model"])(config, model)
    trainer.fit(train_data, verbose=False, show_progress=False)
    found = trainer.evaluate(test_data, load_best_model=False, show_progress=False)
    recsens_export.from_recbole(model, train_data, valid_data, test_data).save(folder / f"{name}.npz")
    users = np.unique(test_data.dataset.inter_feat[dataset.uid_field])
    scores, items = full_sort_topk(users, model, test_data, 10)
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["user", "item", "score"])
        for user, listed, of_items in zip(dataset.id2token(dataset.uid_field, users), items, scores.tolist(), strict=True):
            names = dataset.id2token(dataset.iid_field, listed)
            lines.writerows((user, item, repr(score)) for item, score in zip(names, of_items, strict=True))
    values[name] = {f"{metric}@{k}": float(found[f"{metric.lower()}@{k}"]) for metric in METRICS for k in (5, 10)}

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
