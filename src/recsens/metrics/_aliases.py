"""Aliases of metrics: the names that libraries and papers use, and those of metrics that are refused."""

from dataclasses import replace

from recsens.errors import SpecError, nearest, plain
from recsens.plugins import names
from recsens.plugins.specs import Spec, parse

ALIASES = {
    "anti_precision": "AntiP",
    "antiprecision": "AntiP",
    "average_precision": "AP",
    "bpref10": "Bpref(bound=relevant10)",
    "f": "F1",
    "f1_score": "F1",
    "f_measure": "SetF",
    "fall_out": "Fallout",
    "catalogue_coverage": "CatalogCoverage",
    "half_life_utility": "HLU",
    "hit": "Success",
    "hit_rate": "Success",
    "hr": "Success",
    "infap2": "infAP",
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
}
"""Name in small letters -> the metric that is meant."""

_AT_TWO_TIMES = "compares a user's lists at two times, and a split here has one train set"
_INSTEAD = (
    "of one list, EPC, MSI and MIUF measure novelty, ILD and InterUserDistance diversity; docs/decisions/018-lists-at-two-times.md"
)

REFUSED = {"temporaldiversity": (_AT_TWO_TIMES, _INSTEAD), "temporalnovelty": (_AT_TWO_TIMES, _INSTEAD)}
"""Name in small letters, without other signs -> why there is no such metric, and what to use."""


def canonical(spec: Spec) -> Spec:
    """Replace an alias of a metric by the metric's own name; parameters stay.

    Raises SpecError if no metric has that name; for one that is refused, the message says why.
    """
    if "." in spec.name:
        return spec
    own = names("metric")
    alias = ALIASES.get(spec.name.lower())
    if alias is not None:
        meant = parse(alias)
        return replace(spec, name=meant.name, params=tuple({**dict(meant.params), **dict(spec.params)}.items()))
    if plain(spec.name) in REFUSED:
        why, instead = REFUSED[plain(spec.name)]
        raise SpecError(f"'{spec.name}' is not available: it {why}", remedy=instead)
    if spec.name.lower() not in {name.lower() for name in own}:
        raise SpecError(
            f"unknown metric '{spec.name}'{nearest(spec.name, [*own, *ALIASES])}",
            allowed=", ".join(own),
            remedy="a class of your own is written with its module, mylab.metrics.Foo, and found through 'plugins:'",
        )
    return spec
