"""The rule that scores designs against the reference design of a study."""

from functools import cached_property

from recsens.conclusions.verdicts.forms import FIGURE_FORMS
from recsens.workflow.code_digests import classes_of, step_code
from recsens.workflow.wiring._rule import Rule
from recsens.workflow.wiring._study_files import StudyFiles


class TruthWiring(StudyFiles):
    """The rule in ``truth.smk``."""

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of this stage."""
        return (self.score,)

    @cached_property
    def score(self) -> Rule:
        """How well every analysis says what the reference design says."""
        metrics = [("metric", measured.metric.spec) for measured in self.plan.study.all_metrics()]
        datasets = [("dataset", spec) for spec in self.plan.study.datasets.values()]
        return self._rule_of_study(
            "score",
            inputs=self._judged(),
            outputs={
                "truth": self._table("truth"),
                "words": self._file("truth.md"),
                **{form: self._file(f"figures/truth.{form}") for form in FIGURE_FORMS},
            },
            params={"code": step_code("score", classes_of([*metrics, *datasets]))},
        )
