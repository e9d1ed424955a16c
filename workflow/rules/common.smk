# The plan of the study, and what may stand in an address. No logic: recsens.plan decides, recsens.wiring answers.
import os

from recsens.jobs import ONE_BLAS_THREAD
from recsens.plan import Plan
from recsens.specs import SLUG
from recsens.vocabulary import LIST_DEPTH
from recsens.wiring import Wiring, cost_code, from_setting, memory_mb, minutes, step_code

os.environ.update(ONE_BLAS_THREAD)

PLAN = Plan(from_setting(config["study"]))
WIRING = Wiring(PLAN)
STUDY = str(PLAN.folder)
PLUGINS = PLAN.study.plugins
ENVIRONMENT = "../../environment.yml"

DATASET = "results/seed-{seed}/{dataset}"
FILTERED = f"{DATASET}/{{filter}}"
FOLD = f"{FILTERED}/{{split}}/{{fold}}"
SYSTEM = f"{FOLD}/{{recommender}}"
RANKING = f"{SYSTEM}/{{targets}}/{{nc}}/{{ties}}"


wildcard_constraints:
    seed=r"\d+",
    dataset=SLUG,
    filter=SLUG,
    split=SLUG,
    fold=r"repeat-\d+(\.fold-\d+)?",
    recommender=SLUG,
    targets=SLUG,
    nc=SLUG,
    ties="random|high_index|low_index",
    metric=SLUG,
    figure=r"[a-z0-9_-]+",
