# B: what a recommender learns, and how it ranks.


rule fit:
    input:
        interactions=FILTERED + "/interactions.parquet",
        user_ids=FILTERED + "/user_ids.parquet",
        item_ids=FILTERED + "/item_ids.parquet",
        dataset=FILTERED + "/dataset.json",
        roles=FOLD + "/roles.parquet",
    output:
        model=SYSTEM + "/model.npz",
    log:
        "results/logs/fit/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.log",
    benchmark:
        "results/benchmarks/fit/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}.tsv"
    params:
        spec=WIRING.recommender,
        identity=WIRING.identity,
        fold="{fold}",
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.fit_code,
    conda:
        ENVIRONMENT
    threads: WIRING.fit_threads
    resources:
        mem_mb=memory_mb(700, 60),
        runtime=minutes(10, 2),
    message:
        "Fitting {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"


rule rank:
    input:
        interactions=FILTERED + "/interactions.parquet",
        user_ids=FILTERED + "/user_ids.parquet",
        item_ids=FILTERED + "/item_ids.parquet",
        dataset=FILTERED + "/dataset.json",
        roles=FOLD + "/roles.parquet",
        model=WIRING.model,
    output:
        positions=RANKING + "/positions.parquet",
        users=RANKING + "/users.parquet",
        lists=RANKING + f"/lists-{LIST_DEPTH}.parquet",
    log:
        "results/logs/rank/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}/{targets}/{nc}/{ties}.log",
    benchmark:
        "results/benchmarks/rank/seed-{seed}/{dataset}/{filter}/{split}/{fold}/{recommender}/{targets}/{nc}/{ties}.tsv"
    params:
        spec=WIRING.recommender,
        targets=WIRING.targets,
        ties="{ties}",
        identity=WIRING.identity,
        fold="{fold}",
        seed=WIRING.seed,
        plugins=PLUGINS,
        code=WIRING.rank_code,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 60),
        runtime=minutes(10, 2),
    message:
        "Ranking with {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
    script:
        "../scripts/step.py"
