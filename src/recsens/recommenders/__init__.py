"""B: recommenders, the systems that an experiment compares."""

from recsens.recommenders._base import SPLIT_NAMES, Recommender, learn
from recsens.recommenders._memory import claim
from recsens.recommenders._presets import Preset, preset_field
from recsens.recommenders._progress import progress

__all__ = ["SPLIT_NAMES", "Preset", "Recommender", "claim", "learn", "preset_field", "progress"]
