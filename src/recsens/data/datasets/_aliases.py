"""Aliases of data sets: files by the name of their format. A column that has another usual name of its role is found, too."""

_NAMED = "header=true,user=user,item=item,rating=rating"

ALIASES = {
    "csv": f'delimited(separator=",",{_NAMED})',
    "tsv": f"delimited({_NAMED})",
}
"""Lower-case name -> the data set that it stands for."""
