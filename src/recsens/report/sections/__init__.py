"""The sections of the report page: what their templates are filled with."""
