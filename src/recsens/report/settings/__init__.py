"""The settings statement and the methods paragraph: every decision of a design, in forms that a paper can print."""
