"""Former names of modules and classes that your plug-ins may import; they work until version 0.4 (docs/reference/moved.md)."""

import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_FAMILIES = {
    "recsens.metrics.coverage": "catalog_coverage prediction_coverage train_coverage",
    "recsens.metrics.discounted_errors": "dcse sdcse",
    "recsens.metrics.discounted_gain": "hlu ndcg",
    "recsens.metrics.diversity": "entropy gini ild",
    "recsens.metrics.incomplete_judgements": "bpref infap unrated",
    "recsens.metrics.mean_errors": "imae irmse mae rmse umae urmse",
    "recsens.metrics.novelty": "efd epc miuf msi surprisal",
    "recsens.metrics.popularity_bias": "aplt arp popularity_lift",
    "recsens.metrics.precision_recall": "f1 p r rprec set_f set_p success",
    "recsens.metrics.rank_correlation": "kendall_tau ndpm rbo spearman tau_ap",
    "recsens.metrics.rbp": "rbp_residual",
    "recsens.metrics.reciprocal_rank": "arhr err rr",
    "recsens.metrics.roc": "auc croc groc lauc",
    "recsens.metrics.error_direction": "down_sell perfect_sell up_sell",
    "recsens.metrics.serendipity": "rank_serendipity",
    "recsens.metrics.temporal": "future",
    "recsens.data.filtering.count_bounds": "ratings_per_item ratings_per_user",
    "recsens.data.filtering.rating_values": "binarise rating_range rating_threshold",
    "recsens.data.splitting.by_time": "temporal",
    "recsens.data.splitting.fixed_counts": "given leave_out per_item",
    "recsens.data.splitting.from_files": "predefined",
    "recsens.data.splitting.k_folds": "k_fold k_fold_users",
    "recsens.data.splitting.reduced": "min_train thinned",
}
"""Module of a family of plug-ins -> the modules in which version 0.2 had them, in the same package."""

MOVED = {
    "recsens.aggregation": "recsens.comparison.aggregation",
    "recsens.aggregation.geometric": "recsens.comparison.aggregation.averages",
    "recsens.aggregation.mean": "recsens.comparison.aggregation.averages",
    "recsens.aggregation.median": "recsens.comparison.aggregation.averages",
    "recsens.aggregation.georisk": "recsens.comparison.aggregation.risk",
    "recsens.aggregation.trisk": "recsens.comparison.aggregation.risk",
    "recsens.aggregation.urisk": "recsens.comparison.aggregation.risk",
    "recsens.datasets": "recsens.data.datasets",
    "recsens.evaluation": "recsens.runs.evaluation",
    "recsens.evaluation.conventions": "recsens.metrics.variants.conventions",
    "recsens.evaluation.variants": "recsens.metrics.variants",
    "recsens.files.exact": "recsens.files.text_reader",
    "recsens.files.explain": "recsens.files.line_faults",
    "recsens.files.swift": "recsens.files.text_reader",
    "recsens.filtering": "recsens.data.filtering",
    "recsens.frozen": "recsens.plugins.frozen",
    "recsens.interactions": "recsens.data.interactions",
    "recsens.nc": "recsens.ranking.nc",
    "recsens.popularity": "recsens.data.popularity",
    "recsens.recommenders.average_rating": "recsens.recommenders.trivial",
    "recsens.recommenders.bpr_implicit": "recsens.recommenders.bpr",
    "recsens.recommenders.chi2": "recsens.recommenders.pseudo_relevance_feedback",
    "recsens.recommenders.fs_slim": "recsens.recommenders.sparse_linear",
    "recsens.recommenders.item_knn": "recsens.recommenders.nearest_neighbours",
    "recsens.recommenders.kld": "recsens.recommenders.pseudo_relevance_feedback",
    "recsens.recommenders.lda": "recsens.recommenders.topic_models",
    "recsens.recommenders.lm_wsr_ib": "recsens.recommenders.lm_wsr",
    "recsens.recommenders.lm_wsr_ub": "recsens.recommenders.lm_wsr",
    "recsens.recommenders.nncos_ib": "recsens.recommenders.nncos",
    "recsens.recommenders.nncos_ub": "recsens.recommenders.nncos",
    "recsens.recommenders.plsa": "recsens.recommenders.topic_models",
    "recsens.recommenders.popularity": "recsens.recommenders.trivial",
    "recsens.recommenders.random": "recsens.recommenders.trivial",
    "recsens.recommenders.rm1": "recsens.recommenders.relevance_models",
    "recsens.recommenders.rm2": "recsens.recommenders.relevance_models",
    "recsens.recommenders.rocchio": "recsens.recommenders.pseudo_relevance_feedback",
    "recsens.recommenders.rsv": "recsens.recommenders.pseudo_relevance_feedback",
    "recsens.recommenders.slim": "recsens.recommenders.sparse_linear",
    "recsens.recommenders.user_knn": "recsens.recommenders.nearest_neighbours",
    "recsens.report.figures.ink": "recsens.report.figure_style",
    "recsens.report.figures.panels": "recsens.report.figures._fitting",
    "recsens.report.numbers": "recsens.tables.numbers",
    "recsens.report.remarks": "recsens.report.system_remarks",
    "recsens.significance": "recsens.comparison.significance",
    "recsens.specs": "recsens.plugins.specs",
    "recsens.splitting": "recsens.data.splitting",
    "recsens.study.reasons": "recsens.study.refusals",
    "recsens.targets": "recsens.ranking.targets",
    "recsens.targets.ar": "recsens.ranking.targets.all_relevant",
    "recsens.targets.one_r": "recsens.ranking.targets.one_relevant",
    "recsens.targets.p1r": "recsens.ranking.targets.one_relevant",
    "recsens.targets.rel_plus_n": "recsens.ranking.targets.one_relevant",
    "recsens.targets.u1r": "recsens.ranking.targets.one_relevant",
    "recsens.targets.uar": "recsens.ranking.targets.all_relevant",
    "recsens.timestamps": "recsens.files.timestamps",
    "recsens.users": "recsens.comparison.users",
    **{
        f"{module.rpartition('.')[0].replace('.data', '')}.{member}": module
        for module, members in _FAMILIES.items()
        for member in members.split()
    },
}
"""Former name of a module or package -> its current name. The modules of a package moved with it."""

RENAMED = {
    "recsens.comparison.aggregation.Scores": "recsens.comparison.aggregation.UserMeasures",
    "recsens.metrics.on_scale_of": "recsens.files.scale.check_on_scale",
    **{f"recsens.metrics.{name}": f"recsens.files.scale.{name}" for name in ("check_scale", "scale_given")},
}
"""Former name of a class or function -> current name."""


@cache
def present_name(name: str) -> str:
    """Return the current name of a module."""
    former = max((each for each in MOVED if name == each or name.startswith(f"{each}.")), key=len, default=None)
    return name if former is None else MOVED[former] + name.removeprefix(former)


def present_attribute(module: str, name: str) -> tuple[str, str]:
    """Return the module that now has a module's class or function, and the current name there."""
    home, _, present = RENAMED.get(f"{module}.{name}", f"{module}.{name}").rpartition(".")
    return home, present


def renamed(module: str, name: str) -> object:
    """Return what a former name in a module stands for now, and warn; the module's ``__getattr__`` calls this function.

    Raises AttributeError if the module never had such a name.
    """
    home, present = present_attribute(module, name)
    if (home, present) == (module, name):
        raise AttributeError(f"module '{module}' has no attribute '{name}'")
    _warn_of_move(f"{module}.{name}", f"{home}.{present}", stacklevel=4)
    return getattr(import_module(home), present)


def _warn_of_move(former: str, present: str, *, stacklevel: int) -> None:
    warnings.warn(f"'{former}' is now '{present}'; the former name works until version 0.4", FutureWarning, stacklevel=stacklevel)


def follow_moves() -> None:
    """Make imports of former module names work."""
    # This finder comes first; otherwise Python would import the files of a package a second time, under its former name.
    sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        present = present_name(name) if name.startswith("recsens.") else name
        if present == name:
            return None
        _warn_of_move(name, present, stacklevel=3)
        return ModuleSpec(name, _Present(present))


class _Present(Loader):
    """Loader that returns the module with the current name instead of a second copy, so that each class exists once."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._module = import_module(self._name)
        self._spec = self._module.__spec__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put the former name into the module's spec.
        module.__spec__ = self._spec
