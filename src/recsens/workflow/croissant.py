"""Describe exported splits in Croissant, the vocabulary in which catalogues of data sets and loaders of them read JSON-LD."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsens.data.datasets import digest

_TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key md5 "
    "parentField path recordSet references regex repeated replace samplingRate separator source subField transform"
)
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}
"""The context of Croissant 1.0; its validator warns if a term is missing, even one that is not used."""


def description(name: str, about: str, folder: Path, files: Sequence[str], columns: Mapping[str, str]) -> dict[str, Any]:
    """Describe files of a split, ``<fold>/<side>.csv``, each as one set of records.

    Licence, citation, creators and date, which Croissant recommends, are those of the data and left to whoever publishes them.

    Parameters
    ----------
    name, about
        Name of the split, and a sentence about it.
    folder, files
        Folder of the split, and the files by their paths in it; they are read for their digests.
    columns
        Column of every file -> its type, such as ``sc:Text``.

    Returns
    -------
    dict
        JSON-LD as in the format specification, version 1.0, of MLCommons.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "description": about,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": file,
                "encodingFormat": "text/csv",
                "sha256": digest(folder / file),
            }
            for file in files
        ],
        "recordSet": [_records(file, columns) for file in files],
    }


def _records(file: str, columns: Mapping[str, str]) -> dict[str, Any]:
    name = file.removesuffix(".csv")
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": kind,
            "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        }
        for column, kind in columns.items()
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}
