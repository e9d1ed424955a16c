# From ratings to a verdict. Each included file holds the rules of one stage; what they ask for is decided in recsens.workflow.plan.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/system.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/meta.smk"
include: "workflow/rules/study.smk"
include: "workflow/rules/truth.smk"


localrules:
    all,
    data,
    rankings,


# The study's report and everything it is based on.
rule all:
    default_target: True
    input:
        **STUDIES.wanted["all"],
    message:
        "The results of the study are up to date"


# Every split of the study, and every choice of target items: data that do not allow them are refused here, before any fit.
rule data:
    input:
        **STUDIES.wanted["data"],
    # Without a message, every input would be listed.
    message:
        "The data allow every split and every choice of target items"


# Every ranking of the study.
rule rankings:
    input:
        **STUDIES.wanted["rankings"],
    message:
        "Every ranking is there"
