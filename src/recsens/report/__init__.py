"""What a study shows: verdicts, alerts, the settings statement, tables, figures and the report page."""
