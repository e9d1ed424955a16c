"""Metrics as other libraries define them, where they differ from ours."""

from recsens.metrics.variants._accuracy import (
    PAP,
    APByCutoff,
    CappedRecall,
    MeanPrecision,
    NDCGOfFull,
    PartialAUC,
    RatingDCG,
    ShownAP,
    SteppedAP,
)
from recsens.metrics.variants._cornac import NCRR
from recsens.metrics.variants._counts import Counted, MissesShown, RelevantItems, RelevantShown, Shown, Utility
from recsens.metrics.variants._errors import FCP, MSE
from recsens.metrics.variants._geometric import GeometricMean
from recsens.metrics.variants._graded import BinaryG, GradedG, NDCGAtHits, NDCGAtLevels
from recsens.metrics.variants._implicit import LAUCOfCatalogue, PooledCappedRecall
from recsens.metrics.variants._pooled import F1OfMeans, PooledRecall
from recsens.metrics.variants._recall_levels import ElevenPoints, InterpolatedPrecision, PrecisionAtMultiple
from recsens.metrics.variants._replay import TopAUC
from recsens.metrics.variants._sets import SetAP, SetRelativePrecision

__all__ = [
    "FCP",
    "MSE",
    "NCRR",
    "PAP",
    "APByCutoff",
    "BinaryG",
    "CappedRecall",
    "Counted",
    "ElevenPoints",
    "F1OfMeans",
    "GeometricMean",
    "GradedG",
    "InterpolatedPrecision",
    "LAUCOfCatalogue",
    "MeanPrecision",
    "MissesShown",
    "NDCGAtHits",
    "NDCGAtLevels",
    "NDCGOfFull",
    "PartialAUC",
    "PooledCappedRecall",
    "PooledRecall",
    "PrecisionAtMultiple",
    "RatingDCG",
    "RelevantItems",
    "RelevantShown",
    "SetAP",
    "SetRelativePrecision",
    "Shown",
    "ShownAP",
    "SteppedAP",
    "TopAUC",
    "Utility",
]
