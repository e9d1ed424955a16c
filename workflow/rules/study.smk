# Values of systems, comparisons and verdicts, and the tables, figures and pages that present them.


rule summarise:
    """Average over users to get the value of every system under every design."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.metrics),
        population="<study>/measures/population.parquet",
        user_tables=ask.user_tables,
        own_files=ask.outcome_files("aggregate", "test"),
    output:
        summary=report("<study>/summary.csv", caption="../report/summary.rst", category="Tables", labels={"table": "Values"}),
    log:
        "<study>/logs/summarise.log",
    benchmark:
        "<study>/benchmarks/summarise.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("summarise", ask.outcome_classes("aggregate", "test")),
        decisions=ask.decisions("summarise"),
        order=ask.order,
        addresses=ask.addresses,
        own_digests=ask.own_digests,
    message:
        "Averaging over users"
    script:
        "../scripts/recsens_step.py"


rule count_users:
    """Count the users who are averaged, and the ratings lost because other users are left out."""
    input:
        study=ask.study_file,
        population="<study>/measures/population.parquet",
        user_tables=ask.user_tables,
        own_files=ask.outcome_files("aggregate"),
    output:
        counted=report(
            "<study>/counted.csv",
            caption="../report/counted.rst",
            category="Tables",
            labels={"table": "Users averaged"},
        ),
    log:
        "<study>/logs/count_users.log",
    benchmark:
        "<study>/benchmarks/count_users.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("count_users", ask.outcome_classes("aggregate")),
        decisions=ask.decisions("count_users"),
        order=ask.order,
        addresses=ask.addresses,
        own_digests=ask.own_digests,
    message:
        "Counting the users who are averaged"
    script:
        "../scripts/recsens_step.py"


rule compare:
    """Compare every pair of systems under every design."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.metrics),
        population="<study>/measures/population.parquet",
        user_tables=ask.user_tables,
        own_files=ask.outcome_files("aggregate", "test"),
    output:
        comparisons=report(
            "<study>/comparisons.csv",
            caption="../report/comparisons.rst",
            category="Tables",
            labels={"table": "Comparisons"},
        ),
    log:
        "<study>/logs/compare.log",
    benchmark:
        "<study>/benchmarks/compare.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    # Two threads, because the randomisation test uses both.
    threads: 2
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("compare", ask.outcome_classes("aggregate", "test")),
        decisions=ask.decisions("compare"),
        order=ask.order,
        addresses=ask.addresses,
        own_digests=ask.own_digests,
    message:
        "Comparing every pair of systems"
    script:
        "../scripts/recsens_step.py"


rule multiverse:
    """Test all analyses of every pair of systems together."""
    input:
        study=ask.study_file,
        measures=collect("<study>/measures/metric/{metric}.parquet", metric=ask.metrics),
        population="<study>/measures/population.parquet",
        user_tables=ask.user_tables,
        own_files=ask.outcome_files("aggregate", "test"),
    output:
        multiverse=report(
            "<study>/multiverse.csv",
            caption="../report/multiverse.rst",
            category="Tables",
            labels={"table": "All analyses, adjusted"},
        ),
        joint=report(
            "<study>/joint.csv",
            caption="../report/joint.rst",
            category="Tables",
            labels={"table": "All analyses together"},
        ),
    log:
        "<study>/logs/multiverse.log",
    benchmark:
        "<study>/benchmarks/multiverse.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    # Two threads, because the test sums the users' differences under thousands of random patterns of signs.
    threads: 2
    resources:
        mem_mb=ask.mb(2400, per_million_ratings=15),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("multiverse", ask.outcome_classes("aggregate", "test")),
        decisions=ask.decisions("multiverse"),
        order=ask.order,
        addresses=ask.addresses,
        own_digests=ask.own_digests,
    message:
        "Testing all analyses together"
    script:
        "../scripts/recsens_step.py"


rule decide_winners:
    """Decide who wins each comparison, and which single change of a decision reverses it."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        multiverse="<study>/multiverse.csv",
    output:
        verdicts=report("<study>/verdicts.csv", caption="../report/verdicts.rst", category="Tables", labels={"table": "Verdicts"}),
        flips=report(
            "<study>/flips.csv",
            caption="../report/flips.rst",
            category="Tables",
            labels={"table": "Changes that reverse a verdict"},
        ),
        influence=report(
            "<study>/influence.csv",
            caption="../report/influence.rst",
            category="Tables",
            labels={"table": "Which decision matters"},
        ),
        shortest=report(
            "<study>/shortest.csv",
            caption="../report/shortest.rst",
            category="Tables",
            labels={"table": "Shortest ways to another verdict"},
        ),
    log:
        "<study>/logs/decide_winners.log",
    benchmark:
        "<study>/benchmarks/decide_winners.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=2),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("decide_winners", ask.outcome_classes()),
        decisions=ask.decisions("decide_winners"),
        order=ask.order,
    message:
        "Deciding who wins every comparison"
    script:
        "../scripts/recsens_step.py"


rule claims:
    """Judge each claim of a paper by the results."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        verdicts="<study>/verdicts.csv",
        findings=branch(ask.has_findings, then="<study>/findings.csv", otherwise=[]),
    output:
        claims=report("<study>/claims.csv", caption="../report/claims.rst", category="Tables", labels={"table": "Claims"}),
    log:
        "<study>/logs/claims.log",
    benchmark:
        "<study>/benchmarks/claims.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=2),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("claims", ask.claim_classes),
        decisions=ask.decisions("claims"),
        order=ask.order,
    message:
        "Judging every claim"
    script:
        "../scripts/recsens_step.py"


rule costs:
    """Collect the times and memory of the systems."""

    # This rule is not timed itself. Costs differ from run to run, so the report links to them instead of quoting them.
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        records=ask.cost_records,
    output:
        table="<study>/benchmarks/costs.csv",
        page="<study>/benchmarks/costs.html",
    log:
        "<study>/logs/costs.log",
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("costs", quoted=ask.quoted_by_costs),
        decisions=ask.decisions("costs"),
        order=ask.order,
        systems=ask.costed_systems,
    message:
        "Collecting times and memory"
    script:
        "../scripts/recsens_step.py"


rule overlap:
    """Compare the lists of every pair of systems."""

    # Designs that rank one relevant item at a time (1R) give users no lists, so there may be nothing to compare.
    input:
        lists=ask.overlapping_lists,
    output:
        table=report(
            "<study>/overlap.csv",
            caption="../report/overlap.rst",
            category="Tables",
            labels={"table": "Overlap of lists"},
        ),
    log:
        "<study>/logs/overlap.log",
    benchmark:
        "<study>/benchmarks/overlap.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("overlap"),
        order=ask.order,
        groups=ask.overlapping,
    message:
        "Comparing the lists of every pair of systems"
    script:
        "../scripts/recsens_step.py"


rule describe_datasets:
    """Describe the data sets."""
    input:
        data=ask.described_data,
        filtered=ask.filtered_records,
    output:
        datasets=report("<study>/datasets.csv", caption="../report/datasets.rst", category="Tables", labels={"table": "Data sets"}),
    log:
        "<study>/logs/describe_datasets.log",
    benchmark:
        "<study>/benchmarks/describe_datasets.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=20),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_datasets"),
        order=ask.order,
        labels=ask.labels,
        relevances=ask.base_thresholds,
        chains=ask.filter_chains,
    message:
        "Describing the data sets"
    script:
        "../scripts/recsens_step.py"


rule describe_splits:
    """Describe the folds of the splits, and their target items."""
    input:
        records=ask.split_records,
        checks=ask.all_checks,
    output:
        splits=report("<study>/splits.csv", caption="../report/splits.rst", category="Tables", labels={"table": "Splits"}),
    log:
        "<study>/logs/describe_splits.log",
    benchmark:
        "<study>/benchmarks/describe_splits.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_splits"),
        order=ask.order,
        labels=ask.split_labels,
        check_labels=ask.check_labels,
        options=ask.options,
    message:
        "Describing the splits"
    script:
        "../scripts/recsens_step.py"


rule describe_tuning:
    """Describe the tuning of systems: candidates and their values."""
    input:
        records=ask.tuning_records,
    output:
        tuning=report("<study>/tuning.csv", caption="../report/tuning.rst", category="Tables", labels={"table": "Tuning"}),
    log:
        "<study>/logs/describe_tuning.log",
    benchmark:
        "<study>/benchmarks/describe_tuning.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_tuning"),
        order=ask.order,
        labels=ask.tuning_labels,
        options=ask.options,
        metrics=ask.metrics_as_written,
    message:
        "Describing the tuning of systems"
    script:
        "../scripts/recsens_step.py"


rule describe_predictions:
    """Count predicted ratings outside the scale, and find the lowest and highest."""

    # This helps to interpret errors such as RMSE, which use predictions outside the scale unchanged.
    input:
        rankings=ask.predicted_rankings,
    output:
        predictions=report(
            "<study>/predictions.csv",
            caption="../report/predictions.rst",
            category="Tables",
            labels={"table": "Predicted ratings"},
        ),
    log:
        "<study>/logs/describe_predictions.log",
    benchmark:
        "<study>/benchmarks/describe_predictions.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_predictions"),
        order=ask.order,
        labels=ask.predicted_labels,
    message:
        "Describing predicted ratings"
    script:
        "../scripts/recsens_step.py"


rule describe_matches:
    """Count users and items that are only in the data or only in a score file."""
    input:
        models=ask.matched_models,
        users=ask.matched_users,
    output:
        matched=report("<study>/matched.csv", caption="../report/matched.rst", category="Tables", labels={"table": "Score files"}),
    log:
        "<study>/logs/describe_matches.log",
    benchmark:
        "<study>/benchmarks/describe_matches.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=6),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_matches"),
        order=ask.order,
        labels=ask.matched_labels,
    message:
        "Matching score files with the data"
    script:
        "../scripts/recsens_step.py"


rule describe_ties:
    """Describe the range of values that each system can take, depending on the order of ties."""
    input:
        study=ask.study_file,
        rankings=ask.base_rankings,
        population="<study>/measures/population.parquet",
        user_tables=ask.user_tables,
        own_files=ask.tied_files,
    output:
        ties=report("<study>/ties.csv", caption="../report/ties.rst", category="Tables", labels={"table": "Ties"}),
    log:
        "<study>/logs/describe_ties.log",
    benchmark:
        "<study>/benchmarks/describe_ties.tsv"
    group:
        ask.group("results")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=12),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("describe_ties", ask.outcome_classes("aggregate")),
        decisions=ask.decisions("describe_ties"),
        order=ask.order,
        addresses=ask.addresses,
        own_digests=ask.own_digests,
    message:
        "Measuring the effect of ties"
    script:
        "../scripts/recsens_step.py"


rule figure:
    """Draw a figure."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        verdicts="<study>/verdicts.csv",
        findings=branch(ask.has_findings, then="<study>/findings.csv", otherwise=[]),
        data=ask.drawn_data,
        positions=ask.drawn_positions,
        roles=ask.drawn_roles,
        multiverse=branch(ask.draws_multiverse, then="<study>/multiverse.csv", otherwise=[]),
        joint=branch(ask.draws_multiverse, then="<study>/joint.csv", otherwise=[]),
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
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("figure", ask.figure_classes),
        decisions=ask.decisions("figure"),
        order=ask.order,
        name="{figure}",
        drawing=ask.drawing,
        experiment=ask.drawn_experiment,
        datasets=ask.drawn_datasets,
        ranked=ask.drawn_rankings,
        splits=ask.drawn_splits,
    message:
        "Drawing {wildcards.figure}"
    script:
        "../scripts/recsens_step.py"


rule report:
    """Write the report: a page, and the tables for papers."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        counted="<study>/counted.csv",
        comparisons="<study>/comparisons.csv",
        multiverse="<study>/multiverse.csv",
        joint="<study>/joint.csv",
        verdicts="<study>/verdicts.csv",
        flips="<study>/flips.csv",
        influence="<study>/influence.csv",
        shortest="<study>/shortest.csv",
        datasets="<study>/datasets.csv",
        splits="<study>/splits.csv",
        overlap="<study>/overlap.csv",
        claims=branch(ask.has_claims, then="<study>/claims.csv", otherwise=[]),
        findings=branch(ask.has_findings, then="<study>/findings.csv", otherwise=[]),
        tuning=branch(ask.has_tuning, then="<study>/tuning.csv", otherwise=[]),
        predictions=branch(ask.has_predictions, then="<study>/predictions.csv", otherwise=[]),
        matched=branch(ask.has_score_files, then="<study>/matched.csv", otherwise=[]),
        ties="<study>/ties.csv",
        figures=collect("<study>/figures/{figure}.svg", figure=ask.figures),
        pictures=collect("<study>/figures/{figure}.png", figure=ask.figures),
        prints=collect("<study>/figures/{figure}.pdf", figure=ask.figures),
        truth=branch(ask.has_reference, then="<study>/truth.csv", otherwise=[]),
        scorecard=branch(ask.has_reference, then="<study>/figures/truth.svg", otherwise=[]),
        own_files=ask.outcome_files("aggregate", "test"),
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
    conda:
        ENVIRONMENT
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("report", ask.reported_classes, quoted=ask.quoted_by_report),
        decisions=ask.decisions("report"),
        order=ask.order,
        name=ask.name,
        addresses=ask.addresses,
        own_digests=ask.own_digests,
    message:
        "Writing the report"
    script:
        "../scripts/recsens_step.py"
