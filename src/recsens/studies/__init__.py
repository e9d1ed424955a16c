"""What a study shows: the settings statement, verdicts, figures, tables for papers, the report page."""
