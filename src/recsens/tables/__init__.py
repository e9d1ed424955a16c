"""Tables as text: numbers as papers print them, and tables as CSV, Markdown and LaTeX."""
