"""Fit the 21 systems of Valcarce et al. (2018) and rank with them: seconds and peak memory of each, in a separate process.

    RECSENS_DATA=... python benchmarks/zoo_ml_1m.py [SPEC ...]

In MovieLens 1M, 80 % of each user's ratings are train; from the rest come judged positions and lists of 100. Fitting uses two
threads and ranking one. Systems run one after another here, whereas jobs of a study run in parallel. Compile the kernels before (as
`make setup` does), or compilation counts. Bounds: 15 minutes in all, 3 minutes and 3 GiB each.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

import yaml

from command_line import each_alone, parser

STUDY = Path(__file__).parents[1] / "config" / "studies" / "valcarce2018-calibration.yaml"
MINUTES, SECONDS, GIBIBYTES = 15, 180, 3


def main(command: Sequence[str] | None = None) -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    accepted.add_argument("specs", nargs="*")
    arguments = accepted.parse_args(command)
    if arguments.alone:
        for spec in arguments.specs:
            print(json.dumps(measure(spec, tiny=arguments.tiny)))
        return
    print(f"{'fit, s':>8} {'rank, s':>8} {'GiB':>5}  recommender")
    total = 0.0
    specs = arguments.specs or list(yaml.safe_load(STUDY.read_text(encoding="utf-8"))["systems"].values())
    size = ["--tiny"] if arguments.tiny else []
    for spec, found in each_alone([__file__, "--alone", *size], specs, tiny=arguments.tiny):
        seconds, gib = found["fit"] + found["rank"], found["peak_mib"] / 1024
        total += seconds
        late = " over the bound" * (seconds > SECONDS or gib > GIBIBYTES)
        print(f"{found['fit']:8.1f} {found['rank']:8.1f} {gib:5.2f}  {spec}{late}", flush=True)
    print(f"{total / 60:.1f} minutes in all (at most {MINUTES})")


def measure(spec: str, *, tiny: bool) -> dict[str, float]:
    """Fit and rank with one system, as the steps do."""
    from recsens.workflow.job import ONE_BLAS_THREAD

    os.environ.update(ONE_BLAS_THREAD)
    from halves_of_ml_1m import board, movielens
    from recsens import plugins
    from recsens.artefacts.costs import Costs, peak_mib
    from recsens.artefacts.folds import sides
    from recsens.ranking import rank
    from recsens.seeds import Stream
    from recsens.vocabulary import LIST_DEPTH

    stream = Stream.of(1, "benchmark")
    data = board() if tiny else movielens()
    split = plugins.build("split", "per_user(of=random(ratio=0.8,count=exact))")
    train, test = sides(data, split.roles(data, 0, stream))
    costs = Costs()
    with costs.of("fit"):
        model = plugins.build("recommender", spec).fit(train, stream.generator())
    with costs.of("rank"):
        rank(
            model,
            train,
            test,
            targets=plugins.build("targets", "ar"),
            relevance=4,
            ties="random",
            nc=plugins.build("nc", "drop"),
            fallback=None,
            list_depth=LIST_DEPTH,
            tie_stream=stream,
            target_stream=stream,
        )
    return {**costs.seconds, "peak_mib": peak_mib()}


if __name__ == "__main__":
    main()
