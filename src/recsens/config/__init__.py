"""Study files: which data sets and systems, every decision, what varies, what to show."""

from recsens.config._model import Decisions, Published, PublishedComparison, Study
from recsens.config._reading import STUDY_NAME, find_study, load_study

__all__ = ["STUDY_NAME", "Decisions", "Published", "PublishedComparison", "Study", "find_study", "load_study"]
