# C1 and C2: every ranking of the study, measured. One file per metric, so that a new metric does not re-run the others. Only
# metrics that read lists are given the lists, the train set and the table of items.


rule population:
    input:
        **judged(STUDIES.population.inputs),
    output:
        **STUDIES.population.outputs,
    log:
        STUDIES.population.log,
    benchmark:
        STUDIES.population.benchmark
    group:
        group("population")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("population"),
        runtime=minutes("population"),
    params:
        **STUDIES.population.params,
    message:
        "Counting the users' ratings"
    script:
        "../scripts/step.py"


rule measure:
    input:
        **judged(STUDIES.measure.inputs),
    output:
        **STUDIES.measure.outputs,
    log:
        STUDIES.measure.log,
    benchmark:
        STUDIES.measure.benchmark
    group:
        group("measure")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("measure"),
        runtime=minutes("measure"),
    params:
        **STUDIES.measure.params,
    message:
        "Measuring {wildcards.metric}"
    script:
        "../scripts/step.py"
