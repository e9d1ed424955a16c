"""The settings statement and the methods paragraph: every decision in a design, in forms that a paper can print."""
