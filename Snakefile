# Entry point in a checkout: Snakemake looks here first, and then for workflow/profiles/default. Deployments use workflow/Snakefile.
include: "workflow/Snakefile"


# An included file cannot set the default target.
workflow.default_target = "all"
