# Measures of every ranking in the study, with one file per metric. A new metric does not re-run the jobs of the other metrics; a new
# ranking re-runs the jobs of all metrics.
# docs/workflow.md lists the columns of each file.


use rule step as count_ratings with:
    """Count the train, test and relevant ratings of every user in every ranking."""
    input:
        rankings=ask.count_ratings.rankings,
    output:
        population="<study>/measures/population.parquet",
    log:
        "<study>/logs/count_ratings.log",
    benchmark:
        "<study>/benchmarks/count_ratings.tsv"
    group:
        ask.group("measures")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=10, per_million_ratings=1),
    params:
        **ask.code("count_ratings"),
        order=ask.order,
        cells=ask.count_ratings.cells,
        depths=ask.count_ratings.depths,
    message:
        "Counting the users' ratings"


use rule step as measure with:
    """Compute one metric on every ranking."""

    # Lists (with the train set) and the tables of items are inputs only for metrics that read them.
    input:
        rankings=ask.measure.rankings,
        lists=ask.measure.lists,
        item_tables=ask.measure.item_tables,
        own_files=ask.measure.own_files,
    output:
        measures="<study>/measures/metric/{metric}.parquet",
    log:
        "<study>/logs/measure/{metric}.log",
    benchmark:
        "<study>/benchmarks/measure/{metric}.tsv"
    group:
        ask.group("measures")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=10, per_million_ratings=1),
    params:
        **ask.code("measure"),
        metric=ask.measure.metric,
        cutoffs=ask.measure.cutoffs,
        order=ask.order,
        cells=ask.measure.cells,
        left_out=ask.measure.left_out,
        selections=ask.measure.selections,
        own_digests=ask.own_digests,
    message:
        "Measuring {wildcards.metric}"
