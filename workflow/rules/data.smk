# A1 and A2: from raw files to the roles of a fold.


rule ingest:
    input:
        **judged(DATA.ingest.inputs),
    output:
        **DATA.ingest.outputs,
    log:
        DATA.ingest.log,
    benchmark:
        DATA.ingest.benchmark
    priority: 50
    group:
        group("ingest")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("ingest"),
        runtime=minutes("ingest"),
    params:
        **DATA.ingest.params,
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule truth:
    output:
        **DATA.truth.outputs,
    log:
        DATA.truth.log,
    benchmark:
        DATA.truth.benchmark
    group:
        group("truth")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("truth"),
        runtime=minutes("truth"),
    params:
        **DATA.truth.params,
    message:
        "Keeping the complete relevance of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule filter:
    input:
        **judged(DATA.filter.inputs),
    output:
        **DATA.filter.outputs,
    log:
        DATA.filter.log,
    benchmark:
        DATA.filter.benchmark
    priority: 50
    group:
        group("filter")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("filter"),
        runtime=minutes("filter"),
    params:
        **DATA.filter.params,
    message:
        "Filtering {wildcards.dataset} by {wildcards.filter}"
    script:
        "../scripts/step.py"


# What is known of users and items, for what uses it.
rule side_tables:
    input:
        **judged(DATA.side_tables.inputs),
    output:
        **DATA.side_tables.outputs,
    log:
        DATA.side_tables.log,
    benchmark:
        DATA.side_tables.benchmark
    priority: 50
    group:
        group("side_tables")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("side_tables"),
        runtime=minutes("side_tables"),
    params:
        **DATA.side_tables.params,
    message:
        "Reading what is known of users and items of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule split:
    input:
        **judged(DATA.split.inputs),
    output:
        **DATA.split.outputs,
    log:
        DATA.split.log,
    benchmark:
        DATA.split.benchmark
    priority: 50
    group:
        group("split")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("split"),
        runtime=minutes("split"),
    params:
        **DATA.split.params,
    message:
        "Splitting {wildcards.dataset} by {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


# Whether the data allow the target items of a design, before anything is fitted.
rule check:
    input:
        **judged(DATA.check.inputs),
    output:
        **DATA.check.outputs,
    log:
        DATA.check.log,
    benchmark:
        DATA.check.benchmark
    priority: 50
    group:
        group("check")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("check"),
        runtime=minutes("check"),
    params:
        **DATA.check.params,
    message:
        "Checking the target items {wildcards.targets} of {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"
