# C3, C4 and D, and what a reader sees of them.


rule summarise:
    input:
        study=str(PLAN.path),
        measures=[f"{STUDY}/measures/metric/{metric}.parquet" for metric in PLAN.cutoffs],
        population=STUDY + "/measures/population.parquet",
    output:
        summary=STUDY + "/summary.csv",
    log:
        STUDY + "/logs/summarise.log",
    benchmark:
        STUDY + "/benchmarks/summarise.tsv"
    params:
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.outcome_code("summarise"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    message:
        "Averaging over users"
    script:
        "../scripts/step.py"


rule compare:
    input:
        study=str(PLAN.path),
        measures=[f"{STUDY}/measures/metric/{metric}.parquet" for metric in PLAN.cutoffs],
        population=STUDY + "/measures/population.parquet",
    output:
        comparisons=STUDY + "/comparisons.csv",
    log:
        STUDY + "/logs/compare.log",
    benchmark:
        STUDY + "/benchmarks/compare.tsv"
    params:
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.outcome_code("compare"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    message:
        "Comparing every pair of systems"
    script:
        "../scripts/step.py"


rule describe:
    input:
        interactions=WIRING.data("interactions.parquet"),
        user_ids=WIRING.data("user_ids.parquet"),
        item_ids=WIRING.data("item_ids.parquet"),
        records=WIRING.data("dataset.json"),
    output:
        datasets=STUDY + "/datasets.csv",
    log:
        STUDY + "/logs/describe.log",
    benchmark:
        STUDY + "/benchmarks/describe.tsv"
    params:
        labels=list(PLAN.dataset_folders),
        code=step_code("describe"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 40),
        runtime=minutes(5, 0.1),
    message:
        "Describing the data sets"
    script:
        "../scripts/step.py"


rule describe_splits:
    input:
        records=[f"{folder}/split.json" for folder in PLAN.splits],
    output:
        splits=STUDY + "/splits.csv",
    log:
        STUDY + "/logs/describe_splits.log",
    benchmark:
        STUDY + "/benchmarks/describe_splits.tsv"
    params:
        labels=list(PLAN.splits.values()),
        code=step_code("describe_splits"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(500, 0),
        runtime=minutes(5, 0),
    message:
        "Describing the splits"
    script:
        "../scripts/step.py"


rule figure:
    input:
        study=str(PLAN.path),
        summary=STUDY + "/summary.csv",
        comparisons=STUDY + "/comparisons.csv",
    output:
        svg=STUDY + "/figures/{figure}.svg",
        png=STUDY + "/figures/{figure}.png",
    log:
        STUDY + "/logs/figure/{figure}.log",
    benchmark:
        STUDY + "/benchmarks/figure/{figure}.tsv"
    params:
        name="{figure}",
        plugins=PLUGINS,
        code=step_code("figure"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 20),
        runtime=minutes(5, 0.1),
    message:
        "Drawing {wildcards.figure}"
    script:
        "../scripts/step.py"


rule report:
    input:
        study=str(PLAN.path),
        summary=STUDY + "/summary.csv",
        comparisons=STUDY + "/comparisons.csv",
        datasets=STUDY + "/datasets.csv",
        splits=STUDY + "/splits.csv",
        figures=[f"{STUDY}/figures/{figure}.svg" for figure in PLAN.study.figures()],
    output:
        html=STUDY + "/report.html",
        tex=STUDY + "/tables.tex",
        md=STUDY + "/tables.md",
    log:
        STUDY + "/logs/report.log",
    benchmark:
        STUDY + "/benchmarks/report.tsv"
    params:
        name=PLAN.name,
        addresses=WIRING.addresses(),
        plugins=PLUGINS,
        code=WIRING.report_code(),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb(700, 40),
        runtime=minutes(5, 0.1),
    message:
        "Writing the report"
    script:
        "../scripts/step.py"
