"""The sections of the report page: the content for their templates."""
