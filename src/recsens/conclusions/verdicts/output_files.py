"""The file formats of a study's figures, tables and methods paragraph; with these, every file name is known in advance."""

FIGURE_FORMS = ("svg", "png", "pdf")
"""The forms in which every figure is written."""

TABLE_FORMS = ("csv", "md", "tex")
"""The file formats of a table."""

METHODS_FORMS = ("txt", "md", "tex")
"""The forms of the methods paragraph."""
