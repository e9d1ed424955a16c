"""The multiverse of analyses: what all designs and metrics of a study say together of a pair of systems."""
