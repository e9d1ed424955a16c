# The plan of the study, and its rules. No logic: recsens.workflow.plan decides what there is, recsens.workflow.wiring says what each rule
# reads, writes and is told, recsens.workflow.resources what it asks a cluster for. Rule files add what matters while jobs run.
import os

from recsens.workflow.in_snakemake import judged, refuse_untried_snakemake
from recsens.workflow.job import ONE_BLAS_THREAD
from recsens.workflow.plan import Plan
from recsens.workflow.resources import Requests, threads_of
from recsens.workflow.snakemake_calls import from_setting
from recsens.workflow.wiring import WILDCARDS, DataWiring, MetaWiring, StudyWiring, SystemWiring, TruthWiring

os.environ.update(ONE_BLAS_THREAD)
refuse_untried_snakemake()

PLAN = Plan(from_setting(config["study"]))
DATA = DataWiring(PLAN)
SYSTEMS = SystemWiring(PLAN)
STUDIES = StudyWiring(PLAN)
META = MetaWiring(PLAN)
TRUTH = TruthWiring(PLAN)
ENVIRONMENT = "../../environment.yml"
REQUESTS = Requests(PLAN, SYSTEMS.recommender)
memory_mb, minutes, group = REQUESTS.memory_mb, REQUESTS.minutes, REQUESTS.group


wildcard_constraints:
    **WILDCARDS,
