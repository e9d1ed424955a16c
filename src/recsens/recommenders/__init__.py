"""B: recommenders, the systems that a study compares."""

from recsens.arrays import Bools, Floats, Ids, Ints, Reals
from recsens.recommenders._base import SPLIT_NAMES, Arrays, Presets, Recommender, learn
from recsens.recommenders._matching import Matching
from recsens.recommenders._memory import USERS_AT_ONCE, Extent, claim
from recsens.recommenders._models import read_model, write_model
from recsens.recommenders._presets import Preset, preset_field
from recsens.recommenders._progress import progress
from recsens.recommenders._search import Candidate

__all__ = [
    "SPLIT_NAMES",
    "USERS_AT_ONCE",
    "Arrays",
    "Bools",
    "Candidate",
    "Extent",
    "Floats",
    "Ids",
    "Ints",
    "Matching",
    "Preset",
    "Presets",
    "Reals",
    "Recommender",
    "claim",
    "learn",
    "preset_field",
    "progress",
    "read_model",
    "write_model",
]
