"""The study file: data sets, systems, every decision, what varies, and what to show."""

from recsens.study.claims import ClaimEntry, Ground
from recsens.study.decisions import Decisions
from recsens.study.experiment import Experiment
from recsens.study.figures import FigureEntry
from recsens.study.labels import file_name, label_of
from recsens.study.metric_analyses import MetricAnalysisEntry, MetricAnalysisTask, all_pairs
from recsens.study.model import FurtherExperiment, Study
from recsens.study.published import Published, PublishedComparison
from recsens.study.reading import STUDY_NAME, find_study, load_study

__all__ = ["Decisions", "Experiment", "Study", "find_study", "load_study"]
