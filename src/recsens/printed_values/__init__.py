"""Which convention gave a printed number: the definitions of a metric that give it, ranked."""

from recsens.printed_values._found import FoundDefinitions
from recsens.printed_values._look_up import DEPARTURES, MOST_DEPARTURES, look_up

__all__ = ["DEPARTURES", "MOST_DEPARTURES", "FoundDefinitions", "look_up"]
