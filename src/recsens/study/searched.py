"""The search of each system of a study that varies the effort: which systems are tuned, with how many trials."""

from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.plugins.specs import Spec
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.study.experiment import Experiment


def metric_of_effort(experiment: Experiment) -> MeasuredAt:
    """Return the metric by which efforts are compared: the experiment's first that ranks systems by values of users' positions.

    Raises
    ------
    SpecError
        If there is none.
    """
    for measured in experiment.metrics:
        metric = measured.metric
        if not metric.is_descriptive and metric.unit == "user" and metric.reads != "lists":
            return measured
    raise SpecError("'effort' needs a metric that has a value for each user from positions", allowed="such as nDCG@10 or P@10")


def searches(experiment: Experiment) -> dict[str, Tuned]:
    """Return the search of each system that has one, by label; other systems stay as written whatever the effort.

    A tuned system keeps its space, split and metric. Any other system is searched in its own space if it has one, unless somebody
    chose its parameters: its author, whom the study names, or the source of a preset. Parameters that the study sets are searched
    too, and the metric that decides is the one that is compared. Popularity and other systems that are cheap to fit stay as
    written, as do scores from files and programs. A search has twice as many trials as the largest effort, because a search of n
    trials says little about searches of more than n / 2.
    """
    if not experiment.effort:
        return {}
    n_trials, compared = max(2 * max(experiment.effort), 1), metric_of_effort(experiment)
    found: dict[str, Tuned] = {}
    predicts = compared.metric.reads == "predictions"
    for label, spec in experiment.systems.items():
        system = Recommender.build(spec)
        if isinstance(system, Tuned):
            found[label] = system.searched(n_trials)
        elif not system.search_space or system.is_trivial or label in experiment.chosen or system.chosen_preset is not None:
            continue
        elif system.predicts_ratings or not predicts:
            space = system.search_space.params
            # Only a search that names its parameters can change those that the study sets.
            sets_some = not space.keys().isdisjoint(dict(system.spec.params))
            search = Spec("random").with_params(**space) if sets_some else Spec("random")
            found[label] = Tuned(of=spec, search=search, metric=str(compared)).searched(n_trials)
    return {label: tuned for label, tuned in found.items() if tuned.inner.model_config.get("extra") != "allow"}
