"""Names of random streams are frozen: a new name of a stage or plug-in would change the draws in every study."""

import ast
from pathlib import Path

import pytest

import recsens
from recsens import plugins
from recsens.seeds import Stream

STAGES = {
    # Below the seed and the data set: the stage, then the words that distinguish its draws.
    ("stream", "ingest"),
    ("stream", "filter", "*", "*"),
    ("stream", "split", "*", "*"),
    ("stream", "*", "*", "*", "*"),  # 'fit' or 'nc', recommender, fold and, for further fits, the fit's number
    ("stream", "fit", "*", "*"),  # a fit by hand, in the folder of a program
    ("stream", "targets", "*"),
    ("stream", "ties", "*"),
    ("stream", "meta"),
    ("stream", "effort", "*", "*"),
    # Directly below the seed, or below another stream.
    ("of", "*"),
    ("of", "*", "*"),
    ("of", "*", "*", "ingest"),
    ("of", "*", "*", "tuning"),
    ("of", "*", "components"),
    ("of", "*", "crowd"),
    ("of", "*", "evaluate", "*"),
    ("of", "*", "evaluate", "ties"),
    ("of", "*", "filter"),
    ("of", "*", "leaks"),
    ("of", "*", "meta"),
    ("of", "*", "multiverse"),
    ("of", "*", "test", "*"),
    # Within a stage.
    ("child", "*"),
    ("child", "*", "*", "*"),
    ("child", "activity"),
    ("child", "numbers"),
    ("child", "again", "*"),
    ("child", "blocks"),
    ("child", "common", "*"),
    ("child", "exchange"),
    ("child", "exchanged", "*", "*"),
    ("child", "exchanges"),
    ("child", "first"),
    ("child", "fits", "*"),
    ("child", "fit"),
    ("child", "half"),
    ("child", "half", "*"),
    ("child", "items"),
    ("child", "missing", "*"),
    ("child", "noise"),
    ("child", "of", "*"),
    ("child", "order"),
    ("child", "popularity"),
    ("child", "pruned"),
    ("child", "race"),
    ("child", "rated"),
    ("child", "rating"),
    ("child", "ratings"),
    ("child", "rows", "*"),
    ("child", "search", "*"),
    ("child", "shared", "*"),
    ("child", "sparsity", "*"),
    ("child", "split", "*", "*"),
    ("child", "subset", "*"),
    ("child", "swap"),
    ("child", "targets"),
    ("child", "thinned", "*", "*"),
    ("child", "ties"),
    ("child", "ties", "*"),
    ("child", "times"),
    ("child", "twins"),
    ("child", "unknown", "*", "*"),
    ("child", "users"),
    ("child", "validation"),
    ("child", "validation", "*"),
}
"""Every call that names a stream, and the words in it; a star stands for a computed name."""

PLUGINS = {
    "dataset": (
        "amazon beeradvocate book_crossing cm100k delimited json_lines lastfm librarything movielens netflix parquet "
        "rent_the_runway simulated"
    ),
    "filter": (
        "binarise drop_popular k_core none rating_range rating_threshold ratings_per_item ratings_per_user sample time_window"
    ),
    "split": (
        "complete given k_fold k_fold_users leave_out min_train per_item per_user percentile predefined pruned random "
        "revealed rolling temporal thinned uniform validated"
    ),
    "recommender": (
        "average_rating biased_mf bpr bpr_implicit calibrated chi2 ease fm from_file fs_slim gmf hkv ht item_knn kld "
        "latent_cross lc_nn lda lm_wsr_ib lm_wsr_ub mlp neumf nmf nncos_ib nncos_ub plsa popularity program pure_svd random rm1 "
        "rm2 rocchio rp3beta rsv slim tuned uir_item user_knn wrmf"
    ),
    "test": "bootstrap randomisation sign subsamples t wilcoxon",
}
"""Plug-ins after which streams are named. You may add one; if you rename one, its stream must keep the old name."""

KEYS = {
    ("split", "random", 0): 5160695234937680439,
    ("fit", "bpr", "random@ratio=0.8"): 11628632738441399456,
    ("ties", "random@ratio=0.8"): 12105624444387425972,
}
"""Some streams of seed 1 and data set ``ml``, and the keys that their names give."""


def calls() -> set[tuple[str, ...]]:
    """Collect every call in recsens that names a stream."""
    found = set()
    for path in Path(recsens.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and named(node.func):
                words = [arg.value if isinstance(arg, ast.Constant) and isinstance(arg.value, str) else "*" for arg in node.args]
                found.add((node.func.attr, *words))
    return found


def named(function: ast.Attribute) -> bool:
    """Whether a call goes to `Stream.of`, `Stream.child` or `Origin.stream`."""
    return function.attr in {"stream", "child"} or (function.attr == "of" and ast.unparse(function.value) in {"Stream", "cls"})


def test_stages_name_their_streams_as_ever():
    # The only calls left are those inside `Origin.stream`.
    assert calls() - STAGES == {("of", "*", "*", "*")}
    assert STAGES - calls() == set()


@pytest.mark.parametrize("kind", PLUGINS)
def test_plugins_name_their_streams_as_ever(kind):
    assert plugins.names(kind) == PLUGINS[kind].split()


@pytest.mark.parametrize("names", KEYS)
def test_a_stream_has_the_key_of_its_names(names):
    assert Stream.of(1, "ml", *names).key == KEYS[names]
