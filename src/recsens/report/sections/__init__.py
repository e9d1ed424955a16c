"""The report page's sections: the content for their templates."""
