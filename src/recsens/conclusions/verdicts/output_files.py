"""The file formats of a study's figures, tables and methods paragraph; they determine every file name in advance."""

FIGURE_FORMS = ("svg", "png", "pdf")
"""The forms in which every figure is written."""

TABLE_FORMS = ("csv", "md", "tex")
"""The file formats of a table."""

METHODS_FORMS = ("txt", "md", "tex")
"""The forms of the methods paragraph."""
