"""Split interactions into train, validation and test."""

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions
from recsens.data.splitting import Splitter
from recsens.pipeline.splitting import draw_roles, fold_facts
from recsens.seeds import Origin


def split(*, data: InteractionFiles, roles: str, record: str, spec: str, origin: Origin) -> None:
    """Assign every interaction its role in one fold, and record the fold's sizes.

    Raises
    ------
    DesignError
        If the data cannot be split this way, or if one side is empty.
    """
    interactions = read_interactions(data)
    component = Splitter.build(spec)
    at = Address.parse(roles)
    storage.keep_spec(at.up_to("split").folder, plugins.address("split", component.spec))
    drawn = draw_roles(component, interactions, at.fold, origin)
    storage.write_table(roles, schemas.ROLES, {"role": drawn})
    storage.write_json(record, fold_facts(component, interactions, drawn), schemas.SPLIT)
