"""The Snakemake workflow: the plan of a study, the inputs of each rule, and the steps that its jobs run."""
