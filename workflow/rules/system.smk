# B: what a recommender learns, and how it ranks.


rule tune:
    input:
        interactions=f"{FILTERED}/interactions.parquet",
        user_ids=f"{FILTERED}/user_ids.parquet",
        item_ids=f"{FILTERED}/item_ids.parquet",
        dataset=f"{FILTERED}/dataset.json",
        roles=f"{FOLD}/roles.parquet",
        own_files=WIRING.own_files,
    output:
        tuning=f"{SYSTEM}/tuning.json",
        cost="results/benchmarks/tune/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.json",
    log:
        "results/logs/tune/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.log",
    benchmark:
        "results/benchmarks/tune/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.tsv"
    conda:
        ENVIRONMENT
    threads: WIRING.fit_threads
    resources:
        mem_mb=memory_mb(700, 60),
        # So many fits as there are candidates.
        runtime=minutes(120, 10),
    params:
        spec=WIRING.recommender,
        identity=WIRING.identity,
        fold="{fold}",
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.tune_code,
    message:
        "Tuning {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


rule fit:
    input:
        interactions=f"{FILTERED}/interactions.parquet",
        user_ids=f"{FILTERED}/user_ids.parquet",
        item_ids=f"{FILTERED}/item_ids.parquet",
        dataset=f"{FILTERED}/dataset.json",
        roles=f"{FOLD}/roles.parquet",
        tuning=WIRING.tuning,
        own_files=WIRING.own_files,
    output:
        model=f"{SYSTEM}/model.npz",
        cost="results/benchmarks/fit/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.json",
    log:
        "results/logs/fit/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.log",
    benchmark:
        "results/benchmarks/fit/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.tsv"
    conda:
        ENVIRONMENT
    threads: WIRING.fit_threads
    resources:
        mem_mb=memory_mb(700, 60),
        runtime=minutes(10, 2),
    params:
        spec=WIRING.recommender,
        identity=WIRING.identity,
        fold="{fold}",
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.fit_code,
    message:
        "Fitting {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


rule rank:
    input:
        interactions=f"{FILTERED}/interactions.parquet",
        user_ids=f"{FILTERED}/user_ids.parquet",
        item_ids=f"{FILTERED}/item_ids.parquet",
        dataset=f"{FILTERED}/dataset.json",
        roles=f"{FOLD}/roles.parquet",
        model=WIRING.model,
        own_files=WIRING.ranking_files,
    output:
        positions=f"{RANKING}/positions.parquet",
        users=f"{RANKING}/users.parquet",
        lists=f"{RANKING}/lists-{LIST_DEPTH}.parquet",
        cost="results/benchmarks/rank/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}/{targets}/{nc}/{ties}.json",
    log:
        "results/logs/rank/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}/{targets}/{nc}/{ties}.log",
    benchmark:
        "results/benchmarks/rank/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}/{targets}/{nc}/{ties}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 60),
        runtime=minutes(10, 2),
    params:
        spec=WIRING.recommender,
        targets=WIRING.targets,
        relevance=WIRING.relevance,
        nc=WIRING.nc,
        ties="{ties}",
        identity=WIRING.identity,
        fold="{fold}",
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.rank_code,
    message:
        "Ranking with {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"
