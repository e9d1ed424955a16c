# Analyses of the metrics themselves, on the rankings of all systems: one job for each analysis, data set and fold. {label} is the
# data set's name in the study.


use rule step as analyse_metrics with:
    """Analyse the metrics of the study on one fold."""
    input:
        rankings=ask.analyse_metrics.rankings,
        interactions=ask.analyse_metrics.interactions,
        item_ids=ask.analyse_metrics.item_ids,
        roles=ask.analyse_metrics.roles,
        lists=ask.analyse_metrics.lists,
        item_tables=ask.analyse_metrics.item_tables,
        user_tables=ask.analyse_metrics.user_tables,
        own_files=ask.analyse_metrics.own_files,
    output:
        findings="<study>/meta/{analysis}/{label}.{fold}.parquet",
    log:
        "<study>/logs/analyse_metrics/{analysis}/{label}.{fold}.log",
    benchmark:
        "<study>/benchmarks/analyse_metrics/{analysis}/{label}.{fold}.tsv"
    group:
        ask.group("measures")
    # Two threads, because many analyses measure parts of the rankings side by side.
    threads: 2
    resources:
        mem_mb=ask.mb(2400, per_million_ratings=20),
        runtime=ask.runtime(seconds=30, per_million_ratings=10),
    params:
        **ask.code("analyse_metrics"),
        analysis=ask.analyse_metrics.analysis,
        asked=ask.analyse_metrics.asked,
        rules=ask.analyse_metrics.rules,
        origin=ask.analyse_metrics.origin,
        order=ask.order,
        own_digests=ask.own_digests,
    message:
        "Analysing metrics: {wildcards.analysis} on {wildcards.label}, {wildcards.fold}"


use rule step as findings with:
    """Collect the findings of all analyses of metrics."""
    input:
        parts=ask.findings.parts,
    output:
        findings=table_in_report("<study>/findings.csv", "Findings about metrics"),
    log:
        "<study>/logs/findings.log",
    benchmark:
        "<study>/benchmarks/findings.tsv"
    group:
        ask.group("measures")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=1),
        runtime=ask.runtime(seconds=10),
    params:
        **ask.code("findings"),
        order=ask.order,
        labels=ask.findings.labels,
        seed=ask.findings.seed,
    message:
        "Collecting the findings about metrics"
