"""The space of an experiment's numbers: its dimensions, their names in a study, and the number at given coordinates."""
