# Values of systems, comparisons and verdicts, and the tables, figures and pages that present them.


use rule step as summarise with:
    """Average over users to get the value of every system under every design."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.study.metrics),
        population="<study>/measures/population.parquet",
        user_tables=ask.summarise.user_tables,
        own_files=ask.summarise.own_files,
    output:
        summary=table_in_report("<study>/summary.csv", "Values"),
    log:
        "<study>/logs/summarise.log",
    benchmark:
        "<study>/benchmarks/summarise.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("summarise"),
        decisions=ask.study_digest("summarise"),
        order=ask.order,
        addresses=ask.summarise.addresses,
        own_digests=ask.own_digests,
    message:
        "Averaging over users"


use rule step as count_users with:
    """Count the users who are averaged, and the ratings lost because other users are left out."""
    input:
        study=ask.study_file,
        population="<study>/measures/population.parquet",
        user_tables=ask.count_users.user_tables,
        own_files=ask.count_users.own_files,
    output:
        counted=table_in_report("<study>/counted.csv", "Users averaged"),
    log:
        "<study>/logs/count_users.log",
    benchmark:
        "<study>/benchmarks/count_users.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("count_users"),
        decisions=ask.study_digest("count_users"),
        order=ask.order,
        addresses=ask.count_users.addresses,
        own_digests=ask.own_digests,
    message:
        "Counting the users who are averaged"


use rule step as compare with:
    """Compare every pair of systems under every design."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.study.metrics),
        population="<study>/measures/population.parquet",
        user_tables=ask.compare.user_tables,
        user_ids=ask.compare.user_ids,
        own_files=ask.compare.own_files,
    output:
        comparisons=table_in_report("<study>/comparisons.csv", "Comparisons"),
    log:
        "<study>/logs/compare.log",
    benchmark:
        "<study>/benchmarks/compare.tsv"
    group:
        ask.group("results")
    # Two threads, because the randomisation test uses both.
    threads: 2
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("compare"),
        decisions=ask.study_digest("compare"),
        order=ask.order,
        addresses=ask.compare.addresses,
        own_digests=ask.own_digests,
    message:
        "Comparing every pair of systems"


use rule compare as components with:
    """Divide the uncertainty of differences among users, splits and fits."""
    output:
        components=table_in_report("<study>/components.csv", "Sources of uncertainty"),
    log:
        "<study>/logs/components.log",
    benchmark:
        "<study>/benchmarks/components.tsv"
    threads: 1
    params:
        **ask.code("components"),
        decisions=ask.study_digest("components"),
        order=ask.order,
        addresses=ask.compare.addresses,
        own_digests=ask.own_digests,
    message:
        "Dividing the uncertainty of differences"


use rule step as multiverse with:
    """Test all analyses of every pair of systems together."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.study.metrics),
        population="<study>/measures/population.parquet",
        user_tables=ask.multiverse.user_tables,
        user_ids=ask.multiverse.user_ids,
        own_files=ask.multiverse.own_files,
    output:
        multiverse=table_in_report("<study>/multiverse.csv", "All analyses, adjusted"),
        joint=table_in_report("<study>/joint.csv", "All analyses together"),
    log:
        "<study>/logs/multiverse.log",
    benchmark:
        "<study>/benchmarks/multiverse.tsv"
    group:
        ask.group("results")
    # Two threads, because the test sums the users' differences under thousands of random patterns of signs.
    threads: 2
    resources:
        mem_mb=ask.mb(2400, per_million_ratings=15),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("multiverse"),
        decisions=ask.study_digest("multiverse"),
        order=ask.order,
        addresses=ask.multiverse.addresses,
        own_digests=ask.own_digests,
    message:
        "Testing all analyses together"


use rule step as decide_winners with:
    """Decide who wins each comparison, and find the single decisions that change a verdict."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        multiverse="<study>/multiverse.csv",
    output:
        verdicts=table_in_report("<study>/verdicts.csv", "Verdicts"),
        flips=table_in_report("<study>/flips.csv", "Changes that reverse a verdict"),
        influence=table_in_report("<study>/influence.csv", "Which decision matters"),
        shortest=table_in_report("<study>/shortest.csv", "Shortest ways to another verdict"),
    log:
        "<study>/logs/decide_winners.log",
    benchmark:
        "<study>/benchmarks/decide_winners.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=2),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("decide_winners"),
        decisions=ask.study_digest("decide_winners"),
        order=ask.order,
    message:
        "Deciding who wins every comparison"


use rule step as effort with:
    """Compute the verdicts of every effort of tuning from one search for each system."""
    input:
        study=ask.study_file,
        rankings=ask.effort.rankings,
        tunings=ask.effort.tunings,
        user_tables=ask.effort.user_tables,
        own_files=ask.effort.own_files,
    output:
        effort=table_in_report("<study>/effort.csv", "Verdicts by effort of tuning"),
        searches=table_in_report("<study>/searches.csv", "Expected values by effort of tuning"),
    log:
        "<study>/logs/effort.log",
    benchmark:
        "<study>/benchmarks/effort.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=60),
        runtime=ask.runtime(seconds=60, per_million_ratings=60),
    params:
        **ask.code("effort"),
        decisions=ask.study_digest("effort"),
        order=ask.order,
        addresses=ask.effort.addresses,
        ranked=ask.effort.ranked,
        own_digests=ask.own_digests,
    message:
        "Comparing the choices of every effort of tuning"


use rule compare as over_datasets with:
    """Combine the comparisons of every pair of systems over data sets."""
    output:
        over_datasets=table_in_report("<study>/over_datasets.csv", "Combined over data sets"),
        effects=table_in_report("<study>/effects.csv", "Effects on each data set"),
    log:
        "<study>/logs/over_datasets.log",
    benchmark:
        "<study>/benchmarks/over_datasets.tsv"
    threads: 1
    params:
        **ask.code("over_datasets"),
        decisions=ask.study_digest("over_datasets"),
        order=ask.order,
        addresses=ask.compare.addresses,
        own_digests=ask.own_digests,
    message:
        "Combining comparisons over data sets"


use rule step as unrated with:
    """Compute how far each comparison could be pushed by the items that nobody rated."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.study.metrics),
        population="<study>/measures/population.parquet",
        rankings=ask.unrated.rankings,
        lists=ask.unrated.lists,
        user_tables=ask.unrated.user_tables,
        user_ids=ask.unrated.user_ids,
        own_files=ask.unrated.own_files,
    output:
        unrated=table_in_report("<study>/unrated.csv", "Unrated items"),
        rates=table_in_report("<study>/unrated_rates.csv", "Unrated items by rate of relevance"),
    log:
        "<study>/logs/unrated.log",
    benchmark:
        "<study>/benchmarks/unrated.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=60),
        runtime=ask.runtime(seconds=60, per_million_ratings=60),
    params:
        **ask.code("unrated"),
        decisions=ask.study_digest("unrated"),
        order=ask.order,
        addresses=ask.unrated.addresses,
        own_digests=ask.own_digests,
    message:
        "Pushing every verdict by unrated items"


use rule step as compare_groups with:
    """Compare every pair of systems within groups of users or items."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.study.metrics),
        population="<study>/measures/population.parquet",
        data=ask.compare_groups.data,
        side=ask.compare_groups.side,
        roles=ask.compare_groups.roles,
        rankings=ask.compare_groups.rankings,
        user_tables=ask.compare_groups.user_tables,
        user_ids=ask.compare_groups.user_ids,
        own_files=ask.compare_groups.own_files,
    output:
        groups=table_in_report("<study>/groups.csv", "Comparisons by group"),
        values=table_in_report("<study>/group_values.csv", "Values by group"),
    log:
        "<study>/logs/compare_groups.log",
    benchmark:
        "<study>/benchmarks/compare_groups.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=60),
        runtime=ask.runtime(seconds=60, per_million_ratings=60),
    params:
        **ask.code("compare_groups"),
        decisions=ask.study_digest("compare_groups"),
        order=ask.order,
        labels=ask.compare_groups.labels,
        addresses=ask.compare_groups.addresses,
        own_digests=ask.own_digests,
    message:
        "Comparing systems within groups"


use rule step as claims with:
    """Judge each claim of a paper by the results."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        verdicts="<study>/verdicts.csv",
        further=ask.claims.further,
    output:
        claims=table_in_report("<study>/claims.csv", "Claims"),
    log:
        "<study>/logs/claims.log",
    benchmark:
        "<study>/benchmarks/claims.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=2),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("claims"),
        decisions=ask.study_digest("claims"),
        order=ask.order,
    message:
        "Judging every claim"


use rule step as costs with:
    """Collect the times and memory of the systems."""

    # This rule is not timed itself. Costs differ from run to run, so the report links to them instead of quoting them.
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        records=ask.costs.records,
    output:
        table="<study>/benchmarks/costs.csv",
        page="<study>/benchmarks/costs.html",
    log:
        "<study>/logs/costs.log",
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("costs"),
        decisions=ask.study_digest("costs"),
        order=ask.order,
        systems=ask.costs.systems,
    message:
        "Collecting times and memory"


use rule step as overlap with:
    """Compare the lists of every pair of systems."""

    # Designs that rank one relevant item at a time (1R) give users no lists, so there may be nothing to compare.
    input:
        lists=ask.overlap.lists,
    output:
        table=table_in_report("<study>/overlap.csv", "Overlap of lists"),
    log:
        "<study>/logs/overlap.log",
    benchmark:
        "<study>/benchmarks/overlap.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("overlap"),
        order=ask.order,
        groups=ask.overlap.groups,
    message:
        "Comparing the lists of every pair of systems"


use rule step as describe_datasets with:
    """Describe the data sets."""
    input:
        data=ask.describe_datasets.data,
        filtered=ask.describe_datasets.filtered,
    output:
        datasets=table_in_report("<study>/datasets.csv", "Data sets"),
    log:
        "<study>/logs/describe_datasets.log",
    benchmark:
        "<study>/benchmarks/describe_datasets.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=20),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_datasets"),
        order=ask.order,
        labels=ask.describe_datasets.labels,
        relevances=ask.describe_datasets.relevances,
        chains=ask.describe_datasets.chains,
    message:
        "Describing the data sets"


use rule step as describe_splits with:
    """Describe the folds of the splits, and their target items."""
    input:
        records=ask.describe_splits.records,
        checks=ask.describe_splits.checks,
    output:
        splits=table_in_report("<study>/splits.csv", "Splits"),
    log:
        "<study>/logs/describe_splits.log",
    benchmark:
        "<study>/benchmarks/describe_splits.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_splits"),
        order=ask.order,
        labels=ask.describe_splits.labels,
        check_labels=ask.describe_splits.check_labels,
        options=ask.describe_splits.options,
    message:
        "Describing the splits"


use rule step as describe_tuning with:
    """List the candidates of tuned systems, and their values."""
    input:
        records=ask.describe_tuning.records,
    output:
        tuning=table_in_report("<study>/tuning.csv", "Tuning"),
    log:
        "<study>/logs/describe_tuning.log",
    benchmark:
        "<study>/benchmarks/describe_tuning.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_tuning"),
        order=ask.order,
        labels=ask.describe_tuning.labels,
        options=ask.describe_tuning.options,
        metrics=ask.describe_tuning.metrics,
    message:
        "Describing the tuning of systems"


use rule step as describe_predictions with:
    """Count predicted ratings outside the scale, and find the lowest and highest."""

    # This helps to interpret errors such as RMSE, which use predictions outside the scale unchanged.
    input:
        rankings=ask.describe_predictions.rankings,
    output:
        predictions=table_in_report("<study>/predictions.csv", "Predicted ratings"),
    log:
        "<study>/logs/describe_predictions.log",
    benchmark:
        "<study>/benchmarks/describe_predictions.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_predictions"),
        order=ask.order,
        labels=ask.describe_predictions.labels,
    message:
        "Describing predicted ratings"


use rule step as describe_matches with:
    """Count users and items that are only in the data or only in a score file."""
    input:
        models=ask.describe_matches.models,
        users=ask.describe_matches.users,
    output:
        matched=table_in_report("<study>/matched.csv", "Score files"),
    log:
        "<study>/logs/describe_matches.log",
    benchmark:
        "<study>/benchmarks/describe_matches.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_matches"),
        order=ask.order,
        labels=ask.describe_matches.labels,
    message:
        "Matching score files with the data"


use rule step as describe_ties with:
    """Describe the range of values that each system can take, depending on the order of ties."""
    input:
        study=ask.study_file,
        rankings=ask.describe_ties.rankings,
        population="<study>/measures/population.parquet",
        user_tables=ask.describe_ties.user_tables,
        own_files=ask.describe_ties.own_files,
    output:
        ties=table_in_report("<study>/ties.csv", "Ties"),
    log:
        "<study>/logs/describe_ties.log",
    benchmark:
        "<study>/benchmarks/describe_ties.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=12),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_ties"),
        decisions=ask.study_digest("describe_ties"),
        order=ask.order,
        addresses=ask.describe_ties.addresses,
        own_digests=ask.own_digests,
    message:
        "Measuring the effect of ties"


use rule step as figure with:
    """Draw a figure."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        verdicts="<study>/verdicts.csv",
        further=ask.figure.further,
        data=ask.figure.data,
        positions=ask.figure.positions,
        roles=ask.figure.roles,
    output:
        svg=report(
            "<study>/figures/{figure}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        png="<study>/figures/{figure}.png",
        pdf="<study>/figures/{figure}.pdf",
    log:
        "<study>/logs/figure/{figure}.log",
    benchmark:
        "<study>/benchmarks/figure/{figure}.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("figure"),
        decisions=ask.study_digest("figure"),
        order=ask.order,
        name="{figure}",
        drawing=ask.figure.drawing,
        experiment=ask.figure.experiment,
        datasets=ask.figure.datasets,
        ranked=ask.figure.ranked,
        splits=ask.figure.splits,
    message:
        "Drawing {wildcards.figure}"


use rule step as report with:
    """Write the report: a page, and the tables for papers."""
    input:
        study=ask.study_file,
        results=multiext("<study>/", *TABLES),
        further=ask.study.further_tables,
        figures=collect("<study>/figures/{figure}.{form}", figure=ask.study.figures, form=FIGURE_FORMS),
        scorecard=branch(ask.study.has_reference, then="<study>/figures/truth.svg", otherwise=[]),
        own_files=ask.report.own_files,
    output:
        html=report(
            "<study>/report.html",
            caption="../report/report.rst",
            category="Report",
            labels={"page": "The study on one page"},
        ),
        tex="<study>/tables.tex",
        md="<study>/tables.md",
        tables=ask.paper_files,
        methods=multiext("<study>/tables/methods.", *METHODS_FORMS),
    log:
        "<study>/logs/report.log",
    benchmark:
        "<study>/benchmarks/report.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("report"),
        decisions=ask.study_digest("report"),
        order=ask.order,
        name=ask.name,
        addresses=ask.report.addresses,
        own_digests=ask.own_digests,
    message:
        "Writing the report"
