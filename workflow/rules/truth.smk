# Designs judged: every analysis of a study against the design that counts as the truth, from the tables of the study alone.


rule score:
    input:
        **judged(TRUTH.score.inputs),
    output:
        **{
            **TRUTH.score.outputs,
            "truth": report(
                TRUTH.score.outputs["truth"],
                caption="../report/truth.rst",
                category="Tables",
                labels={"table": "Designs scored against the truth"},
            ),
        },
    log:
        TRUTH.score.log,
    benchmark:
        TRUTH.score.benchmark
    group:
        group("score")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory_mb("score"),
        runtime=minutes("score"),
    params:
        **TRUTH.score.params,
    message:
        "Scoring designs against the reference design"
    script:
        "../scripts/step.py"
