# B: what a recommender learns, and how it ranks. What may take several cores comes first: a ranking takes one, and while a single one ran,
# no fit of two cores could start beside it.


rule tune:
    input:
        **judged(SYSTEMS.tune.inputs),
    output:
        **SYSTEMS.tune.outputs,
    log:
        SYSTEMS.tune.log,
    benchmark:
        SYSTEMS.tune.benchmark
    priority: 10
    group:
        group("tune")
    conda:
        ENVIRONMENT
    threads: SYSTEMS.threads
    resources:
        mem_mb=memory_mb("tune"),
        runtime=minutes("tune"),
    params:
        **SYSTEMS.tune.params,
    message:
        "Tuning {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


rule fit:
    input:
        **judged(SYSTEMS.fit.inputs),
    output:
        **SYSTEMS.fit.outputs,
    log:
        SYSTEMS.fit.log,
    benchmark:
        SYSTEMS.fit.benchmark
    priority: 10
    group:
        group("fit")
    conda:
        ENVIRONMENT
    threads: SYSTEMS.threads
    resources:
        mem_mb=memory_mb("fit"),
        runtime=minutes("fit"),
    params:
        **SYSTEMS.fit.params,
    message:
        "Fitting {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


# A part of the users, where several jobs share the ranking of a system. 'rank' puts the parts together and removes them; they are no
# temp(), of which Snakemake leaves behind what was there before it was started.
rule rank_shard:
    input:
        **judged(SYSTEMS.rank_shard.inputs),
    output:
        **SYSTEMS.rank_shard.outputs,
    log:
        SYSTEMS.rank_shard.log,
    benchmark:
        SYSTEMS.rank_shard.benchmark
    group:
        group("rank_shard")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("rank_shard"),
        runtime=minutes("rank_shard"),
    params:
        **SYSTEMS.rank_shard.params,
    message:
        "Ranking users with {wildcards.recommender} on {wildcards.split}, {wildcards.fold}: shard {wildcards.shard}"
    script:
        "../scripts/step.py"


rule rank:
    input:
        **judged(SYSTEMS.rank.inputs),
    output:
        **SYSTEMS.rank.outputs,
    log:
        SYSTEMS.rank.log,
    benchmark:
        SYSTEMS.rank.benchmark
    group:
        group("rank")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("rank"),
        runtime=minutes("rank"),
    params:
        **SYSTEMS.rank.params,
    message:
        "Ranking with {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"
