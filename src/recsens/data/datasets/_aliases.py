"""Aliases of data sets: file formats by name. A column with another usual name for its role is found too."""

_NAMED = "header=true,user=user,item=item,rating=rating"

ALIASES = {
    "csv": f'delimited(separator=",",{_NAMED})',
    "tsv": f"delimited({_NAMED})",
}
"""Lower-case name -> the data set that it stands for."""
