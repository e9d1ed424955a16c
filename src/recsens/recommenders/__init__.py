"""B: recommenders, the systems that a study compares."""

from recsens.recommenders._base import SPLIT_NAMES, Recommender, learn
from recsens.recommenders._matching import Matching
from recsens.recommenders._memory import USERS_AT_ONCE, Extent, claim
from recsens.recommenders._models import read_model, write_model
from recsens.recommenders._presets import Preset, preset_field
from recsens.recommenders._progress import progress
from recsens.recommenders._search import Candidate

__all__ = [
    "SPLIT_NAMES",
    "USERS_AT_ONCE",
    "Candidate",
    "Extent",
    "Matching",
    "Preset",
    "Recommender",
    "claim",
    "learn",
    "preset_field",
    "progress",
    "read_model",
    "write_model",
]
