"""The multiverse of analyses: the joint result of all designs and metrics of a study on a pair of systems."""
