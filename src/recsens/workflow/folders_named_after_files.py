"""Name a data set's folder after its file, if the plug-in reads one: ``purchases@sha=be64a3e9c8``."""

import re
from pathlib import Path

from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.plugins.specs import FOLDER, MAX_SLUG, Spec
from recsens.study import file_name

_LONGEST = 24
"""Largest number of characters that the name of a folder takes from the name of a file."""


def with_folder(address: Spec, file: Path, seed: int) -> Spec:
    """Return the address of a data set from the user's own file, with the folder named after the file.

    The name is only for people; the digest after the name identifies the data. An existing folder with the digest is therefore used
    whatever its name is. The name may differ because the file was renamed, or because an earlier release named the folder after the
    plug-in.

    Parameters
    ----------
    address
        The address in which the folder is named after the plug-in.
    file
        The first file.
    seed
        The seed of the study.
    """
    if "." in address.name:  # The name of a user's own class already describes its data.
        return address
    named_after_plugin, _, identity = address.slug.partition("@")
    # The folder must not have another plug-in's name, such as netflix for a file netflix.csv, unless a digest of the whole text
    # distinguishes them.
    taken = set() if address.is_abbreviated else {*plugins.names("dataset")} - {named_after_plugin}
    wanted = file_name(file.name.partition(".")[0])[: min(_LONGEST, MAX_SLUG - len(identity) - 1)].strip("-")
    if not wanted or wanted in taken:
        wanted = named_after_plugin
    there = _names_there(Path(Address.of(seed, address.slug).folder).parent, identity) - taken
    name = wanted if wanted in there or not there else min(there)
    return address if name == named_after_plugin else address.with_params(**{FOLDER: name})


def _names_there(folder: Path, identity: str) -> set[str]:
    """Return the names of the existing folders of some data."""
    if not folder.is_dir():
        return set()
    parts = (path.name.partition("@") for path in folder.iterdir() if path.is_dir())
    return {name for name, _, rest in parts if rest == identity and re.fullmatch(r"[a-z0-9-]+", name)}
