"""Pipeline: the stages from data to values, in memory. The workflow's steps, the notebook and audits all call these functions."""
