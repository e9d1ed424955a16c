# What a recommender learns, and how it ranks. Fits have priority over rankings because a fit may use two cores: on a machine with two
# cores, no such fit can start while a ranking runs.


use rule step as tune_shard with:
    """Measure some candidates on validation data, when a search is split over several jobs."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        side=branch(ask.tune_shard.reads_side_tables, then=multiext("<filtered>/", *SIDE_TABLES), otherwise=[]),
        own_files=ask.tune_shard.own_files,
    # Not temp(), as for 'rank_shard': 'tune' deletes all of them at its end.
    output:
        trials="<system>/shard-{shard}.tuning.json",
        cost="<benchmarks>/tune_shard/<of_system>/{shard}.json",
    log:
        "<logs>/tune_shard/<of_system>/{shard}.log",
    benchmark:
        "<benchmarks>/tune_shard/<of_system>/{shard}.tsv"
    priority: 10
    # One thread each: a search has as many shards as can use all processors.
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=600, with_model=True),
        runtime=ask.runtime(seconds=60, per_million_ratings=900, with_fit=True),
    params:
        **ask.code("tune_shard"),
        spec=ask.tune_shard.spec,
        outer=ask.tune_shard.outer,
        origin=ask.tune_shard.origin,
        own_digests=ask.own_digests,
        shard=ask.tune_shard.shard,
    message:
        "Tuning {wildcards.recommender} on {wildcards.split}, {wildcards.fold}: shard {wildcards.shard}"


use rule step as tune with:
    """Choose the parameters of a recommender on validation data; if there are shards, only join them."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        side=branch(ask.tune.reads_side_tables, then=multiext("<filtered>/", *SIDE_TABLES), otherwise=[]),
        own_files=ask.tune.own_files,
        # Empty unless the search is so long that it is split over jobs (tune_shard); then this job only joins them.
        shards=ask.tune.shards,
        shard_costs=ask.tune.shard_costs,
    output:
        tuning="<system>/tuning.json",
        cost="<benchmarks>/tune/<of_system>.json",
    log:
        "<logs>/tune/<of_system>.log",
    benchmark:
        "<benchmarks>/tune/<of_system>.tsv"
    priority: 10
    threads: ask.threads
    # Tuning runs many fits and rankings in sequence.
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=600, with_model=True),
        runtime=ask.runtime(seconds=60, per_million_ratings=900, with_fit=True),
    params:
        **ask.code("tune"),
        spec=ask.tune.spec,
        outer=ask.tune.outer,
        origin=ask.tune.origin,
        own_digests=ask.own_digests,
    message:
        "Tuning {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"


use rule step as fit with:
    """Fit a model on the train set."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        side=branch(ask.fit.reads_side_tables, then=multiext("<filtered>/", *SIDE_TABLES), otherwise=[]),
        # Empty unless the system is tuned; further fits of it have the parameters chosen for the first.
        tuning=ask.fit.tuning,
        own_files=ask.fit.own_files,
    output:
        model="<system>/model.npz",
        cost="<benchmarks>/fit/<of_system>.json",
    log:
        "<logs>/fit/<of_system>.log",
    benchmark:
        "<benchmarks>/fit/<of_system>.tsv"
    priority: 10
    group:
        ask.group("systems")
    threads: ask.fit_threads(per_million_ratings=40)
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=500, with_model=True),
        runtime=ask.runtime(seconds=10, per_million_ratings=40, with_fit=True),
    params:
        **ask.code("fit"),
        spec=ask.fit.spec,
        origin=ask.fit.origin,
        own_digests=ask.own_digests,
    message:
        "Fitting {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"


# A program also receives the validation set of its fold, which no other fit reads.
ruleorder: fit_program > fit


use rule step as fit_program with:
    """Run another program that learns from the train set and writes scores."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        side=branch(ask.fit_program.reads_side_tables, then=multiext("<filtered>/", *SIDE_TABLES), otherwise=[]),
        own_files=ask.fit_program.own_files,
    output:
        model="<system>/model.npz",
        cost="<benchmarks>/fit/<of_system>.json",
    log:
        "<logs>/fit/<of_system>.log",
    benchmark:
        "<benchmarks>/fit/<of_system>.tsv"
    wildcard_constraints:
        recommender=ask.programs,
    priority: 10
    group:
        ask.group("systems")
    threads: ask.threads
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=500, with_model=True),
        runtime=ask.runtime(seconds=10, per_million_ratings=40, with_fit=True),
    params:
        **ask.code("fit_program"),
        spec=ask.fit_program.spec,
        origin=ask.fit_program.origin,
        own_digests=ask.own_digests,
    message:
        "Running {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"


use rule step as rank_shard with:
    """Rank one shard of the users, when a ranking is split over several jobs."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        truth=branch(ask.rank_shard.is_tested_on_truth, then="<dataset>/truth.npz", otherwise=[]),
        model=ask.rank_shard.model,
        own_files=ask.rank_shard.own_files,
    # Not temp(), which deletes only this run's shards, not those of an earlier run with a different number of shards: 'rank'
    # deletes all of them at its end.
    output:
        ranking=multiext("<ranking>/shard-{shard}.", *RANKING),
        cost="<benchmarks>/rank_shard/<of_ranking>/{shard}.json",
    log:
        "<logs>/rank_shard/<of_ranking>/{shard}.log",
    benchmark:
        "<benchmarks>/rank_shard/<of_ranking>/{shard}.tsv"
    group:
        ask.group("systems")
    # A shard loads all data but ranks only some users.
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=500, with_model=True),
        runtime=ask.runtime(seconds=10, per_million_ratings=40),
    params:
        **ask.code("rank_shard"),
        design=ask.rank_shard.design,
        origin=ask.rank_shard.origin,
        own_digests=ask.own_digests,
        shard=ask.rank_shard.shard,
    message:
        "Ranking users with {wildcards.recommender} on {wildcards.split}, {wildcards.fold}: shard {wildcards.shard}"


use rule step as rank with:
    """Rank the target items of every user, and keep the positions of the judged ones; if there are shards, only merge them."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        truth=branch(ask.rank.is_tested_on_truth, then="<dataset>/truth.npz", otherwise=[]),
        # Usually <system>/model.npz; splits with the same train set share the model of one of them. Empty for a system that is cheap
        # to fit: then this job fits it, and 'fit' never runs for it.
        model=ask.rank.model,
        # The user's own files that the recommender, the target items and the other decisions about rankings name; often none.
        own_files=ask.rank.own_files,
        # Empty unless the ranking is so large that it is split over jobs (rank_shard); then this job only merges them.
        shards=ask.rank.shards,
        shard_costs=ask.rank.shard_costs,
    # positions.parquet, users.parquet and lists-100.parquet: see RANKING in paths.smk.
    output:
        ranking=multiext("<ranking>/", *RANKING),
        cost="<benchmarks>/rank/<of_ranking>.json",
    log:
        "<logs>/rank/<of_ranking>.log",
    benchmark:
        "<benchmarks>/rank/<of_ranking>.tsv"
    group:
        ask.group("systems")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=500, with_model=True),
        runtime=ask.runtime(seconds=10, per_million_ratings=40),
    params:
        **ask.code("rank"),
        design=ask.rank.design,
        origin=ask.rank.origin,
        own_digests=ask.own_digests,
    message:
        "Ranking with {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"


use rule step as rank_trials with:
    """Fit every candidate of a search on the train set, and keep the positions that it gives to the judged items."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        side=branch(ask.rank_trials.reads_side_tables, then=multiext("<filtered>/", *SIDE_TABLES), otherwise=[]),
        truth=branch(ask.rank_trials.is_tested_on_truth, then="<dataset>/truth.npz", otherwise=[]),
        tuning="<system>/tuning.json",
        own_files=ask.rank_trials.own_files,
    output:
        trials=multiext("<ranking>/trials-", "positions.parquet", "users.parquet"),
        cost="<benchmarks>/rank_trials/<of_ranking>.json",
    log:
        "<logs>/rank_trials/<of_ranking>.log",
    benchmark:
        "<benchmarks>/rank_trials/<of_ranking>.tsv"
    priority: 10
    threads: ask.threads
    # As many fits and rankings in sequence as for tuning.
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=600, with_model=True),
        runtime=ask.runtime(seconds=60, per_million_ratings=900, with_fit=True),
    params:
        **ask.code("rank_trials"),
        design=ask.rank_trials.design,
        origin=ask.rank_trials.origin,
        own_digests=ask.own_digests,
    message:
        "Ranking by every candidate of {wildcards.recommender} on {wildcards.split}, {wildcards.fold}"
