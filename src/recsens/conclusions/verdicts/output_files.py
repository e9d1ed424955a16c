"""The file formats for a study's figures, tables and methods paragraph, so that every file name is known in advance."""

FIGURE_FORMS = ("svg", "png", "pdf")
"""The forms in which every figure is written."""

TABLE_FORMS = ("csv", "md", "tex")
"""The formats of a table in a separate file."""

METHODS_FORMS = ("txt", "md", "tex")
"""The forms of the methods paragraph."""
