# The metrics judged: analyses of the judged rankings of all systems, one job for each data set, fold and analysis.


rule analyse:
    input:
        **judged(META.analyse.inputs),
    output:
        **META.analyse.outputs,
    log:
        META.analyse.log,
    benchmark:
        META.analyse.benchmark
    group:
        group("analyse")
    conda:
        ENVIRONMENT
    threads: threads_of("analyse")
    resources:
        mem_mb=memory_mb("analyse"),
        runtime=minutes("analyse"),
    params:
        **META.analyse.params,
    message:
        "Analysing metrics: {wildcards.analysis} on {wildcards.label}, {wildcards.fold}"
    script:
        "../scripts/step.py"


rule findings:
    input:
        **judged(META.findings.inputs),
    output:
        findings=report(
            META.findings.outputs["findings"],
            caption="../report/findings.rst",
            category="Tables",
            labels={"table": "Findings about metrics"},
        ),
    log:
        META.findings.log,
    benchmark:
        META.findings.benchmark
    group:
        group("findings")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("findings"),
        runtime=minutes("findings"),
    params:
        **META.findings.params,
    message:
        "Gathering what was found about the metrics"
    script:
        "../scripts/step.py"
