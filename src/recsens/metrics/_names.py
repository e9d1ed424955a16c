"""Names of metrics: the module of each, and names in libraries and papers, including those of metrics that are refused."""

from recsens.errors import SpecError, plain

_FAMILIES = {
    "ap": "AP",
    "bound1r": "Bound1R",
    "coverage": "CatalogCoverage PredictionCoverage TrainCoverage",
    "discounted_errors": "DCSE SDCSE",
    "discounted_gain": "DCG nDCG",
    "diversity": "Entropy Gini ILD InterUserDistance",
    "expected_distance": "EILD EPD",
    "future": "Future",
    "hlu": "HLU",
    "incomplete_judgements": "Bpref infAP JudgedDepth Unrated",
    "mean_errors": "MAE RMSE",
    "novelty": "EFD EPC KLNovelty MIUF MSI Surprisal",
    "popularity_bias": "APLT ARP PopularityLift",
    "precision_recall": "AntiP F1 Fallout P R Rprec SetF SetP Success",
    "propensity": "IPSDCG IPSnDCG IPSP IPSR",
    "rank_correlation": "KendallTau NDPM RBO Spearman TauAP",
    "rbp": "RBP RBPResidual",
    "reciprocal_rank": "ARC ARHR ERR RR",
    "roc": "AUC CROC GROC LAUC",
    "sampled": "Sampled",
    "selling": "DownSell PerfectSell PracticalAccuracy UpSell",
    "serendipity": "RankSerendipity Serendipity",
}

MODULES = {name: module for module, names in _FAMILIES.items() for name in names.split()}
"""Name of a metric -> its module in this package."""

ALIASES = {
    "anti_precision": "AntiP",
    "antiprecision": "AntiP",
    "average_precision": "AP",
    "average_rank_of_correct_recommendation": "ARC",
    "bpref10": "Bpref(bound=relevant10)",
    "expected_intra_list_distance": "EILD",
    "expected_profile_distance": "EPD",
    "f": "F1",
    "f1_score": "F1",
    "f_measure": "SetF",
    "fall_out": "Fallout",
    "catalogue_coverage": "CatalogCoverage",
    "half_life_utility": "HLU",
    "hit": "Success",
    "hit_rate": "Success",
    "hit_ratio": "Success",
    "hits": "Success",
    "hr": "Success",
    "imae": "MAE(over=items)",
    "infap2": "infAP",
    "irmse": "RMSE(over=items)",
    "kendall": "KendallTau",
    "limited_auc": "LAUC",
    "map": "AP",
    "map_cut": "AP",
    "mean_average_precision": "AP",
    "mean_reciprocal_rank": "RR",
    "mrr": "RR",
    "ndcg_cut": "nDCG",
    "nmae": "MAE(norm=range)",
    "prec": "P",
    "precision": "P",
    "r_precision": "Rprec",
    "r_score": "HLU",
    "rec": "R",
    "recall": "R",
    "recip_rank": "RR",
    "reciprocal_rank": "RR",
    "rho": "Spearman",
    "rprecision": "Rprec",
    "set_f": "SetF",
    "set_p": "SetP",
    "set_recall": "R",
    "setr": "R",
    "spearman_rho": "Spearman",
    "tau": "KendallTau",
    "tau_ap": "TauAP",
    "tau_b": "KendallTau",
    "umae": "MAE(over=users)",
    "urmse": "RMSE(over=users)",
}
"""Lower-case alias -> the metric that it stands for."""

_AT_TWO_TIMES = "compares a user's lists at two times, but a split has only one train set"
_INSTEAD = (
    "of one list, EPC, MSI and MIUF measure novelty, ILD and InterUserDistance diversity; docs/decisions/018-lists-at-two-times.md"
)

REFUSED = {"temporaldiversity": (_AT_TWO_TIMES, _INSTEAD), "temporalnovelty": (_AT_TWO_TIMES, _INSTEAD)}
"""Name in lower-case letters only -> why there is no such metric, and what to use instead."""


def refuse_unavailable(name: str) -> None:
    """Raise SpecError for a metric that recsens deliberately lacks, and say why."""
    if plain(name) in REFUSED:
        why, instead = REFUSED[plain(name)]
        raise SpecError(f"'{name}' is not available: it {why}", remedy=instead)
