"""Find the definitions of a metric that give a printed number, and rank them by plausibility."""

from recsens.runs.printed_values._look_up import DEPARTURES, MOST_DEPARTURES, FoundDefinitions, found_of, look_up

__all__ = ["DEPARTURES", "MOST_DEPARTURES", "FoundDefinitions", "found_of", "look_up"]
