"""The contract of a claim."""

from abc import abstractmethod
from typing import ClassVar

from recsens.conclusions.claims._evidence import Evidence
from recsens.conclusions.claims._judgement import Judgement
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.study import Ground


def _judgement(call: Call, judgement: object) -> Judgement:
    if not isinstance(judgement, Judgement):
        raise call.refused(f"returned {type(judgement).__name__}", "a recsens.conclusions.claims.Judgement")
    return judgement


class Claim(Plugin):
    """A claim: what would be true of the numbers of an experiment if it holds."""

    kind: ClassVar[str] = "claim"

    @abstractmethod
    def check(self, ground: Ground) -> None:
        """Refuse an experiment that lacks what the claim is about, when the study file is read.

        Raises
        ------
        SpecError
            The message says what is allowed.
        """

    @abstractmethod
    @returns(_judgement)
    def judge(self, ground: Ground, evidence: Evidence) -> Judgement:
        """Judge the claim by the results of the experiment."""

    @abstractmethod
    def words(self, ground: Ground) -> str:
        """Say what is claimed, without a full stop."""
