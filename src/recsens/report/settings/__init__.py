"""The settings statement: every decision of a design, in a form that a paper can print."""
