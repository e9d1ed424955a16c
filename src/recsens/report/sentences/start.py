"""What a base design is, said before the first sentence that names it."""

from recsens.study import Study


def base_design_is(study: Study) -> str:
    """Say what the base design is, and what the study does with it."""
    said = "A study starts from one choice for every decision, from the data to the significance test: its base design"
    parts = study.all_experiments()
    varied = [part for part in parts if part.vary]
    if not varied:
        changed = "Nothing of it is changed"
    elif all(part.combine == "grid" for part in varied):
        changed = "Then it tries other choices, in every combination"
    elif any(part.combine == "grid" for part in varied):
        changed = "Then it tries other choices, one at a time or in every combination"
    else:
        changed = "Then it changes one decision at a time, and keeps all others"
    several = " Each experiment has a base design of its own." if len(parts) > 1 else ""
    return f"{said}. {changed}.{several}"
