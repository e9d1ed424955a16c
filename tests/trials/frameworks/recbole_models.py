"""Train models of RecBole, export them, and write RecBole's own lists."""

import sys

from shared import DATA, DEPTH, OUT, keep, rated

sys.argv = sys.argv[:1]  # RecBole reads the command line too

import recsens_export  # isort: skip # noqa: E402
import torch  # noqa: E402
from recbole.config import Config  # noqa: E402
from recbole.data import create_dataset, data_preparation  # noqa: E402
from recbole.utils import get_model, get_trainer, init_seed  # noqa: E402
from recbole.utils.case_study import full_sort_topk  # noqa: E402

sides = ("train", "valid", "test")
(OUT / "data").mkdir(exist_ok=True)
train, test = rated("train"), rated("test")
for side, rows in zip(sides, (train, test[::2], test[1::2]), strict=True):
    lines = ["user_id:token\titem_id:token\trating:float", *("\t".join(map(str, row)) for row in rows)]
    (OUT / "data" / f"data.{side}.inter").write_text("\n".join(lines) + "\n", encoding="utf-8")
lines = (DATA / "train.csv").read_text(encoding="utf-8").replace(",", "\t").splitlines()
lines[0] = "user_id:token\titem_id:token\trating:float\ttimestamp:float"
(OUT / "ordered").mkdir(exist_ok=True)
(OUT / "ordered" / "ordered.inter").write_text("\n".join(lines) + "\n", encoding="utf-8")
common = {
    "data_path": str(OUT),
    "checkpoint_dir": str(OUT / "saved"),
    "epochs": 2,
    "seed": 1,
    "show_progress": False,
    "state": "ERROR",
    "train_batch_size": 4096,
}
given = {
    "benchmark_filename": list(sides),
    "load_col": {"inter": ["user_id", "item_id", "rating"]},
    "eval_args": {"split": {"RS": [0.8, 0.1, 0.1]}, "group_by": None, "order": "RO", "mode": "full"},
}
ordered = {
    "load_col": {"inter": ["user_id", "item_id", "rating", "timestamp"]},
    "eval_args": {"split": {"LS": "valid_and_test"}, "order": "TO", "mode": "full"},
    "train_neg_sample_args": None,
    "epochs": 1,
    "MAX_ITEM_LIST_LENGTH": 20,
}
tried = {
    "EASE": {},
    "ItemKNN": {"k": 50},
    "BPR": {"embedding_size": 16},
    "LightGCN": {"embedding_size": 16, "n_layers": 2},
    "NeuMF": {"mf_embedding_size": 8, "mlp_embedding_size": 8, "mlp_hidden_size": [16, 8], "epochs": 1},
    "MultiVAE": {"train_neg_sample_args": None},
    "MultiDAE": {"train_neg_sample_args": None},
    "DMF": {"epochs": 1},
    "Pop": {"epochs": 1},
    "SASRec": {"hidden_size": 16, "inner_size": 16, "n_layers": 1},
}
for name, options in tried.items():
    is_sequential = name == "SASRec"
    label, design = ("ordered", ordered) if is_sequential else ("data", given)
    config = Config(model=name, dataset=label, config_dict={**common, **design, **options})
    init_seed(config["seed"], reproducibility=True)
    dataset = create_dataset(config)
    train_data, valid_data, test_data = data_preparation(config, dataset)
    model = get_model(config["model"])(config, train_data.dataset).to(config["device"])
    get_trainer(config["MODEL_TYPE"], config["model"])(config, model).fit(train_data, verbose=False, show_progress=False)
    scores = recsens_export.from_recbole(model, train_data, valid_data, test_data)
    told = scores.save(OUT / f"{name}.npz")
    if name in {"EASE", "SASRec"}:
        scores.save_split(OUT / f"split-{label}")
    users = sorted(set(test_data.dataset.inter_feat[dataset.uid_field].tolist()))
    lists = {}
    for start in range(0, len(users), 64):
        asked = users[start : start + 64]
        with torch.no_grad():
            found = full_sort_topk(torch.tensor(asked).numpy(), model, test_data, DEPTH)[1]
        items = dataset.id2token(dataset.iid_field, found.cpu().numpy())
        lists.update(zip(dataset.id2token(dataset.uid_field, asked), items, strict=True))
    keep(name, lists, told, split=f"split-{label}", hides=not is_sequential)
