"""A study's first answer, on the terminal and at the top of its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import pandas as pd

from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.stability import stabilities
from recsens.report.sentences.answers import Answer, answers, unmoved
from recsens.report.sentences.best import pair_sentence
from recsens.report.sentences.best_systems import best_systems
from recsens.report.sentences.headline import robustness_unknown
from recsens.study import Study


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The answer to a study's question. Every sentence follows from the study's stored verdicts.

    Attributes
    ----------
    asked
        The answer for the pair that the study asks about, on each data set; see `Experiment.asked`.
    best
        The best system on each data set, or the systems that share first place.
    named
        The verdict on each further pair that ``compare`` names, if there is no other analysis that could change the verdict.
    changing
        The answer for each further pair whose verdict changes. Pairs that ``compare`` names come first.
    unmoved
        The pairs whose verdict is the same in every analysis.
    unknown
        If only one design was run, a sentence that says that robustness is unknown; otherwise empty.
    """

    asked: list[Answer]
    best: list[str]
    named: list[str]
    changing: list[Answer]
    unmoved: list[str]
    unknown: str

    @classmethod
    def of(
        cls, study: Study, verdicts: Sequence[PairVerdicts], summary: pd.DataFrame, counted: pd.DataFrame, *, counts: bool = True
    ) -> Self:
        """Compose the answer from the verdicts of all experiments of a study, and the tables of values and counted users.

        A study that only compares metrics is about which metrics to trust, not about which system is best, so its answer is empty.
        Without ``counts``, sentences do not count analyses, because an audit counts those under other tools' conventions too.
        """
        if study.meta and not any(of_part.part.pairs() for of_part in verdicts):
            return cls([], [], [], [], [], "")
        named = [of_part for of_part in verdicts if of_part.part.compare is not None]
        others = [of_part for of_part in verdicts if of_part.part.compare is None]
        pairs = [pair for of_part in named for pair in stabilities(of_part)]
        alone = [pair_sentence(pair.verdicts.part, pair.base) for pair in pairs if not pair.others and not pair.is_asked]
        where = len({dataset for of_part in verdicts for dataset in of_part.part.datasets}) > 1
        told = [*answers(named, where=where, counts=counts), *answers(others, where=where, counts=counts)]
        return cls(
            [answer for answer in told if answer.is_asked],
            best_systems(verdicts, summary, counted),
            alone,
            [answer for answer in told if not answer.is_asked],
            [*unmoved(named, where=where), *unmoved(others, where=where)],
            robustness_unknown(verdicts),
        )
