# How well each design reproduces the verdicts of the reference design, which counts as the truth.


use rule step as score_designs with:
    """Score every design against the reference design of the study."""
    input:
        study=ask.study_file,
        summary="<study>/summary.csv",
        comparisons="<study>/comparisons.csv",
        verdicts="<study>/verdicts.csv",
    output:
        truth=table_in_report("<study>/truth.csv", "Designs scored against the truth"),
        words="<study>/truth.md",
        svg="<study>/figures/truth.svg",
        png="<study>/figures/truth.png",
        pdf="<study>/figures/truth.pdf",
    log:
        "<study>/logs/score_designs.log",
    benchmark:
        "<study>/benchmarks/score_designs.tsv"
    group:
        ask.group("results")
    resources:
        mem_mb=ask.mb(1700, per_million_ratings=10),
        runtime=ask.runtime(seconds=40, per_million_ratings=2),
    params:
        **ask.code("score_designs"),
        decisions=ask.study_digest("score_designs"),
        order=ask.order,
    message:
        "Scoring designs against the reference design"
