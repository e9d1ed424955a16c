"""Study files: which data sets and systems, every decision, what varies, what to show."""

from recsens.config._model import Decisions, Experiment, Published, PublishedComparison, Study, file_name
from recsens.config._reading import STUDY_NAME, find_study, load_study

__all__ = [
    "STUDY_NAME",
    "Decisions",
    "Experiment",
    "Published",
    "PublishedComparison",
    "Study",
    "file_name",
    "find_study",
    "load_study",
]
