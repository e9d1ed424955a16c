"""Results of other programs: data sets and runs in any form, by fold and system, matched with each other."""
