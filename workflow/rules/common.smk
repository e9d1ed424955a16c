# Shared by all rule files: the study, and the base of all rules.
#
# 'ask' (recsens.workflow.ask) gives everything that depends on the study. ask.fit.origin is what the library's function for the rule
# 'fit' (in recsens.workflow.ask.systems) answers as 'origin'; ask.study has facts about the whole study. Such names are input
# functions, which Snakemake calls for each job. Others take an argument and return one, or concern all rules:
#   ask.mb(1700, per_million_ratings=500)
#       memory in MB: 1,700, plus 500 for each million ratings of the data set (in a rule about the whole study, of all rankings
#       that it reads). With with_model, the memory that the recommender says it needs is added. The sum is doubled at each further
#       attempt that a cluster's profile allows. Until a data set is read, the number of its ratings is estimated from file sizes.
#   ask.runtime(seconds=10, per_million_ratings=5)
#       time limit in minutes: five times the expected time (10 seconds, plus 5 for each million ratings), plus two minutes. With
#       with_fit, the time also depends on the recommender. The limit is doubled at each attempt.
#   ask.code("fit")
#       parameters with the digest of the code behind a result: the code of the step, and of the classes that its components name
#   ask.study_digest("compare")
#       digest of the keys of the study file that this step reads: an edit of any other key leaves its results sound, and our
#       executor skips the jobs that Snakemake starts because the file is newer
#   ask.order
#       digest of the order of the results among the inputs, which Snakemake does not record
#   ask.own_digests
#       SHA-256 of the inputs 'own_files': the user's files that the study or a plug-in names
#   ask.group("systems")
#       name of the bundle in which a short job runs on a cluster, or none
# ask.name, ask.study_file and ask.paper_files are known before any job runs, so they may name outputs.
from recsens.errors import RecsensError
from recsens.vocabulary import FIGURE_FORMS, METHODS_FORMS
from recsens.workflow.ask import Ask
from recsens.workflow.in_snakemake import begin, share_results
from recsens.workflow.study_setting import check_settings

# Sets the number of threads of numeric libraries, and refuses an untested version of Snakemake.
begin()

try:
    check_settings(config)
    ask = Ask.of(config["study"], workflow)
except RecsensError as error:
    # Snakemake shows its own errors without the stack.
    raise WorkflowError(f"recsens: {error}") from None


# Every rule except the targets begins with 'use rule step as', and takes its environment and script from here. The rest is in the rule.
rule step:
    """Base of the other rules, which call the function of the same name in recsens.workflow.steps. No job runs this rule itself."""
    log:
        "results/logs/step.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/recsens_step.py"
