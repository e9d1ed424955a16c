"""The multiverse of analyses: for each pair of systems, the joint result of all designs and metrics in a study."""
