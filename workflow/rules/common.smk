# What every rule file uses: the study, as 'ask' answers for it, and the environment of a job.
from recsens.workflow.ask import Ask
from recsens.workflow.in_snakemake import begin

begin()

ask = Ask.of(config["study"], workflow)

ENVIRONMENT = "../../environment.yml"
