# C1 and C2: every ranking of the study, measured. One file a metric, so that a new metric leaves the others alone. Only
# metrics that read lists are given the lists, the train set and the table of items.


rule population:
    input:
        positions=WIRING.positions("positions.parquet"),
        users=WIRING.positions("users.parquet"),
        datasets=WIRING.dataset_records(),
    output:
        population=f"{STUDY}/measures/population.parquet",
    log:
        f"{STUDY}/logs/population.log",
    benchmark:
        f"{STUDY}/benchmarks/population.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 6),
        runtime=minutes(5, 0.02),
    params:
        cells=WIRING.cells(),
        depths=WIRING.depths(),
        code=step_code("population"),
    message:
        "Counting the users' ratings"
    script:
        "../scripts/step.py"


rule measure:
    input:
        positions=WIRING.positions("positions.parquet"),
        users=WIRING.positions("users.parquet"),
        datasets=WIRING.dataset_records(),
        lists=WIRING.lists,
        interactions=WIRING.interactions,
        item_tables=WIRING.item_tables,
        roles=WIRING.roles,
    output:
        measures=f"{STUDY}/measures/metric/{{metric}}.parquet",
    log:
        f"{STUDY}/logs/measure/{{metric}}.log",
    benchmark:
        f"{STUDY}/benchmarks/measure/{{metric}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 6),
        runtime=minutes(5, 0.02),
    params:
        metric=WIRING.metric,
        cutoffs=WIRING.cutoffs,
        cells=WIRING.cells(),
        selections=WIRING.selections,
        plugins=PLUGINS,
        code=WIRING.metric_code,
    message:
        "Measuring {wildcards.metric}"
    script:
        "../scripts/step.py"
