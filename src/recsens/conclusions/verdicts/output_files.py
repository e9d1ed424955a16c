"""The forms of what a study writes for readers: each file is known by name before anything is drawn or written."""

FIGURE_FORMS = ("svg", "png", "pdf")
"""The forms in which every figure is written."""

TABLE_FORMS = ("csv", "md", "tex")
"""The forms of a table in a file of its own."""

METHODS_FORMS = ("txt", "md", "tex")
"""The forms of the methods paragraph."""
