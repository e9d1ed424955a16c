# From raw files to the role of each rating in a fold.


use rule step as ingest with:
    """Read a data set from its raw files."""
    input:
        files=ask.ingest.files,
    output:
        data=multiext("<dataset>/", *INTERACTIONS),
    log:
        "<logs>/ingest/<of_dataset>.log",
    benchmark:
        "<benchmarks>/ingest/<of_dataset>.tsv"
    priority: 50
    group:
        ask.group("data")
    resources:
        mem_mb=ask.mb(1400, per_million_ratings=300),
        runtime=ask.runtime(seconds=10, per_million_ratings=20),
    params:
        **ask.code("ingest"),
        spec=ask.ingest.spec,
        address=ask.ingest.address,
        origin=ask.ingest.origin,
        digests=ask.ingest.digests,
    message:
        "Reading {wildcards.dataset}"


use rule step as complete_relevance with:
    """Save the true relevance of every user-item pair in a simulated data set."""
    output:
        arrays="<dataset>/truth.npz",
    log:
        "<logs>/complete_relevance/<of_dataset>.log",
    benchmark:
        "<benchmarks>/complete_relevance/<of_dataset>.tsv"
    priority: 50
    group:
        ask.group("data")
    # The relevance of all pairs takes up to 0.5 GB, and is in memory twice.
    resources:
        mem_mb=ask.mb(2400),
        runtime=ask.runtime(seconds=60),
    params:
        **ask.code("complete_relevance"),
        spec=ask.complete_relevance.spec,
        origin=ask.complete_relevance.origin,
    message:
        "Saving the complete relevance of {wildcards.dataset}"


use rule step as filter with:
    """Keep the interactions that pass a chain of filters."""
    input:
        data=multiext("<dataset>/", *INTERACTIONS),
        own_files=ask.filter.own_files,
    output:
        kept=multiext("<filtered>/", *INTERACTIONS),
    log:
        "<logs>/filter/<of_filtered>.log",
    benchmark:
        "<benchmarks>/filter/<of_filtered>.tsv"
    priority: 50
    group:
        ask.group("data")
    resources:
        mem_mb=ask.mb(1400, per_million_ratings=250),
        runtime=ask.runtime(seconds=10, per_million_ratings=5),
    params:
        **ask.code("filter"),
        chain=ask.filter.chain,
        origin=ask.filter.origin,
        own_digests=ask.own_digests,
    message:
        "Filtering {wildcards.dataset} by {wildcards.filter}"


use rule step as side_tables with:
    """Read side information on users and items, for the rules that need it."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        files=ask.side_tables.files,
    output:
        side=multiext("<filtered>/", *SIDE_TABLES),
    log:
        "<logs>/side_tables/<of_filtered>.log",
    benchmark:
        "<benchmarks>/side_tables/<of_filtered>.tsv"
    priority: 50
    group:
        ask.group("data")
    resources:
        mem_mb=ask.mb(1400, per_million_ratings=20),
        runtime=ask.runtime(seconds=10, per_million_ratings=1),
    params:
        **ask.code("side_tables"),
        spec=ask.side_tables.spec,
        digests=ask.side_tables.digests,
    message:
        "Reading side information of {wildcards.dataset}"


use rule step as split with:
    """Give every interaction its role in a fold: train, validation or test."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        own_files=ask.split.own_files,
    output:
        roles="<fold>/roles.parquet",
        record="<fold>/split.json",
    log:
        "<logs>/split/<of_fold>.log",
    benchmark:
        "<benchmarks>/split/<of_fold>.tsv"
    priority: 50
    group:
        ask.group("data")
    resources:
        mem_mb=ask.mb(1400, per_million_ratings=250),
        runtime=ask.runtime(seconds=10, per_million_ratings=5),
    params:
        **ask.code("split"),
        spec=ask.split.spec,
        origin=ask.split.origin,
        own_digests=ask.own_digests,
    message:
        "Splitting {wildcards.dataset} by {wildcards.split}, {wildcards.fold}"


use rule step as check_targets with:
    """Check that the data support the target items of a design."""
    input:
        data=multiext("<filtered>/", *INTERACTIONS),
        roles="<fold>/roles.parquet",
        truth=branch(ask.check_targets.is_tested_on_truth, then="<dataset>/truth.npz", otherwise=[]),
        side=branch(ask.check_targets.reads_side_tables, then=multiext("<filtered>/", *SIDE_TABLES), otherwise=[]),
        own_files=ask.check_targets.own_files,
    output:
        record="<fold>/checks/{targets}.{check}.json",
    log:
        "<logs>/check_targets/<of_fold>/{targets}.{check}.log",
    benchmark:
        "<benchmarks>/check_targets/<of_fold>/{targets}.{check}.tsv"
    priority: 50
    group:
        ask.group("data")
    resources:
        mem_mb=ask.mb(1400, per_million_ratings=300),
        runtime=ask.runtime(seconds=10, per_million_ratings=10),
    params:
        **ask.code("check_targets"),
        targets=ask.check_targets.targets,
        audiences=ask.check_targets.audiences,
        user_columns=ask.check_targets.user_columns,
        metrics=ask.check_targets.metrics,
        own_digests=ask.own_digests,
        origin=ask.check_targets.origin,
    message:
        "Checking the target items {wildcards.targets} of {wildcards.split}, {wildcards.fold}"
