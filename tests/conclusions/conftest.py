"""The fixtures of the invented study."""

from invented import designs, experiment, files, make_results, make_study, results, split_at, study, study_content

__all__ = ["designs", "experiment", "files", "make_results", "make_study", "results", "split_at", "study", "study_content"]
