"""The table of a study's claims and their outcomes."""

import math
from typing import Any, cast

from recsens.conclusions.claims._base import Claim
from recsens.conclusions.claims._evidence import Evidence
from recsens.conclusions.verdicts.study_tables import Results
from recsens.study import ClaimEntry, Ground, Study
from recsens.study.claims import in_words


def claim_rows(study: Study, results: Results) -> list[dict[str, Any]]:
    """Judge every claim: first the study's own claims, then the claims that its printed values and p-values imply."""
    known: dict[tuple[str, ...], Evidence] = {}
    rows = []
    for origin, entry in study.all_claims:
        ground = study.ground(entry)
        part = tuple(ground.experiment.datasets)
        if part not in known:
            known[part] = Evidence(ground.experiment, results)
        rows.append(_row(origin, entry, ground, known[part]))
    return rows


def _row(origin: str, entry: ClaimEntry, ground: Ground, evidence: Evidence) -> dict[str, Any]:
    claim = cast("Claim", entry.assertion)
    judgement = claim.judge(ground, evidence)
    return {
        "dataset": ground.dataset,
        "claim": entry.claim.written,
        "under": in_words(entry.under),
        "says": entry.says or claim.words(ground),
        "source": entry.source,
        "origin": origin,
        "calibrated": entry.calibrated,
        "verdict": judgement.verdict,
        "numbers": judgement.numbers,
        "of": judgement.of,
        "value": judgement.value,
        "low": _finite(judgement.low),
        "high": _finite(judgement.high),
        "asked_low": _finite(judgement.asked.low),
        "asked_high": _finite(judgement.asked.high),
        "basis": judgement.basis,
    }


def _finite(number: float) -> float | None:
    """Return a number; None if it is infinite."""
    return None if math.isinf(number) else number
