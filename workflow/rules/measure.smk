# C1 and C2: every ranking of the study, measured. One file a metric, so that a new metric leaves the others alone.


rule population:
    input:
        positions=WIRING.positions("positions.parquet"),
        users=WIRING.positions("users.parquet"),
        datasets=WIRING.dataset_records(),
    output:
        population=STUDY + "/measures/population.parquet",
    log:
        STUDY + "/logs/population.log",
    benchmark:
        STUDY + "/benchmarks/population.tsv"
    params:
        views=WIRING.views(),
        relevances=WIRING.relevances(),
        code=step_code("population"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 6),
        runtime=minutes(5, 0.02),
    message:
        "Counting the users' ratings"
    script:
        "../scripts/step.py"


rule measure:
    input:
        positions=WIRING.positions("positions.parquet"),
        users=WIRING.positions("users.parquet"),
        datasets=WIRING.dataset_records(),
    output:
        measures=STUDY + "/measures/metric/{metric}.parquet",
    log:
        STUDY + "/logs/measure/{metric}.log",
    benchmark:
        STUDY + "/benchmarks/measure/{metric}.tsv"
    params:
        metric=WIRING.metric,
        cutoffs=WIRING.cutoffs,
        views=WIRING.views(),
        relevances=WIRING.relevances(),
        plugins=PLUGINS,
        code=WIRING.metric_code,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 6),
        runtime=minutes(5, 0.02),
    message:
        "Measuring {wildcards.metric}"
    script:
        "../scripts/step.py"
