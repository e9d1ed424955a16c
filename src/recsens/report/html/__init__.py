"""The templates of the pages."""
