"""Names of data sets that share a module, and aliases, which are names of file formats.

If a study uses an alias, the columns of the file may also have other common names than those declared.
"""

MODULES = dict.fromkeys(("json_lines", "parquet"), "parquet")
"""Name of a data set -> its module in this package."""

_NAMED = "header=true,user=user,item=item,rating=rating"

ALIASES = {
    "csv": f'delimited(separator=",",{_NAMED})',
    "tsv": f"delimited({_NAMED})",
}
"""Lower-case alias -> the data set that it stands for."""
