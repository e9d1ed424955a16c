"""The output of a study: alerts, sentences about verdicts, the settings statement, tables, figures and the report page."""
