# A1 and A2: from raw files to the roles of a fold.


rule ingest:
    input:
        files=WIRING.files,
    output:
        interactions=f"{DATASET}/interactions.parquet",
        user_ids=f"{DATASET}/user_ids.parquet",
        item_ids=f"{DATASET}/item_ids.parquet",
        dataset=f"{DATASET}/dataset.json",
    log:
        "results/logs/ingest/seed-{seed}/{dataset}.log",
    benchmark:
        "results/benchmarks/ingest/seed-{seed}/{dataset}.tsv"
    priority: 50
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 25),
        runtime=minutes(5, 0.1),
    params:
        spec=WIRING.dataset,
        address=WIRING.address,
        identity=WIRING.identity,
        seed=WIRING.seed,
        digests=WIRING.digests,
        plugins=PLUGINS,
        code=WIRING.dataset_code,
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule truth:
    output:
        arrays=f"{DATASET}/truth.npz",
    log:
        "results/logs/truth/seed-{seed}/{dataset}.log",
    benchmark:
        "results/benchmarks/truth/seed-{seed}/{dataset}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(1500, 0),
        runtime=minutes(5, 0),
    params:
        spec=WIRING.dataset,
        identity=WIRING.identity,
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.truth_code,
    message:
        "Keeping the complete relevance of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule filter:
    input:
        interactions=f"{DATASET}/interactions.parquet",
        user_ids=f"{DATASET}/user_ids.parquet",
        item_ids=f"{DATASET}/item_ids.parquet",
        dataset=f"{DATASET}/dataset.json",
    output:
        kept_interactions=f"{FILTERED}/interactions.parquet",
        kept_user_ids=f"{FILTERED}/user_ids.parquet",
        kept_item_ids=f"{FILTERED}/item_ids.parquet",
        kept_dataset=f"{FILTERED}/dataset.json",
    log:
        "results/logs/filter/seed-{seed}/{dataset}/{filter}.log",
    benchmark:
        "results/benchmarks/filter/seed-{seed}/{dataset}/{filter}.tsv"
    priority: 50
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 40),
        runtime=minutes(5, 0.1),
    params:
        chain=WIRING.chain,
        identity=WIRING.identity,
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.filter_code,
    message:
        "Filtering {wildcards.dataset} by {wildcards.filter}"
    script:
        "../scripts/step.py"


rule split:
    input:
        interactions=f"{FILTERED}/interactions.parquet",
        user_ids=f"{FILTERED}/user_ids.parquet",
        item_ids=f"{FILTERED}/item_ids.parquet",
        dataset=f"{FILTERED}/dataset.json",
        own_files=WIRING.split_files,
    output:
        roles=f"{FOLD}/roles.parquet",
        record=f"{FOLD}/split.json",
    log:
        "results/logs/split/seed-{seed}/{dataset}/{filter}/{split}/{fold}.log",
    benchmark:
        "results/benchmarks/split/seed-{seed}/{dataset}/{filter}/{split}/{fold}.tsv"
    priority: 50
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 40),
        runtime=minutes(5, 0.1),
    params:
        spec=WIRING.split,
        identity=WIRING.identity,
        repeat=WIRING.repeat,
        part=WIRING.part,
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.split_code,
    message:
        "Splitting {wildcards.dataset} by {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


# Whether the data allow the target items of a design, before anything is fitted.
rule check:
    input:
        interactions=f"{FILTERED}/interactions.parquet",
        user_ids=f"{FILTERED}/user_ids.parquet",
        item_ids=f"{FILTERED}/item_ids.parquet",
        dataset=f"{FILTERED}/dataset.json",
        roles=f"{FOLD}/roles.parquet",
        own_files=WIRING.target_files,
    output:
        record=f"{FOLD}/checks/{{targets}}.json",
    log:
        "results/logs/check/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{targets}.log",
    benchmark:
        "results/benchmarks/check/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{targets}.tsv"
    priority: 50
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 60),
        runtime=minutes(5, 0.1),
    params:
        targets=WIRING.targets,
        audiences=WIRING.audiences,
        user_columns=WIRING.weighing_columns,
        item_columns=WIRING.item_columns(),
        identity=WIRING.identity,
        fold="{fold}",
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.check_code,
    message:
        "Checking the target items {wildcards.targets} of {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"
