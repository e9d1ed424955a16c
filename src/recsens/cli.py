"""The command line: run, plan, check, inspect, init, studies, copy, verify, export, plugins, evaluate, audit, and others."""

from __future__ import annotations

import gc
import json
import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from recsens import __version__
from recsens.errors import RecsensError
from recsens.workflow.command_group import CommandGroup, Cores, Level

_COLLECT_AFTER = 100_000
"""Number of new objects after which Python searches for unused cycles. With Python's default, 700, the search takes a
tenth of a short command's time."""

_CORES = Cores()


_BEGIN = """\b
A STUDY is the path of a file, or the name of a study that comes with recsens; 'quickstart' if you name none. Begin with
  recsens plan quickstart     what it compares, under which decisions, and the time and disk it needs
  recsens run quickstart      compute it; the report is results/report.html
Write your own study with 'recsens init', or change a copy of one: 'recsens studies' lists them.
"""


def _print(lines: Iterable[str], *, err: bool = False) -> None:
    for line in lines:
        click.echo(line, err=err)


def _choice(*names: str, of: list[str], meaning: str, default: str | None = None) -> Callable[[Any], Any]:
    """Declare an option that takes one of some words."""
    return click.option(*names, type=click.Choice(of), default=default, show_default=True, help=meaning)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_BEGIN)
@click.version_option(__version__, prog_name="recsens")
def main() -> None:
    """Run offline recommender experiments, and see which conclusions survive a different split, metric or other decision."""
    from recsens.workflow.caches import ensure_caches  # noqa: PLC0415 - a help text should not wait

    gc.set_threshold(_COLLECT_AFTER)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    # Hide remarks on each font that figures embed.
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    ensure_caches()


@main.command(short_help="Run a study, recomputing only what has changed.")
@click.argument("study", default="quickstart")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[-- SNAKEMAKE'S OPTIONS]")
@click.option("--cores", type=_CORES, default="all", show_default=True, help="Number of processors to use, or 'all'.")
@click.option(
    "--profile",
    default="default",
    show_default=True,
    help="Where and how jobs run: default, slurm, generic, kubernetes, or the path of a folder with your own profile.",
)
@click.option(
    "--dry-run",
    "-n",
    is_flag=True,
    help="Only print which jobs would run, and why; 'recsens plan' prints the design too.",
)
@click.option("--no-programs", is_flag=True, help="Refuse a study that runs other programs.")
def run(study: str, options: tuple[str, ...], cores: int | None, profile: str, dry_run: bool, no_programs: bool) -> None:
    """Run a STUDY, recomputing only what has changed. STUDY is the path of a file, or a name that 'recsens studies' lists.

    It computes every result that is missing, or for which data, decisions or code have changed. Missing data sets are downloaded.
    Snakemake's output goes to results/logs/run/STUDY.log. Stop with Ctrl-C and continue later: finished results are kept.

    Options after -- are passed to Snakemake: recsens run STUDY -- --set-threads fit=2
    """
    from recsens.workflow.prepare_run import bring_up_to_date, n_cores, plan_as_it_is, ready_plan  # noqa: PLC0415
    from recsens.workflow.run_preview import counts_of, preview_lines, remarks_on  # noqa: PLC0415

    if study.startswith("-"):
        study, options = "quickstart", (study, *options)
    _refuse_reserved(options)
    if dry_run and options:
        command = "snakemake --dry-run --config study={} --workflow-profile workflow/profiles/default --cores 1 {}"
        raise RecsensError(
            f"--dry-run ignores Snakemake's options, so '{' '.join(options)}' would have no effect",
            remedy=f"leave the options out, or run Snakemake itself: {command.format(study, ' '.join(options))}",
        )
    if no_programs:
        from recsens.workflow.programs import refuse_programs  # noqa: PLC0415

        refuse_programs(plan_as_it_is(study, profile))
    plan = plan_as_it_is(study, profile) if dry_run else ready_plan(study, profile)
    click.echo(f"{plan.study.title}: {counts_of(plan)}", err=True)
    _print((f"  note: {remark}" for remark in remarks_on(plan)), err=True)
    if dry_run:
        _print(preview_lines(plan, n_cores(cores)))
        return
    from recsens.workflow.results_in_words import results_in_words  # noqa: PLC0415 - a dry run draws nothing

    changed, page = bring_up_to_date(plan, profile=profile, cores=cores, more=options)
    _print(results_in_words(plan))
    state = "Done" if changed else "Nothing to do: every result is up to date"
    click.echo(f"{state}. Report: {page} (tables in {plan.folder})")


@main.command("plan", short_help="Show a study's design and jobs, and how long a run would take.")
@click.argument("study", default="quickstart")
@click.option("--cores", type=_CORES, default="all", show_default=True, help="Number of processors to estimate for, or 'all'.")
def show_plan(study: str, cores: int | None) -> None:
    """Show a STUDY's design, what varies, its data and jobs, and the time and disk space that a run would take.

    It runs, downloads and writes nothing. It also lists decisions and data that cannot be combined, as far as the study file shows
    them.
    """
    from recsens.workflow.plan import Plan  # noqa: PLC0415
    from recsens.workflow.plan_in_words import plan_lines  # noqa: PLC0415
    from recsens.workflow.prepare_run import check_folder, n_cores  # noqa: PLC0415

    check_folder()
    _print(plan_lines(Plan(study), n_cores(cores)))


@main.command(short_help="Show what would decide the comparisons that a study leaves open.")
@click.argument("study", default="quickstart")
@click.option("--probability", type=Level(), default=0.8, show_default=True, help="The probability of a decision to plan for.")
@click.option("--json", "as_json", is_flag=True, help="Print every way to decide, with its price in seconds, as JSON.")
def power(study: str, probability: float, as_json: bool) -> None:
    """Show what one more draw, fit, data set or a thousand users would bring to each comparison that a STUDY leaves open.

    It reads the results of a finished run and computes nothing anew. The prices are the times that the run took.
    """
    from recsens.workflow.power_in_words import planned_power  # noqa: PLC0415

    click.echo(planned_power(study, wanted=probability, as_json=as_json))


@main.command(short_help="Describe this installation, and check that it computes what it should.")
def doctor() -> None:
    """Print a page to paste into a report of a problem: versions, machine, settings, and whether known scores come out.

    Scores that differ by more than rounding end with the exit status 1.
    """
    from recsens.workflow.doctor import check_numbers, diagnosis  # noqa: PLC0415

    _print(diagnosis())
    found = []
    for spec, says, is_fault in check_numbers():
        click.echo(f"{spec}: {says}")
        found.append(is_fault)
    if any(found):
        raise SystemExit(1)


@main.command(short_help="Check a study file and list what it needs.")
@click.argument("study", default="quickstart")
def check(study: str) -> None:
    """Check a STUDY file and list what it needs. It runs no jobs, but imports the study's own plug-ins."""
    from recsens.workflow.plan import Plan  # noqa: PLC0415
    from recsens.workflow.run_preview import counts_of, remarks_on  # noqa: PLC0415

    plan = Plan(study)
    click.echo(f"{plan.path}: {plan.study.title}: {counts_of(plan)}")
    for label, source in plan.sources.items():
        click.echo(f"  {label}: {source.component.spec}")
        for file, digest in source.digested():
            click.echo(f"    {file} (sha256 {digest})")
        try:
            source.component.try_first_rows(source.files)
        except RecsensError as error:
            raise error.at(f"{plan.path}: datasets.{label}") from error
    _print(f"  note: {remark}" for remark in remarks_on(plan))


@main.command(short_help="Examine a file of ratings, and print the line that declares it in a study.")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
def inspect(files: Sequence[str]) -> None:
    """Examine a FILE of ratings or purchases (text or parquet), show its content, and print the line that declares it in a study.

    Several files are one data set. The separator, header, encoding, columns, scale and repeated rows are detected; nothing is
    written.
    """
    from recsens.data.inspection import Inspection  # noqa: PLC0415

    _print(Inspection.of(files if len(files) > 1 else files[0]).told())


@main.command(short_help="Write a first study file.")
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option("--to", "study", default="study.yaml", show_default=True, help="The study file to write.")
def init(files: Sequence[str], study: str) -> None:
    """Write a commented STUDY of thirty lines about your own FILE of ratings or purchases, or about simulated ratings.

    It compares baselines that are tuned alike, as far as five minutes allow on two processors (more, with more than 300,000 rows);
    add your own model to them. The file is examined as by 'recsens inspect'. If its content can mean two things, give the line that
    declares it instead, such as 'delimited(path=FILE,rating=null)'. An existing study is never overwritten.
    """
    from recsens.data.datasets import DataSet  # noqa: PLC0415
    from recsens.data.inspection import Inspection  # noqa: PLC0415
    from recsens.study.first_study import FirstStudy  # noqa: PLC0415

    if Path(study).exists():
        raise RecsensError("this file already exists", where=study, remedy="choose another name with --to, or remove the file")
    if not files:
        first = FirstStudy.of_simulated()
    elif "(" in files[0] and not Path(files[0]).exists():
        declared = DataSet.build(files[0])
        first = FirstStudy.of(declared, f"Data: {json.dumps(str(declared.spec), ensure_ascii=False)}")
    else:
        inspected = Inspection.of(files if len(files) > 1 else files[0])
        _print(inspected.held())
        inspected.refuse_doubts()
        first = FirstStudy(
            f"A first study of {Path(inspected.path).name}",
            inspected.line,
            has_ratings=inspected.scale is not None,
            has_times=inspected.roles["timestamp"] is not None,
            size=inspected.size,
            relevance=inspected.relevance,
            doubts=[doubt.said for doubt in inspected.doubts],
        )
    _print(first.panel.told())
    text = first.text
    Path(study).write_text(text, encoding="utf-8")
    click.echo(f"Wrote {study}. Next: recsens plan {study}, then recsens run {study}")


@main.command("studies", short_help="List the studies that come with recsens.")
def list_studies() -> None:
    """List the studies that come with recsens, with the data that each needs and how long it takes."""
    from recsens.workflow.shipped import study_lines  # noqa: PLC0415

    _print(study_lines())


@main.command("copy", short_help="Copy a study that comes with recsens.")
@click.argument("name")
@click.option("--to", type=click.Path(dir_okay=False), help="The file to write; by default NAME.yaml.")
def copy_study(name: str, to: str | None) -> None:
    """Copy the study NAME, one of those that come with recsens, into a file that you can change.

    An existing file is never overwritten.
    """
    from recsens.workflow.shipped import copy_shipped  # noqa: PLC0415

    path = Path(to or f"{name}.yaml")
    copy_shipped(name, path)
    click.echo(f"Wrote {path}. Next: recsens plan {path}, then recsens run {path}")


@main.command(short_help="Check results, and show what a run would do.")
@click.argument("study", required=False)
@click.option("--sweep", is_flag=True, help="Remove files left behind by killed jobs.")
@click.pass_context
def verify(context: click.Context, study: str | None, sweep: bool) -> None:
    """Check every result of a STUDY: which are sound, damaged, misplaced, stale or left over, and what a run would recompute.

    Without a STUDY, compare every file below results with its own statement. The exit code is 1 unless all files are sound.
    """
    from recsens.workflow import verify as verifying  # noqa: PLC0415
    from recsens.workflow.plan import Plan  # noqa: PLC0415
    from recsens.workflow.run_preview import other_run_lines  # noqa: PLC0415

    verified = verifying.verify_all() if study is None else verifying.verify_study(Plan(study))
    _print(verified.told())
    _print(other_run_lines())
    if study is not None:
        steps = ", ".join(f"{step} ({n:,})" for step, n in verified.anew.items())
        click.echo(f"A run would start these jobs: {steps}" if steps else "A run would do nothing")
    if sweep:
        click.echo(f"Removed {len(verifying.remove_debris()):,} leftover files")
    if not verified.is_sound:
        context.exit(1)


@main.command(short_help="Download the data sets of a study.")
@click.argument("study", default="quickstart")
def fetch(study: str) -> None:
    """Download the data sets of a STUDY from their publishers, except those already here."""
    from recsens.study import find_study, load_study  # noqa: PLC0415
    from recsens.workflow.prepare_run import fetch_data  # noqa: PLC0415

    fetch_data(load_study(find_study(study)))


@main.command(short_help="Send a study's results to a tracker of experiments.")
@click.argument("study", default="quickstart")
@click.option("--to", required=True, type=click.Choice(["mlflow", "wandb"]), help="The tracker; its library must be installed.")
def send(study: str, to: str) -> None:
    """Send a finished STUDY to MLflow or Weights & Biases: each system's values in the base design, the tables and the report.

    The tracker's own settings say where to, such as MLFLOW_TRACKING_URI or WANDB_MODE=offline. A second call adds new runs.
    """
    from recsens.workflow.send import send as sent  # noqa: PLC0415

    click.echo(sent(study, to))


@main.command(short_help="Write the splits of a study as CSV files.")
@click.argument("study", default="quickstart")
@click.option("--folder", type=click.Path(file_okay=False), default="exports", show_default=True, help="Folder to write to.")
@click.option("--no-test", is_flag=True, help="Leave out the test sets.")
@_choice(
    "--for",
    "what",
    of=["program"],
    meaning=(
        "program: write only the input of each program(...) of the study on its first fold, and a script that starts the program."
    ),
)
@click.option("--cores", type=_CORES, default="all", show_default=True, help="Number of processors to use, or 'all'.")
def export(study: str, folder: str, no_test: bool, what: str | None, cores: int | None) -> None:
    """Write the splits of a STUDY as CSV files, on which any program can train.

    With '--for program', write folders in which you can try the study's programs by hand; this starts no program.
    """
    from recsens.workflow import export as exporting  # noqa: PLC0415
    from recsens.workflow.plan import Plan  # noqa: PLC0415
    from recsens.workflow.prepare_run import options_for, ready_plan  # noqa: PLC0415
    from recsens.workflow.run import run_workflow  # noqa: PLC0415

    whole = ready_plan(study)
    if what == "program":
        from recsens.workflow.programs import write_folders  # noqa: PLC0415

        run_workflow(whole, options_for(cores=cores), target="data")
        for each in write_folders(whole, Path(folder) / "programs"):
            click.echo(f"{each.label}: try it with 'sh {each.script}'; it should write its scores next to that script")
        return
    with exporting.data_of(whole.study) as path:
        exported = Plan(str(path))
        # Run only the jobs up to the splits, and fit nothing.
        run_workflow(exported, options_for(cores=cores), target="data")
        written = exporting.export(exported, whole.name, folder, with_test=not no_test)
    for copy in written:
        click.echo(f"{copy}: see {copy / 'README.txt'}")
    click.echo(f'In the study, write: from_file(path="{exporting.template(exported)}"), and name the files after these folders')


@main.command("exporter", short_help="Write the script that exports trained models of other frameworks.")
@click.argument("folder", type=click.Path(file_okay=False), default=".")
def write_exporter(folder: str) -> None:
    """Write recsens_export.py into FOLDER, the working directory by default: one file that needs only NumPy.

    Import it in a script that uses RecBole, Cornac, LensKit, RecTools, implicit, RePlay, Surprise or PyTorch: it writes the trained
    model's scores and its split to files that recsens reads. An existing file of this name is never overwritten.
    """
    from recsens.workflow.shipped import copy_exporter  # noqa: PLC0415

    path = Path(folder) / "recsens_export.py"
    copy_exporter(path)
    click.echo(f"Wrote {path}. Its first lines show how to use it")


@main.command("keys", short_help="List the keys of a study file, and what each means.")
def list_keys() -> None:
    """List the keys of a study file and, below 'design', the decisions, each with its meaning.

    'recsens plugins' lists the values that name a component, such as a split or a recommender.
    """
    from recsens.study.key_list import described_keys  # noqa: PLC0415

    _print(described_keys())


@main.command("plugins", short_help="List the plug-ins with their parameters.")
@click.argument("kind", required=False)
def list_plugins(kind: str | None) -> None:
    """List the plug-ins of a KIND (recommender, metric, split, ...), or of all kinds, with their parameters."""
    from recsens import plugins  # noqa: PLC0415
    from recsens.errors import SpecError, nearest  # noqa: PLC0415

    if kind is not None and kind not in plugins.PACKAGES:
        raise SpecError(f"unknown kind '{kind}'{nearest(kind, plugins.PACKAGES)}", allowed=", ".join(plugins.PACKAGES))
    for kind_listed in [kind] if kind else plugins.PACKAGES:
        click.secho(kind_listed, bold=True)
        for name in plugins.names(kind_listed):
            plugin = plugins.load(kind_listed, name)
            missing = plugins.missing_extra(plugin)
            click.echo(f"  {name}: {(plugin.__doc__ or '').splitlines()[0]}")
            if missing is not None:
                click.echo(f"    needs {plugins.EXTRAS[missing][0]}, which is not installed: {plugins.EXTRAS[missing][2]}")
            click.echo(f"    {plugins.describe(plugin)}")


# Options that 'evaluate' and 'meta' share.
_SCALE = click.option(
    "--scale", type=float, nargs=2, default=None, help="Lowest and highest rating; by default, those of the judgements."
)
_VIEW = _choice("--view", of=["full", "condensed"], default="full", meaning="Rank all items, or only judged items.")
_RANK_BY = _choice(
    "--rank-by",
    of=["score", "rank", "rows"],
    meaning="Order of a run's items: highest score first, lowest rank first, or as in the file.",
)
_NO_RELEVANT = _choice(
    "--no-relevant",
    of=["zero", "skip"],
    meaning="Average users without relevant items, as zero under most metrics, or leave them out.",
)
_NO_LIST = _choice("--no-list", of=["zero", "skip"], meaning=("Count judged users without a list as zero, or leave them out."))


def _set(name: str, meaning: str) -> Callable[[Any], Any]:
    """Return an option that names the files of a set: None, one path, or a list of paths."""

    def plain(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str | list[str] | None:
        return list(given) if len(given) > 1 else next(iter(given), None)

    return click.option(name, multiple=True, callback=plain, help=f"{meaning} Repeat it for each of several files.")


_TRAIN = _set("--train", "The train set; its pairs are not ranked. Required for runs of weights between items.")
_LEAST_MATCHED = click.option(
    "--least-matched",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    help="Refuse a run if less than this share of its users, or of the judged users, occurs in the other file. Unless this is 0, "
    "also refuse a run that has no judged item because the two files spell items differently.",
)


@main.command(short_help="Evaluate runs of any program against judgements.")
@click.argument("files", nargs=-1, required=True, metavar="RUN... QRELS")
@click.option(
    "--metric", "-m", "metrics", multiple=True, help=("Metric such as nDCG@10; may be repeated. By default, a common set.")
)
@click.option(
    "--convention", default="recsens", show_default=True, help="Tool whose names and rules apply; 'recsens metrics -h' lists them."
)
@click.option(
    "--relevance", type=float, default=None, help=("Lowest relevant rating; by default, set by the scale or the convention.")
)
@_SCALE
@_VIEW
@_RANK_BY
@_choice(
    "--ties",
    of=["item", "number", "given", "pessimistic", "optimistic", "refuse"],
    meaning="Order of equal scores: by item name, descending; the same, but numbers by value; as in the file; worse items first; "
    "better items first; or an error.",
)
@_NO_RELEVANT
@_NO_LIST
@_TRAIN
@_LEAST_MATCHED
@_choice(
    "--short-list",
    of=["cutoff", "shown"],
    meaning="In P and F1, divide a short list's hits by the cut-off or by the list's length.",
)
@_set("--validation", "The validation set; its pairs are not ranked.")
@_choice(
    "--train-items",
    of=["none", "low", "all"],
    meaning="Which train and validation pairs are ranked: none, those rated too low to be relevant, or all.",
)
@_choice("--unknown", of=["keep", "drop"], meaning="Include users and items without a train rating, or leave them out.")
@click.option(
    "--test",
    default="t",
    show_default=True,
    help="Significance test of each further run against the first; 'recsens plugins test' lists them.",
)
@_choice("--format", "form", of=["text", "csv", "json", "latex"], default="text", meaning="Format of the output.")
@click.option(
    "--columns",
    multiple=True,
    help="Columns of files whose headers are unknown: by order (user,item,score) or by name (user=who,item=what,rating=stars).",
)
@click.option(
    "--fold",
    default=None,
    help=("Fold to measure in files with a fold column; 'each' measures every fold and prints the means too."),
)
@click.option("--per-user", is_flag=True, help="Print each user's values instead of the means.")
@click.option("--curve", default=None, help="Print the points of a curve as CSV instead: roc, groc or croc.")
def evaluate(files: tuple[str, ...], metrics: tuple[str, ...], **options: Any) -> None:
    """Evaluate one or more RUNs against QRELS, the ratings of the test set.

    Files are in TREC's formats, CSV or TSV with a header (user,item,score and user,item,rating), or parquet; text files may be
    gzipped. A run may also be a file of compact scores (.npz, .npy) or judged ranks: see docs/scores-format.md. Instead of a run,
    you can name the output folder of WarpRec, Elliot or recsens_export.py: it provides the runs and the test set. The convention
    sets every option that you do not give.
    """
    from recsens.runs.evaluation.commands import evaluation_of  # noqa: PLC0415

    click.echo(evaluation_of(files, metrics, **options))


@main.command("audit", short_help="Show which wins hold, look for leaks, or find the definition behind a printed number.")
@click.argument("folder", required=False)
@click.option("--leaks", is_flag=True, help="Instead, search for twelve kinds of leak, and show by how much each changes a metric.")
@click.option(
    "--printed",
    multiple=True,
    help="Instead, find the definitions that give a printed number, such as nDCG@10=0.4312 (or, with several runs, "
    "A:nDCG@10=0.4312), or the numbers in a CSV table; may be repeated.",
)
@click.option(
    "--trials", default=None, help="Instead, compare systems by effort of tuning, from a table with a row for each trial."
)
@_set("--train", "The train set; give it with --test and --run instead of a folder.")
@_set("--validation", "The validation set, if there is one.")
@_set("--test", "The test set.")
@click.option("--run", "runs", multiple=True, help="A run, as PATH or NAME=PATH; repeat --run for each run.")
@click.option("--to", default="audit", show_default=True, help="Folder to write to; replaces an earlier audit in it.")
@click.option("--metric", "-m", "metrics", multiple=True, help="Metric such as nDCG@5,10; the base design uses the first.")
@click.option("--base", multiple=True, help="An option of the base design, which is then not varied, such as users=with_ratings.")
@click.option("--vary", multiple=True, help="A further option to try, such as aggregate=median; may be repeated.")
@click.option("--relevance", type=float, default=None, help="Lowest relevant rating; by default, set by the scale.")
@_SCALE
@_choice("--rank-by", of=["score", "rank"], default="score", meaning="Order of a run's items.")
@click.option("--columns", multiple=True, help="Columns of files whose headers are unknown, as for 'evaluate'.")
@click.option(
    "--least-matched",
    type=click.FloatRange(0, 1),
    default=None,
    help="Refuse a run if a smaller share of it matches the test set; by default 0.8.",
)
@click.option(
    "--tipping",
    default="",
    help="Say what the items that nobody rated could do to each win, if others are relevant at rates such as 0.05,0.2.",
)
@click.option("--alpha", type=Level(), default=None, help="Significance level: by default 0.05, with --leaks 0.01.")
@click.option("--margin", default="0", show_default=True, help="The smallest difference that matters, such as 0.005 or 1%.")
@click.option(
    "--departures",
    type=int,
    default=3,
    show_default=True,
    help="In how many respects a definition may depart from the name as printed, 0 to 6.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all random draws.")
@click.option(
    "--page/--no-page", default=True, show_default=True, help=("Draw the figures and write the page, or write only tables.")
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option(
    "--require",
    multiple=True,
    help=("A condition such as 'A beats B in 90 %': exit with status 1 unless A wins in at least this share of the analyses."),
)
@click.pass_context
def audit(context: click.Context, /, **options: Any) -> None:
    """Show which wins hold under every decision that can be varied after ranking, and write the report.

    FOLDER contains the train set, the test set and the runs of two or more systems, in any form that 'evaluate' reads. Names say
    which file is which (train.csv, test.csv; all others are runs), and to which fold, seed or data set it belongs (fold0/, seed=3/,
    ml-100k/). No study is needed, nothing is fitted, and Snakemake is not started. You can name the files instead: --train, --test,
    --run A=...
    """
    from recsens.runs.audits.modes import run_mode  # noqa: PLC0415

    given = {name for name in options if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    text, is_met = run_mode(options, given)
    click.echo(text)
    if not is_met:
        context.exit(1)


@main.command("meta", short_help="Judge metrics with runs of any program.")
@click.argument("analysis")
@click.option(
    "--run",
    "runs",
    multiple=True,
    required=True,
    help="A run, as for 'evaluate'; repeat --run for each of two or more, or name a folder that holds them.",
)
@_set("--qrels", "The ratings of the test set; you can omit it for one folder that holds it too.")
@click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    default=("P@10", "R@10", "nDCG@10", "AP", "RR"),
    show_default=True,
    help="Metric such as nDCG@5,10; may be repeated.",
)
@click.option("--relevance", type=float, default=None, help="Lowest relevant rating; by default, set by the scale.")
@_SCALE
@_VIEW
@_RANK_BY
@_NO_RELEVANT
@_NO_LIST
@_TRAIN
@_LEAST_MATCHED
@click.option("--fold", default=None, help="Fold to analyse, if a folder or a column names several; 'each' analyses every fold.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all random draws.")
@click.option("--alpha", type=Level(), default=0.05, show_default=True, help="Significance level.")
@_choice(
    "--format", "form", of=["text", "csv"], default="text", meaning="Print one number per metric, best first, or every number."
)
def judge_metrics(analysis: str, runs: tuple[str, ...], qrels: str | None, metrics: tuple[str, ...], **options: Any) -> None:
    """Judge metrics with an ANALYSIS, such as 'sparsity(samples=20)', of two or more runs against the same judgements.

    'recsens plugins analysis' lists the analyses with their parameters. Files have the same formats as for 'evaluate'.
    """
    from recsens.runs.evaluation.meta_commands import analysis_of  # noqa: PLC0415

    click.echo(analysis_of(analysis, runs, qrels, metrics, **options))


@main.command("metrics", short_help="List our metrics, or those of another tool.")
@click.option("--convention", default=None, help="Tool: trec_eval, ranksys, lenskit, recbole, elliot, rectools, mllib, sklearn.")
def list_metrics(convention: str | None) -> None:
    """List recsens metrics with definition, range and source, or another tool's metrics with those of recsens that equal them."""
    from recsens.runs.evaluation.commands import list_of_metrics  # noqa: PLC0415

    click.echo(list_of_metrics(convention))


_RESERVED = {
    **dict.fromkeys(("-n", "--dry-run", "--dryrun"), "put --dry-run before '--': recsens run STUDY --dry-run"),
    **dict.fromkeys(("--config", "-C"), "name the study before '--', and write its decisions in its file"),
    **dict.fromkeys(
        ("--directory", "-d", "--snakefile", "-s"),
        "change into the folder or checkout where you want the results",
    ),
}
"""Option of Snakemake that a run sets itself -> advice on what to do instead."""


def _refuse_reserved(options: tuple[str, ...]) -> None:
    """Refuse options that a run sets itself, written as ``--name``, ``--name=value``, ``-n`` or ``-nvalue``."""
    for option in options:
        is_short = option[:1] == "-" != option[1:2]
        name = option[:2] if is_short else option.partition("=")[0]
        if name in _RESERVED:
            raise RecsensError(f"'{name}' cannot be passed to Snakemake, because a run sets it itself", remedy=_RESERVED[name])
