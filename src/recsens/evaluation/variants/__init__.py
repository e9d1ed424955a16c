"""Metrics as other libraries define them, where their definition differs from ours."""

from recsens.evaluation.variants._accuracy import (
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
from recsens.evaluation.variants._counts import Counted, MissesShown, RelevantItems, RelevantShown, Shown, Utility
from recsens.evaluation.variants._geometric import GeometricMean
from recsens.evaluation.variants._graded import BinaryG, GradedG, NDCGAtHits, NDCGAtLevels
from recsens.evaluation.variants._recall_levels import ElevenPoints, InterpolatedPrecision, PrecisionAtMultiple
from recsens.evaluation.variants._sets import SetAP, SetRelativePrecision

__all__ = [
    "PAP",
    "APByCutoff",
    "BinaryG",
    "CappedRecall",
    "Counted",
    "ElevenPoints",
    "GeometricMean",
    "GradedG",
    "InterpolatedPrecision",
    "MeanPrecision",
    "MissesShown",
    "NDCGAtHits",
    "NDCGAtLevels",
    "NDCGOfFull",
    "PartialAUC",
    "PrecisionAtMultiple",
    "RatingDCG",
    "RelevantItems",
    "RelevantShown",
    "SetAP",
    "SetRelativePrecision",
    "Shown",
    "ShownAP",
    "SteppedAP",
    "Utility",
]
