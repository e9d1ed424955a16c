"""Filter the interactions of a data set."""

from pathlib import Path

from recsens.artefacts import storage
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions, read_record, write_interactions
from recsens.data.filtering import Filter
from recsens.pipeline.filtering import apply_filters
from recsens.plugins.specs import Chain, parse_chain
from recsens.seeds import Origin


def filter(  # noqa: A001 - a step has the name of its decision
    *, data: InteractionFiles, kept: InteractionFiles, chain: str, origin: Origin
) -> None:
    """Apply filters one after another, record the effect of each filter, and renumber the remaining users and items.

    Raises
    ------
    DesignError
        If no interaction is left.
    """
    filters = [Filter.build(link) for link in parse_chain(chain)]
    storage.keep_spec(Path(kept.dataset).parent, Chain(tuple(each.spec for each in filters)))
    left = apply_filters(read_interactions(data), filters, origin)
    record = {key: value for key, value in read_record(data.dataset).items() if key != "scale"}
    user_ids, item_ids = left.interactions.user_ids, left.interactions.item_ids
    assert user_ids is not None
    assert item_ids is not None
    write_interactions(
        left.interactions,
        user_ids=user_ids.tolist(),
        item_ids=item_ids.tolist(),
        record={**record, "filters": left.effects},
        files=kept,
    )
