"""Compact forms of other programs' scores: factors, dense scores, weights between items, lists, and judged ranks."""

from recsens.score_files._archive import names_beside
from recsens.score_files._forms import FORMS, JudgedRanks, ScoreFile, ScoreFormat
from recsens.score_files._read import archive_kind, describe, files_of, format_by_content, format_by_name, read_scores
from recsens.score_files.judged_ranks import KIND as JUDGED_RANKS
from recsens.score_files.judged_ranks import has_judged_ranks, ranks_of_table, read_judged_ranks
