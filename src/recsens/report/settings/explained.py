"""What a component does, in the words of its class and its parameters."""

from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.words import concept, definition
from recsens.plugins.specs import Spec, format_value


def explain(kind: str, spec: Spec, formula: str = "") -> str:
    """Say what a component does: its concept, the first sentence of its class, its parameters with their values.

    ``formula`` replaces that first sentence where the design changes what is computed.
    """
    component = built(kind, spec)
    if component is None:
        return "This component is no longer installed."
    cls = type(component)
    given = [
        f"{name} = {format_value(getattr(component, name))} ({field.description.rstrip('.')})"
        for name, field in cls.model_fields.items()
        if field.description and getattr(component, name) is not None
    ]
    does = f"{formula}." if formula else definition(cls)
    # A formula alone is not a plain sentence.
    sentences = [concept(cls) if "=" in does else "", does, f"With {'; '.join(given)}." if given else ""]
    return " ".join(filter(None, sentences))
