# Analyses of the metrics themselves, on the rankings of all systems: one job for each analysis, data set and fold. {label} is the
# data set's name in the study.


use rule step as analyse_metrics with:
    """Analyse the metrics of the study on one fold."""
    input:
        rankings=ask.analysed_rankings,
        interactions=ask.analysed_interactions,
        item_ids=ask.analysed_items,
        roles=ask.analysed_roles,
        user_tables=ask.analysed_user_tables,
        own_files=ask.analysis_files,
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
        **ask.code("analyse_metrics", ask.analysis_classes),
        analysis=ask.analysis,
        asked=ask.asked_of_analysis,
        rules=ask.rules_of_analysis,
        origin=ask.analysis_origin,
        order=ask.order,
        own_digests=ask.own_digests,
    message:
        "Analysing metrics: {wildcards.analysis} on {wildcards.label}, {wildcards.fold}"


use rule step as findings with:
    """Collect the findings of all analyses of metrics."""
    input:
        parts=ask.analysed_parts,
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
        **ask.code("findings", ask.analyses),
        order=ask.order,
        labels=ask.analysed_labels,
        seed=ask.seed,
    message:
        "Collecting the findings about metrics"
