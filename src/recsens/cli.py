"""The command line: the library's front for people without Snakemake."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recsens import __version__
from recsens.errors import RecsensError

if TYPE_CHECKING:
    from recsens.plan import Plan


MAX_VERDICTS = 12
"""Verdicts, and contradictions, that a run ends with on a terminal; the report has all."""


class _Group(click.Group):
    """Commands whose refusals are messages, not tracebacks, and whose misspelt names are answered with the nearest."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except RecsensError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="recsens")
def main() -> None:
    """Offline recommender experiments whose every decision is explicit, and whose conclusions are tested against each."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)


@main.command(short_help="Bring the results of a study up to date.")
@click.argument("study", default="quickstart")
@click.option("--cores", type=click.IntRange(min=1), default=None, help="Processors to use; all of them by default.")
@click.option(
    "--profile",
    type=click.Path(file_okay=False),
    default="workflow/profiles/default",
    show_default=True,
    help="Snakemake profile: where and how jobs run.",
)
@click.option("--dry-run", "-n", is_flag=True, help="Only print what would be done.")
def run(study: str, cores: int | None, profile: str, dry_run: bool) -> None:
    """Bring the results of a STUDY up to date: the name of a file in config/studies, or a path to one."""
    from recsens.ignored import remarks  # noqa: PLC0415 - a help text should not wait for numpy
    from recsens.plan import Plan  # noqa: PLC0415
    from recsens.running import run_workflow, show_latest  # noqa: PLC0415

    _need_checkout()
    if not Path(profile).is_dir():
        raise RecsensError(
            f"no profile '{profile}'", allowed="a folder that holds a config.yaml, such as workflow/profiles/default"
        )
    plan = Plan(study)
    plan.refuse_conflicts()
    _fetch(study)
    click.echo(f"{plan.study.title}: {_count(plan)}", err=True)
    for remark in remarks(plan.study):
        click.echo(f"  note: {remark}", err=True)
    options = ["--workflow-profile", profile, "--cores", str(cores or os.cpu_count() or 1)]
    changed = run_workflow(str(plan.path), options=options, dry_run=dry_run)
    if dry_run:
        return
    report, latest = Path(plan.folder) / "report.html", Path("results/report.html")
    show_latest(report, latest)
    for line in _verdicts(plan):
        click.echo(line)
    state = "Done" if changed else "Nothing to do: every result is up to date"
    click.echo(f"{state}. Report: {latest} (tables in {report.parent})")


@main.command(short_help="Check a study file and say what it needs.")
@click.argument("study", default="quickstart")
def check(study: str) -> None:
    """Check a STUDY file, and say what it needs. No job is run; the plug-ins of its own that it names are imported."""
    from recsens.ignored import remarks  # noqa: PLC0415
    from recsens.plan import Plan  # noqa: PLC0415

    plan = Plan(study)
    click.echo(f"{plan.path}: {plan.study.title}: {_count(plan)}")
    for label, source in plan.sources.items():
        click.echo(f"  {label}: {source.component.spec}")
        for file, digest in zip(source.files, source.digests, strict=True):
            click.echo(f"    {file} (sha256 {digest})")
    for remark in remarks(plan.study):
        click.echo(f"  note: {remark}")


@main.command(short_help="Download the data sets of a study.")
@click.argument("study", default="quickstart")
def fetch(study: str) -> None:
    """Download the data sets of a STUDY that are not here yet, from their publishers."""
    _fetch(study)


@main.command(short_help="Write the splits of a study as CSV files.")
@click.argument("study", default="quickstart")
@click.option("--folder", type=click.Path(file_okay=False), default="exports", show_default=True, help="Where to write.")
@click.option("--no-test", is_flag=True, help="Leave the test sets out.")
@click.option("--cores", type=click.IntRange(min=1), default=None, help="Processors to use; all of them by default.")
def export(study: str, folder: str, no_test: bool, cores: int | None) -> None:
    """Write the splits of a STUDY as CSV files, for a recommender of any other program."""
    from recsens import exporting  # noqa: PLC0415
    from recsens.plan import Plan  # noqa: PLC0415
    from recsens.running import run_workflow  # noqa: PLC0415

    _need_checkout()
    whole = Plan(study)
    whole.refuse_conflicts()
    _fetch(study)
    with exporting.data_of(whole.study) as path:
        options = ["--workflow-profile", "workflow/profiles/default", "--cores", str(cores or os.cpu_count() or 1)]
        # Up to the splits: nothing is fitted.
        run_workflow(str(path), options=options, dry_run=False, stages=["data"])
        exported = Plan(str(path))
        written = exporting.export(exported, whole.name, folder, with_test=not no_test)
    for place in written:
        click.echo(f"{place}: see {place / 'README.txt'}")
    click.echo(f'In the study: from_file(path="{exporting.template(exported)}"), with files that bear the names of these folders')


@main.command("plugins", short_help="List the plug-ins with their parameters.")
@click.argument("kind", required=False)
def list_plugins(kind: str | None) -> None:
    """List the plug-ins of a KIND (recommender, metric, split, ...), or of all kinds, with their parameters."""
    from recsens import plugins  # noqa: PLC0415
    from recsens.errors import SpecError, nearest  # noqa: PLC0415

    if kind is not None and kind not in plugins.PACKAGES:
        raise SpecError(f"unknown kind '{kind}'{nearest(kind, plugins.PACKAGES)}", allowed=", ".join(plugins.PACKAGES))
    for each in [kind] if kind else plugins.PACKAGES:
        click.secho(each, bold=True)
        for name in plugins.names(each):
            found = plugins.load(each, name)
            click.echo(f"  {name}: {(found.__doc__ or '').splitlines()[0]}")
            click.echo(f"    {plugins.describe(found)}")


@main.command(short_help="Evaluate runs of any program against judgements.")
@click.argument("files", nargs=-1, required=True, metavar="RUN... QRELS")
@click.option("--metric", "-m", "metrics", multiple=True, help="Such as nDCG@10; may be repeated. The usual ones by default.")
@click.option("--convention", default="recsens", show_default=True, help="Whose names and answers hold: recsens metrics -h.")
@click.option("--relevance", type=float, default=None, help="Rating from which on an item is relevant; by the scale unless said.")
@click.option("--scale", type=float, nargs=2, default=None, help="Lowest and highest rating; from the judgements unless said.")
@click.option(
    "--view", type=click.Choice(["full", "condensed"]), default="full", show_default=True, help="Condensed: judged items only."
)
@click.option(
    "--rank-by",
    type=click.Choice(["score", "rank", "rows"]),
    default=None,
    help="What orders the items of a run: highest score, lowest rank where scores say nothing, or the rows as they stand.",
)
@click.option(
    "--ties",
    type=click.Choice(["item", "given", "pessimistic", "optimistic", "refuse"]),
    default=None,
    help="Order of equal scores: by item name descending, as the rows stand, worse or better items first, or an error.",
)
@click.option("--no-relevant", type=click.Choice(["zero", "skip"]), default=None, help="Users without relevant items.")
@click.option("--no-list", type=click.Choice(["zero", "skip"]), default=None, help="Judged users without a list.")
@click.option("--short-list", type=click.Choice(["cutoff", "shown"]), default=None, help="What P and F1 of short lists divide by.")
@click.option("--test", default="t", show_default=True, help="Significance test of each further run against the first.")
@click.option("--format", "form", type=click.Choice(["text", "csv", "json", "latex"]), default="text", show_default=True)
@click.option("--per-user", is_flag=True, help="The values of each user instead of the means.")
@click.option("--curve", default=None, help="The points of a curve instead, as CSV: roc, groc, croc.")
def evaluate(files: tuple[str, ...], metrics: tuple[str, ...], **options: Any) -> None:
    """Evaluate one or more RUNs against QRELS, the ratings of the test set.

    Files are in TREC's forms, CSV or TSV with a header (user,item,score and user,item,rating), or parquet; text may be gzipped.
    Options without a value are as the convention has them.
    """
    from recsens.evaluation._command import evaluation_of  # noqa: PLC0415

    click.echo(evaluation_of(files, metrics, **options))


@main.command("metrics", short_help="List the metrics, or those of another tool.")
@click.option("--convention", default=None, help="A tool: trec_eval, ranksys, lenskit, recbole, elliot, rectools, mllib, sklearn.")
def list_metrics(convention: str | None) -> None:
    """List the metrics with definition, range and source, or what another tool calls its own."""
    from recsens.evaluation._command import list_of_metrics  # noqa: PLC0415

    click.echo(list_of_metrics(convention))


def _need_checkout() -> None:
    if not Path("Snakefile").is_file():
        raise RecsensError(
            "no workflow here",
            where=str(Path.cwd()),
            remedy="change into a checkout of recsens: the folder that holds Snakefile, workflow and config",
        )
    if set("{}") & set(str(Path.cwd())):
        raise RecsensError(
            "the path of this folder holds a brace, by which Snakemake marks patterns: it would see locks of other folders",
            where=str(Path.cwd()),
            remedy="rename the folder, or move the checkout",
        )


def _fetch(study: str) -> None:
    from recsens import plugins  # noqa: PLC0415
    from recsens.config import find_study, load_study  # noqa: PLC0415
    from recsens.datasets import _fetch as fetching  # noqa: PLC0415

    for spec in load_study(find_study(study)).datasets.values():
        component = plugins.build("dataset", spec)
        if fetching.locate(component) is None:
            fetching.fetch(component)


def _verdicts(plan: Plan) -> Iterator[str]:
    """Say what the study says, as its report does."""
    from recsens.studies.alerts import alerts  # noqa: PLC0415
    from recsens.studies.claims import contradictions, headline  # noqa: PLC0415
    from recsens.studies.counted import base_counts  # noqa: PLC0415
    from recsens.studies.judging import judge  # noqa: PLC0415
    from recsens.studies.naming import calibrated  # noqa: PLC0415
    from recsens.studies.results import read_comparisons, read_counted, read_summary, rows_of  # noqa: PLC0415
    from recsens.studies.verdicts import base_sentence, base_verdicts  # noqa: PLC0415

    folder = Path(plan.folder)
    summary, comparisons = read_summary(str(folder / "summary.csv")), read_comparisons(str(folder / "comparisons.csv"))
    counted = read_counted(str(folder / "counted.csv"))
    judgements = [judge(part, summary, comparisons) for part in plan.study.parts()]
    yield headline(judgements)
    for found in contradictions(judgements)[:MAX_VERDICTS]:
        yield f"  {found.base}"
        yield from (f"    - {sentence}" for sentence in found.against)
    sentences = [
        base_sentence(part, verdict)
        for part in plan.study.parts()
        for verdict in base_verdicts(part, rows_of(part, summary), rows_of(part, comparisons))
    ]
    yield from (f"  {sentence}" for sentence in sentences[:MAX_VERDICTS])
    if len(sentences) > MAX_VERDICTS:
        yield f"  and {len(sentences) - MAX_VERDICTS} more, in the report"
    if flattered := calibrated(plan.study):
        yield flattered
    yield "Who is averaged:"
    told = [sentence for part in plan.study.parts() for sentence in base_counts(part, counted)]
    yield from (f"  {sentence}" for sentence in told[:MAX_VERDICTS])
    if len(told) > MAX_VERDICTS:
        yield f"  and {len(told) - MAX_VERDICTS} more, in the report"
    if warned := alerts(plan.study, summary, comparisons, counted):
        yield "ATTENTION"
        yield from (f"  {sentence}" for sentence in warned)


def _count(plan: Plan) -> str:
    n_designs = sum(map(len, plan.designs.values()))
    systems = {str(spec) for part in plan.study.parts() for spec in part.systems.values()}
    counts = [
        (len(plan.sources), "data set"),
        *([(len(plan.study.experiments), "further experiment")] if plan.study.experiments else []),
        (len(systems), "system"),
        (n_designs, "design"),
        (len(plan.splits), "fold"),
        *([(len(plan.tunings), "tuning")] if plan.tunings else []),
        (len(plan.rankings), "ranking"),
    ]
    return ", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in counts)
