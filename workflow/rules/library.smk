# The library that plans studies and does the work of every job. A deployed workflow contains only rules and settings.
from importlib.util import find_spec

if find_spec("recsens") is None:
    raise WorkflowError(
        "the library recsens is not installed in the Python that runs Snakemake\n"
        "  what to do: install it from a checkout of the version that was deployed: pip install path/to/checkout\n"
        "  in a checkout itself: make setup, then .venv/bin/snakemake"
    )
