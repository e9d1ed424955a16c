"""Recommenders (decision B): the systems that a study compares."""

from recsens.arrays import Bools, Floats, Ids, Ints, Reals
from recsens.recommenders._base import (
    SPLIT_NAMES,
    Arrays,
    Preset,
    Presets,
    Recommender,
    ScoredLists,
    SearchSpace,
    learn,
    preset_field,
    read_model,
    valcarce2018_ml1m,
    write_model,
)
from recsens.recommenders._memory_check import Extent, claim
from recsens.recommenders._progress import is_watched, progress
from recsens.recommenders._score_file_match import Matching
from recsens.recommenders._shared_fits import group_by_shared_fit, learn_each
from recsens.recommenders._tuning_candidates import Candidate

__all__ = ["Extent", "Preset", "Presets", "Reals", "Recommender", "ScoredLists", "SearchSpace", "claim", "preset_field", "progress"]
