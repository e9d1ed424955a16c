# From ratings to a verdict. Each included file holds the rules of one stage; what they ask for is decided in recsens.plan.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/system.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/study.smk"


localrules:
    all,
    data,
    rankings,


# The study's report with everything that it stands on. Every file that a reader opens is asked for by name: Snakemake does not
# make anew a deleted file from which only others were made that are still there.
rule all:
    default_target: True
    input:
        report=f"{STUDY}/report.html",
        tables=[
            f"{STUDY}/{name}"
            for name in (
                *("summary.csv", "counted.csv", "comparisons.csv", "verdicts.csv", "flips.csv"),
                *("datasets.csv", "splits.csv", "overlap.csv", "tables.tex", "tables.md"),
            )
        ],
        figures=[f"{STUDY}/figures/{figure}.{form}" for figure in PLAN.study.all_figures() for form in ("svg", "png")],
        tuning=WIRING.tuning_table(),
        predictions=WIRING.predictions_table(),
        costs=f"{STUDY}/benchmarks/costs.html",
        truths=list(map(str, PLAN.truths)),
    message:
        "The results of the study are up to date"


# Every split of the study, and every choice of target items: what the data do not allow shows here, before anything is fitted.
rule data:
    input:
        [f"{folder}/roles.parquet" for folder in PLAN.splits],
        list(PLAN.checks),
    # Without a message, every input would be listed.
    message:
        "The data allow every split and every choice of target items"


# Every ranking of the study.
rule rankings:
    input:
        WIRING.positions("positions.parquet"),
    message:
        "Every ranking is there"
