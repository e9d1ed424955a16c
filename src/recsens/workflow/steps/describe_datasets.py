"""Describe the data sets of a study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions, read_record
from recsens.data.datasets import Description, correlation
from recsens.data.datasets import describe as describe_interactions
from recsens.data.interactions import Interactions
from recsens.pipeline.table_files import write_rows
from recsens.plugins.specs import format_number

Links: TypeAlias = Sequence[tuple[str, str]]
"""The filters of a chain, each as the study writes it and in full."""

_MOST_SHARES = 100
"""If there are more distinct ratings than this, the share of each is not listed."""


def describe_datasets(
    *,
    data: Sequence[InteractionFiles],
    labels: Sequence[str],
    relevances: Sequence[float | None],
    datasets: str,
    filtered: Sequence[str] = (),
    chains: Mapping[str, Links],
) -> None:
    """Write the table of data sets, one row per statistic.

    Parameters
    ----------
    data, labels, relevances
        The data sets after the base designs' filters, the labels of data sets and experiments, and the relevance thresholds of the
        base designs (None for the default of the data set's scale).
    datasets
        The CSV file to write.
    filtered
        Records of filtered data sets, with the sizes after each filter.
    chains
        The filters of each chain, by the name of its folder.
    """
    rows = []
    for label, files, relevance in zip(labels, data, relevances, strict=True):
        record = read_record(files.dataset)
        interactions = read_interactions(files)
        common = {"dataset": label, "spec": record["spec"], "digest": " ".join(record["sha256"])}
        figures = {
            **_statistics_by_name(describe_interactions(interactions)),
            **_relevance_facts(interactions, relevance),
            **record["notes"],
        }
        rows += [{**common, "metric": name, "value": value} for name, value in figures.items()]
    owners = {_unfiltered_address(files.dataset): label for label, files in reversed(list(zip(labels, data, strict=True)))}
    for path in filtered:
        chain = chains[Address.parse(path).step("filter")]
        rows += _filter_effects(owners[_unfiltered_address(path)], read_record(path), chain)
    write_rows(datasets, "datasets", rows)


def _unfiltered_address(record: str) -> Address:
    """Return the path of the data set before filtering."""
    return Address.parse(record).up_to("dataset")


def _relevance_facts(data: Interactions, relevance: float | None) -> dict[str, float | None]:
    """Return the lowest relevant rating, and how numbers of ratings and of relevant ratings correlate, over users and items."""
    if data.rating is None:
        return {"relevance": None}
    threshold = data.scale.threshold(relevance)
    relevant = data.take(data.rating >= threshold)
    users, items = data.user_counts > 0, data.item_counts > 0
    return {
        "relevance": threshold,
        "correlation_with_relevant_per_user": correlation(data.user_counts[users], relevant.user_counts[users]),
        "correlation_with_relevant_per_item": correlation(data.item_counts[items], relevant.item_counts[items]),
    }


def _filter_effects(label: str, record: Mapping[str, Any], links: Links) -> Iterator[dict[str, Any]]:
    """Yield a data set's sizes before filtering (step 0), and after each filter other than ``none``."""
    effects = [(effect, link) for effect, link in zip(record["filters"], links, strict=True) if effect["filter"] != "none"]
    if not effects:
        return
    states = [(effects[0][0]["before"], (None, None)), *((effect["after"], link) for effect, link in effects)]
    chain, chain_full = ("+".join(link[form] for _, link in effects) for form in (0, 1))
    for step, (sizes, (written, full)) in enumerate(states):
        of = {"chain": chain, "chain_full": chain_full, "step": str(step), "filter": written, "filter_full": full}
        for name, value in sizes.items():
            yield {"dataset": label, "metric": name, "value": value, "spec": record["spec"], **of}


def _statistics_by_name(description: Description) -> dict[str, float | None]:
    """Return every statistic in a description, by name."""
    figures: dict[str, float | None] = {
        name: getattr(description, name) for name in ("users", "items", "ratings", "density", "gini", "mean_rating")
    }
    for name, spread in (("ratings_per_user", description.per_user), ("ratings_per_item", description.per_item)):
        figures |= {f"{name}_{figure}": value for figure, value in asdict(spread).items()}
    if len(description.histogram) > _MOST_SHARES:
        figures["distinct_ratings"] = len(description.histogram)
    else:
        figures |= {
            f"share_of_rating_{format_number(rating)}": count / description.ratings for rating, count in description.histogram
        }
    return figures | {"first_time": description.first_time, "last_time": description.last_time}
