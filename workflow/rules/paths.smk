# Where results are stored. Each level adds one decision and is named after the chosen option: random(ratio=0.8) is written as in
# results/seed-0/movielens@release=1m/none/random@ratio=0.8/repeat-0/user_knn@k=50/ar/drop/random/positions.parquet
# where 'none' filters nothing, 'ar' ranks all items that a user has not rated in train, 'drop' leaves out the items without a score
# (decision 'nc'), and the last 'random' orders equal scores.
# The paths 'of_...' lack <results>, so that logs and benchmarks can have folders of the same names. Snakemake sets <results>, which is
# 'results' by default.
pathvars:
    of_dataset="seed-{seed}/{dataset}",
    of_filtered="<of_dataset>/{filter}",
    of_fold="<of_filtered>/{split}/{fold}",
    of_system="<of_fold>/{recommender}",
    of_ranking="<of_system>/{targets}/{nc}/{ties}",
    dataset="<results>/<of_dataset>",
    filtered="<results>/<of_filtered>",
    fold="<results>/<of_fold>",
    system="<results>/<of_system>",
    ranking="<results>/<of_ranking>",
    study=f"<results>/studies/{ask.name}",
    logs="<results>/logs",
    benchmarks="<results>/benchmarks",


# Files that belong together: each list is passed to a step as one named argument.
INTERACTIONS = ["interactions.parquet", "user_ids.parquet", "item_ids.parquet", "dataset.json"]
SIDE_TABLES = ["user_columns.parquet", "item_columns.parquet", "contexts.parquet"]
# Positions of the judged items, each user's counts, and the first 100 items of each list.
RANKING = ["positions.parquet", "users.parquet", "lists-100.parquet"]

# Tables of every study: those about pairs of systems, and all tables.
OF_PAIRS = ["comparisons.csv", "multiverse.csv", "joint.csv", "verdicts.csv", "flips.csv", "influence.csv", "shortest.csv"]
TABLES = ["summary.csv", "counted.csv", *OF_PAIRS, "overlap.csv", "ties.csv", "datasets.csv", "splits.csv"]

# Files written when designs are scored against a reference design.
SCORECARD = ["truth.csv", "truth.md", "figures/truth.svg", "figures/truth.png", "figures/truth.pdf"]


# A table that Snakemake's own report shows, with the caption of its name.
def table_in_report(path, table):
    return report(path, caption=f"../report/{Path(path).stem}.rst", category="Tables", labels={"table": table})
