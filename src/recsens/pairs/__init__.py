"""Files of scores and of ratings: one row a pair of user and item, in TREC's forms, CSV, TSV or parquet."""

from recsens.pairs._detect import read
from recsens.pairs._parquet import read_parquet
from recsens.pairs._rows import BY_RANK, QRELS, RUN, RUNS, Form, Layout, Names, RankBy, Rows, checked
from recsens.pairs._text import read_csv, read_trec, read_tsv

__all__ = [
    "BY_RANK",
    "QRELS",
    "RUN",
    "RUNS",
    "Form",
    "Layout",
    "Names",
    "RankBy",
    "Rows",
    "checked",
    "read",
    "read_csv",
    "read_parquet",
    "read_trec",
    "read_tsv",
]
