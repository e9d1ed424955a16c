# What every rule file uses: the study, and the environment of a job.
#
# 'ask' (recsens.workflow.ask) answers what depends on the study. A plain name is evaluated for each job, as an input function of
# Snakemake; a name with an argument returns such a function:
#   ask.mb(1700, per_million=500)  megabytes: 1,700, and 500 for each million ratings of the data set; doubled at each attempt. With
#                                  of_model, what the recommender says it needs is added.
#   ask.minutes(10, per_million=5) a limit in minutes for work of some 10 seconds, and 5 for each million ratings: five times as much,
#                                  and two minutes; doubled at each attempt. With of_fit, the recommender's pace counts.
#   ask.code("fit", classes)       digest of the code behind a result: of the step, and of classes that its components name
#   ask.spec("split")              a component with every parameter, as in 'random(ratio=0.8)'
#   ask.decisions("compare")       digest of what this step reads of the study file: no other edit of that file re-runs it
#   ask.order("measures")          digest of the order of input files, which Snakemake does not record
#   ask.origin                     what names the random streams of a job: seed, data set and fold
#   ask.own_digests                SHA-256 of the inputs 'own_files': files of the user's that the study or a plug-in names
#   ask.group("systems")           name of a bundle of short jobs on a cluster, or none
# Lists known before any job, such as ask.paper_files, may name outputs.
from recsens.workflow.ask import Ask
from recsens.workflow.in_snakemake import begin, share_results

# Sets the number of threads of numeric libraries, and refuses a version of Snakemake that was not tried.
begin()

ask = Ask.of(config["study"], workflow)

ENVIRONMENT = "../../environment.yml"
