"""B: recommenders, the systems that an experiment compares."""

from recsens.recommenders._base import Recommender, learn
from recsens.recommenders._presets import Preset, preset_field

__all__ = ["Preset", "Recommender", "learn", "preset_field"]
