# A1 and A2: from raw files to the roles of a fold.


rule ingest:
    priority: 50
    input:
        files=WIRING.files,
    output:
        interactions=DATASET + "/interactions.parquet",
        user_ids=DATASET + "/user_ids.parquet",
        item_ids=DATASET + "/item_ids.parquet",
        dataset=DATASET + "/dataset.json",
    log:
        "results/logs/ingest/seed-{seed}/{dataset}.log",
    benchmark:
        "results/benchmarks/ingest/seed-{seed}/{dataset}.tsv"
    params:
        spec=WIRING.dataset,
        identity=WIRING.identity,
        seed=WIRING.seed,
        digests=WIRING.digests,
        plugins=PLUGINS,
        code=WIRING.dataset_code,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 25),
        runtime=minutes(5, 0.1),
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule truth:
    output:
        arrays=DATASET + "/truth.npz",
    log:
        "results/logs/truth/seed-{seed}/{dataset}.log",
    benchmark:
        "results/benchmarks/truth/seed-{seed}/{dataset}.tsv"
    params:
        spec=WIRING.dataset,
        identity=WIRING.identity,
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.truth_code,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(1500, 0),
        runtime=minutes(5, 0),
    message:
        "Keeping the complete relevance of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule filter:
    priority: 50
    input:
        interactions=DATASET + "/interactions.parquet",
        user_ids=DATASET + "/user_ids.parquet",
        item_ids=DATASET + "/item_ids.parquet",
        dataset=DATASET + "/dataset.json",
    output:
        kept_interactions=FILTERED + "/interactions.parquet",
        kept_user_ids=FILTERED + "/user_ids.parquet",
        kept_item_ids=FILTERED + "/item_ids.parquet",
        kept_dataset=FILTERED + "/dataset.json",
    log:
        "results/logs/filter/seed-{seed}/{dataset}/{filter}.log",
    benchmark:
        "results/benchmarks/filter/seed-{seed}/{dataset}/{filter}.tsv"
    params:
        chain=WIRING.chain,
        identity=WIRING.identity,
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.filter_code,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 40),
        runtime=minutes(5, 0.1),
    message:
        "Filtering {wildcards.dataset} by {wildcards.filter}"
    script:
        "../scripts/step.py"


rule split:
    priority: 50
    input:
        interactions=FILTERED + "/interactions.parquet",
        user_ids=FILTERED + "/user_ids.parquet",
        item_ids=FILTERED + "/item_ids.parquet",
        dataset=FILTERED + "/dataset.json",
    output:
        roles=FOLD + "/roles.parquet",
        record=FOLD + "/split.json",
    log:
        "results/logs/split/seed-{seed}/{dataset}/{filter}/{split}/{fold}.log",
    benchmark:
        "results/benchmarks/split/seed-{seed}/{dataset}/{filter}/{split}/{fold}.tsv"
    params:
        spec=WIRING.split,
        identity=WIRING.identity,
        repeat=WIRING.repeat,
        part=WIRING.part,
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.split_code,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 40),
        runtime=minutes(5, 0.1),
    message:
        "Splitting {wildcards.dataset} by {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"
