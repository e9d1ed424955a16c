"""Aliases of data sets: names of file formats.

If a study uses an alias, the file's columns may also have other common names of their roles.
"""

_NAMED = "header=true,user=user,item=item,rating=rating"

ALIASES = {
    "csv": f'delimited(separator=",",{_NAMED})',
    "tsv": f"delimited({_NAMED})",
}
"""Lower-case alias -> the data set that it stands for."""
