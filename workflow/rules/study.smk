# C3, C4 and D, and what a reader sees of them.


rule summarise:
    input:
        study=str(PLAN.path),
        measures=[f"{STUDY}/measures/metric/{metric}.parquet" for metric in PLAN.cutoffs],
        population=f"{STUDY}/measures/population.parquet",
        user_tables=WIRING.user_tables(),
    output:
        summary=report(f"{STUDY}/summary.csv", caption="../report/summary.rst", category="Tables"),
    log:
        f"{STUDY}/logs/summarise.log",
    benchmark:
        f"{STUDY}/benchmarks/summarise.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    params:
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.outcome_code("summarise"),
    message:
        "Averaging over users"
    script:
        "../scripts/step.py"


rule count:
    input:
        study=str(PLAN.path),
        population=f"{STUDY}/measures/population.parquet",
        user_tables=WIRING.user_tables(),
    output:
        counted=report(f"{STUDY}/counted.csv", caption="../report/counted.rst", category="Tables"),
    log:
        f"{STUDY}/logs/count.log",
    benchmark:
        f"{STUDY}/benchmarks/count.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    params:
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.count_code(),
    message:
        "Counting who is averaged"
    script:
        "../scripts/step.py"


rule compare:
    input:
        study=str(PLAN.path),
        measures=[f"{STUDY}/measures/metric/{metric}.parquet" for metric in PLAN.cutoffs],
        population=f"{STUDY}/measures/population.parquet",
        user_tables=WIRING.user_tables(),
    output:
        comparisons=report(f"{STUDY}/comparisons.csv", caption="../report/comparisons.rst", category="Tables"),
    log:
        f"{STUDY}/logs/compare.log",
    benchmark:
        f"{STUDY}/benchmarks/compare.tsv"
    conda:
        ENVIRONMENT
    # Only the randomisation test uses the second.
    threads: 2
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    params:
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.outcome_code("compare"),
    message:
        "Comparing every pair of systems"
    script:
        "../scripts/step.py"


rule judge:
    input:
        study=str(PLAN.path),
        summary=f"{STUDY}/summary.csv",
        comparisons=f"{STUDY}/comparisons.csv",
    output:
        verdicts=report(f"{STUDY}/verdicts.csv", caption="../report/verdicts.rst", category="Tables"),
        flips=report(f"{STUDY}/flips.csv", caption="../report/flips.rst", category="Tables"),
    log:
        f"{STUDY}/logs/judge.log",
    benchmark:
        f"{STUDY}/benchmarks/judge.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    params:
        plugins=PLUGINS,
        code=step_code("judge"),
    message:
        "Judging every comparison"
    script:
        "../scripts/step.py"


# What the systems took. Times differ from run to run, so the report only leads there.
rule costs:
    input:
        study=str(PLAN.path),
        summary=f"{STUDY}/summary.csv",
        records=WIRING.costs(),
    output:
        table=f"{STUDY}/benchmarks/costs.csv",
        page=f"{STUDY}/benchmarks/costs.html",
    log:
        f"{STUDY}/logs/costs.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 0),
        runtime=minutes(5, 0),
    params:
        systems=WIRING.costed(),
        plugins=PLUGINS,
        code=cost_code(),
    message:
        "Gathering times and memory"
    script:
        "../scripts/step.py"


# Under 1R users have no lists, so that there may be nothing to compare.
rule overlap:
    input:
        lists=WIRING.overlapping_lists(),
    output:
        table=report(f"{STUDY}/overlap.csv", caption="../report/overlap.rst", category="Tables"),
    log:
        f"{STUDY}/logs/overlap.log",
    benchmark:
        f"{STUDY}/benchmarks/overlap.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 6),
        runtime=minutes(5, 0.1),
    params:
        groups=WIRING.overlapping(),
        code=step_code("overlap"),
    message:
        "Comparing the lists of every pair of systems"
    script:
        "../scripts/step.py"


rule describe:
    input:
        interactions=WIRING.data("interactions.parquet"),
        user_ids=WIRING.data("user_ids.parquet"),
        item_ids=WIRING.data("item_ids.parquet"),
        records=WIRING.data("dataset.json"),
        filtered=list(dict.fromkeys(WIRING.dataset_records())),
    output:
        datasets=f"{STUDY}/datasets.csv",
    log:
        f"{STUDY}/logs/describe.log",
    benchmark:
        f"{STUDY}/benchmarks/describe.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 40),
        runtime=minutes(5, 0.1),
    params:
        labels=list(PLAN.dataset_folders),
        relevances=WIRING.base_thresholds(),
        code=step_code("describe"),
    message:
        "Describing the data sets"
    script:
        "../scripts/step.py"


rule describe_splits:
    input:
        records=[f"{folder}/split.json" for folder in PLAN.splits],
        checks=list(PLAN.checks),
    output:
        splits=f"{STUDY}/splits.csv",
    log:
        f"{STUDY}/logs/describe_splits.log",
    benchmark:
        f"{STUDY}/benchmarks/describe_splits.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 0),
        runtime=minutes(5, 0),
    params:
        labels=list(PLAN.splits.values()),
        check_labels=list(PLAN.checks.values()),
        code=step_code("describe_splits"),
    message:
        "Describing the splits"
    script:
        "../scripts/step.py"


rule describe_tuning:
    input:
        records=list(PLAN.tunings),
    output:
        tuning=f"{STUDY}/tuning.csv",
    log:
        f"{STUDY}/logs/describe_tuning.log",
    benchmark:
        f"{STUDY}/benchmarks/describe_tuning.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 0),
        runtime=minutes(5, 0),
    params:
        labels=list(PLAN.tunings.values()),
        code=step_code("describe_tuning"),
    message:
        "Describing what tuning found"
    script:
        "../scripts/step.py"


# How far predicted ratings lie from the scale: beside errors such as RMSE, which take every score as it is.
rule describe_predictions:
    input:
        positions=WIRING.predicted("positions.parquet"),
        datasets=WIRING.predicted_records(),
    output:
        predictions=report(f"{STUDY}/predictions.csv", caption="../report/predictions.rst", category="Tables"),
    log:
        f"{STUDY}/logs/describe_predictions.log",
    benchmark:
        f"{STUDY}/benchmarks/describe_predictions.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 6),
        runtime=minutes(5, 0.02),
    params:
        labels=WIRING.predicted_labels(),
        code=step_code("describe_predictions"),
    message:
        "Describing predicted ratings"
    script:
        "../scripts/step.py"


rule figure:
    input:
        study=str(PLAN.path),
        summary=f"{STUDY}/summary.csv",
        comparisons=f"{STUDY}/comparisons.csv",
    output:
        svg=f"{STUDY}/figures/{{figure}}.svg",
        png=f"{STUDY}/figures/{{figure}}.png",
    log:
        f"{STUDY}/logs/figure/{{figure}}.log",
    benchmark:
        f"{STUDY}/benchmarks/figure/{{figure}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    params:
        name="{figure}",
        plugins=PLUGINS,
        code=step_code("figure"),
    message:
        "Drawing {wildcards.figure}"
    script:
        "../scripts/step.py"


rule report:
    input:
        study=str(PLAN.path),
        summary=f"{STUDY}/summary.csv",
        comparisons=f"{STUDY}/comparisons.csv",
        counted=f"{STUDY}/counted.csv",
        datasets=f"{STUDY}/datasets.csv",
        splits=f"{STUDY}/splits.csv",
        tuning=WIRING.tuning_table(),
        predictions=WIRING.predictions_table(),
        verdicts=f"{STUDY}/verdicts.csv",
        flips=f"{STUDY}/flips.csv",
        overlap=f"{STUDY}/overlap.csv",
        figures=[f"{STUDY}/figures/{figure}.svg" for figure in PLAN.study.all_figures()],
    output:
        html=report(f"{STUDY}/report.html", caption="../report/report.rst", category="Report"),
        tex=f"{STUDY}/tables.tex",
        md=f"{STUDY}/tables.md",
    log:
        f"{STUDY}/logs/report.log",
    benchmark:
        f"{STUDY}/benchmarks/report.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 40),
        runtime=minutes(5, 0.1),
    params:
        name=PLAN.name,
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.report_code(),
    message:
        "Writing the report"
    script:
        "../scripts/step.py"
