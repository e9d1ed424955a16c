# The workflow as a checkout runs it: 'snakemake' looks for a Snakefile here first. Deployments read workflow/Snakefile.
include: "workflow/Snakefile"


# An included file decides no default target.
workflow.default_target = "all"
