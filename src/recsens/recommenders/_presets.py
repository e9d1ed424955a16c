"""Presets: named sets of parameters that were published, or calibrated to reproduce published results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from recsens.plugins.specs import Value


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of parameters and its source.

    Attributes
    ----------
    params
        Parameters that differ from the recommender's defaults.
    source
        Who used these parameters, and on which data.
    calibrated_on_test
        Whether the parameters were chosen because they reproduce published results on test data. A comparison on the same data
        favours the system; every table that contains the system says so.
    """

    params: Mapping[str, Value]
    source: str
    calibrated_on_test: bool = False


def preset_field() -> Any:
    """Declare the parameter ``preset``, the last field of a recommender with presets."""
    return Field(None, description="a named set of parameters; parameters given explicitly override it")
