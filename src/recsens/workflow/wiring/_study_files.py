"""The files in a study's own folder, and the rules that write them."""

from collections.abc import Mapping
from typing import Any

from recsens.artefacts.statements import digest_of
from recsens.study.parts import decisions_of
from recsens.workflow.sources import NO_RESULTS
from recsens.workflow.wiring._jobs import Wiring
from recsens.workflow.wiring._rule import Files, Rule


class StudyFiles(Wiring):
    """Rules whose results lie in the study's folder."""

    def _file(self, name: str) -> str:
        return f"{self.plan.folder}/{name}"

    def _table(self, name: str) -> str:
        return self._file(f"{name}.csv")

    def _judged(self) -> dict[str, str]:
        """The values of systems, their comparisons, and who wins each."""
        return {name: self._table(name) for name in ("summary", "comparisons", "verdicts")}

    def _rule(
        self, step: str, *names: str, inputs: Mapping[str, Any], outputs: Mapping[str, Files], params: Mapping[str, Any]
    ) -> Rule:
        """Return a rule whose log lies in the study's folder; ``names`` distinguish its jobs.

        The order of the files is told as well, since labels name files by it; neither Snakemake's records nor statements keep it.
        """
        job = "/".join([step, *names])
        ordered = {name: files for name, files in inputs.items() if name not in NO_RESULTS and not callable(files)}
        told = {"order": digest_of(ordered), **params}
        return Rule(step, outputs, inputs, told, self._file(f"logs/{job}.log"), self._file(f"benchmarks/{job}.tsv"))

    def _rule_of_study(
        self, step: str, *names: str, inputs: Mapping[str, Any], outputs: Mapping[str, Files], params: Mapping[str, Any]
    ) -> Rule:
        """Return a rule whose step reads the study file, and is told which decisions it should find there.

        Reading the file makes the folders of plug-ins known, so they are no parameter.
        """
        found = {"study": str(self.plan.path), **inputs}
        told = {"decisions": decisions_of(self.plan.study, step), **params}
        return self._rule(step, *names, inputs=found, outputs=outputs, params=told)

    def truth_table(self) -> list[str]:
        """The scorecard of designs, if the study names a reference design."""
        return [self._table("truth")] if self.plan.study.reference is not None else []

    def truth_words(self) -> list[str]:
        """The scorecard in words."""
        return [self._file("truth.md")] if self.plan.study.reference is not None else []

    def scorecard(self, *forms: str) -> list[str]:
        """The picture of the scorecard, in each form."""
        return [self._file(f"figures/truth.{form}") for form in forms if self.plan.study.reference is not None]

    def findings_table(self) -> list[str]:
        """The table of what analyses of metrics found, if the study asks for any."""
        return [self._table("findings")] if self.plan.study.meta else []
