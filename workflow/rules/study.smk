# C3, C4 and D, and the tables, figures and pages that show them.


rule summarise:
    input:
        **judged(STUDIES.summarise.inputs),
    output:
        summary=report(
            STUDIES.summarise.outputs["summary"],
            caption="../report/summary.rst",
            category="Tables",
            labels={"table": "Values"},
        ),
    log:
        STUDIES.summarise.log,
    benchmark:
        STUDIES.summarise.benchmark
    group:
        group("summarise")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("summarise"),
        runtime=minutes("summarise"),
    params:
        **STUDIES.summarise.params,
    message:
        "Averaging over users"
    script:
        "../scripts/step.py"


rule count:
    input:
        **judged(STUDIES.count.inputs),
    output:
        counted=report(
            STUDIES.count.outputs["counted"],
            caption="../report/counted.rst",
            category="Tables",
            labels={"table": "Users averaged"},
        ),
    log:
        STUDIES.count.log,
    benchmark:
        STUDIES.count.benchmark
    group:
        group("count")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("count"),
        runtime=minutes("count"),
    params:
        **STUDIES.count.params,
    message:
        "Counting the users averaged"
    script:
        "../scripts/step.py"


rule compare:
    input:
        **judged(STUDIES.compare.inputs),
    output:
        comparisons=report(
            STUDIES.compare.outputs["comparisons"],
            caption="../report/comparisons.rst",
            category="Tables",
            labels={"table": "Comparisons"},
        ),
    log:
        STUDIES.compare.log,
    benchmark:
        STUDIES.compare.benchmark
    group:
        group("compare")
    conda:
        ENVIRONMENT
    threads: threads_of("compare")
    resources:
        mem_mb=memory_mb("compare"),
        runtime=minutes("compare"),
    params:
        **STUDIES.compare.params,
    message:
        "Comparing every pair of systems"
    script:
        "../scripts/step.py"


rule multiverse:
    input:
        **judged(STUDIES.multiverse.inputs),
    output:
        multiverse=report(
            STUDIES.multiverse.outputs["multiverse"],
            caption="../report/multiverse.rst",
            category="Tables",
            labels={"table": "All analyses, adjusted"},
        ),
        joint=report(
            STUDIES.multiverse.outputs["joint"],
            caption="../report/joint.rst",
            category="Tables",
            labels={"table": "All analyses together"},
        ),
    log:
        STUDIES.multiverse.log,
    benchmark:
        STUDIES.multiverse.benchmark
    group:
        group("multiverse")
    conda:
        ENVIRONMENT
    threads: threads_of("multiverse")
    resources:
        mem_mb=memory_mb("multiverse"),
        runtime=minutes("multiverse"),
    params:
        **STUDIES.multiverse.params,
    message:
        "Testing all analyses together"
    script:
        "../scripts/step.py"


rule judge:
    input:
        **judged(STUDIES.judge.inputs),
    output:
        verdicts=report(
            STUDIES.judge.outputs["verdicts"],
            caption="../report/verdicts.rst",
            category="Tables",
            labels={"table": "Verdicts"},
        ),
        flips=report(
            STUDIES.judge.outputs["flips"],
            caption="../report/flips.rst",
            category="Tables",
            labels={"table": "Changes that reverse a verdict"},
        ),
        influence=report(
            STUDIES.judge.outputs["influence"],
            caption="../report/influence.rst",
            category="Tables",
            labels={"table": "Which decision matters"},
        ),
        shortest=report(
            STUDIES.judge.outputs["shortest"],
            caption="../report/shortest.rst",
            category="Tables",
            labels={"table": "Shortest ways to another verdict"},
        ),
    log:
        STUDIES.judge.log,
    benchmark:
        STUDIES.judge.benchmark
    group:
        group("judge")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("judge"),
        runtime=minutes("judge"),
    params:
        **STUDIES.judge.params,
    message:
        "Judging every comparison"
    script:
        "../scripts/step.py"


# What became of what a paper claims; only in a study with claims, or printed values that make any.
rule claims:
    input:
        **judged(STUDIES.claims.inputs),
    output:
        claims=report(
            STUDIES.claims.outputs["claims"],
            caption="../report/claims.rst",
            category="Tables",
            labels={"table": "Claims"},
        ),
    log:
        STUDIES.claims.log,
    benchmark:
        STUDIES.claims.benchmark
    group:
        group("claims")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("claims"),
        runtime=minutes("claims"),
    params:
        **STUDIES.claims.params,
    message:
        "Judging every claim"
    script:
        "../scripts/step.py"


# Costs of the systems. Times differ from run to run, so the report only links to them.
rule costs:
    input:
        **judged(STUDIES.costs.inputs),
    output:
        **STUDIES.costs.outputs,
    log:
        STUDIES.costs.log,
    group:
        group("costs")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("costs"),
        runtime=minutes("costs"),
    params:
        **STUDIES.costs.params,
    message:
        "Gathering times and memory"
    script:
        "../scripts/step.py"


# Under 1R users have no lists, so there may be nothing to compare.
rule overlap:
    input:
        **judged(STUDIES.overlap.inputs),
    output:
        table=report(
            STUDIES.overlap.outputs["table"],
            caption="../report/overlap.rst",
            category="Tables",
            labels={"table": "Overlap of lists"},
        ),
    log:
        STUDIES.overlap.log,
    benchmark:
        STUDIES.overlap.benchmark
    group:
        group("overlap")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("overlap"),
        runtime=minutes("overlap"),
    params:
        **STUDIES.overlap.params,
    message:
        "Comparing the lists of every pair of systems"
    script:
        "../scripts/step.py"


rule describe:
    input:
        **judged(STUDIES.describe.inputs),
    output:
        datasets=report(
            STUDIES.describe.outputs["datasets"],
            caption="../report/datasets.rst",
            category="Tables",
            labels={"table": "Data sets"},
        ),
    log:
        STUDIES.describe.log,
    benchmark:
        STUDIES.describe.benchmark
    group:
        group("describe")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("describe"),
        runtime=minutes("describe"),
    params:
        **STUDIES.describe.params,
    message:
        "Describing the data sets"
    script:
        "../scripts/step.py"


rule describe_splits:
    input:
        **judged(STUDIES.describe_splits.inputs),
    output:
        splits=report(
            STUDIES.describe_splits.outputs["splits"],
            caption="../report/splits.rst",
            category="Tables",
            labels={"table": "Splits"},
        ),
    log:
        STUDIES.describe_splits.log,
    benchmark:
        STUDIES.describe_splits.benchmark
    group:
        group("describe_splits")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("describe_splits"),
        runtime=minutes("describe_splits"),
    params:
        **STUDIES.describe_splits.params,
    message:
        "Describing the splits"
    script:
        "../scripts/step.py"


rule describe_tuning:
    input:
        **judged(STUDIES.describe_tuning.inputs),
    output:
        tuning=report(
            STUDIES.describe_tuning.outputs["tuning"],
            caption="../report/tuning.rst",
            category="Tables",
            labels={"table": "Tuning"},
        ),
    log:
        STUDIES.describe_tuning.log,
    benchmark:
        STUDIES.describe_tuning.benchmark
    group:
        group("describe_tuning")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("describe_tuning"),
        runtime=minutes("describe_tuning"),
    params:
        **STUDIES.describe_tuning.params,
    message:
        "Describing the tuning of systems"
    script:
        "../scripts/step.py"


# How far predicted ratings lie from the scale: beside errors such as RMSE, which take every score as it is.
rule describe_predictions:
    input:
        **judged(STUDIES.describe_predictions.inputs),
    output:
        predictions=report(
            STUDIES.describe_predictions.outputs["predictions"],
            caption="../report/predictions.rst",
            category="Tables",
            labels={"table": "Predicted ratings"},
        ),
    log:
        STUDIES.describe_predictions.log,
    benchmark:
        STUDIES.describe_predictions.benchmark
    group:
        group("describe_predictions")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("describe_predictions"),
        runtime=minutes("describe_predictions"),
    params:
        **STUDIES.describe_predictions.params,
    message:
        "Describing predicted ratings"
    script:
        "../scripts/step.py"


# What files of scores and the data lack of each other.
rule describe_matches:
    input:
        **judged(STUDIES.describe_matches.inputs),
    output:
        matched=report(
            STUDIES.describe_matches.outputs["matched"],
            caption="../report/matched.rst",
            category="Tables",
            labels={"table": "Score files"},
        ),
    log:
        STUDIES.describe_matches.log,
    benchmark:
        STUDIES.describe_matches.benchmark
    group:
        group("describe_matches")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("describe_matches"),
        runtime=minutes("describe_matches"),
    params:
        **STUDIES.describe_matches.params,
    message:
        "Matching score files with the data"
    script:
        "../scripts/step.py"


# Between what values the order of equal scores moves a system.
rule describe_ties:
    input:
        **judged(STUDIES.describe_ties.inputs),
    output:
        ties=report(
            STUDIES.describe_ties.outputs["ties"],
            caption="../report/ties.rst",
            category="Tables",
            labels={"table": "Ties"},
        ),
    log:
        STUDIES.describe_ties.log,
    benchmark:
        STUDIES.describe_ties.benchmark
    group:
        group("describe_ties")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("describe_ties"),
        runtime=minutes("describe_ties"),
    params:
        **STUDIES.describe_ties.params,
    message:
        "Measuring what equal scores leave open"
    script:
        "../scripts/step.py"


rule figure:
    input:
        **judged(STUDIES.figure.inputs),
    output:
        svg=report(
            STUDIES.figure.outputs["svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        png=STUDIES.figure.outputs["png"],
        pdf=STUDIES.figure.outputs["pdf"],
    log:
        STUDIES.figure.log,
    benchmark:
        STUDIES.figure.benchmark
    group:
        group("figure")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("figure"),
        runtime=minutes("figure"),
    params:
        **STUDIES.figure.params,
    message:
        "Drawing {wildcards.figure}"
    script:
        "../scripts/step.py"


rule report:
    input:
        **judged(STUDIES.report.inputs),
    output:
        html=report(
            STUDIES.report.outputs["html"],
            caption="../report/report.rst",
            category="Report",
            labels={"page": "The study on one page"},
        ),
        tex=STUDIES.report.outputs["tex"],
        md=STUDIES.report.outputs["md"],
        tables=STUDIES.report.outputs["tables"],
        methods=STUDIES.report.outputs["methods"],
    log:
        STUDIES.report.log,
    benchmark:
        STUDIES.report.benchmark
    group:
        group("report")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("report"),
        runtime=minutes("report"),
    params:
        **STUDIES.report.params,
    message:
        "Writing the report"
    script:
        "../scripts/step.py"
