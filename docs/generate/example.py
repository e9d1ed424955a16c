"""An example of every key of a study file."""

STUDY = {
    "title": 'title: "Neighbours against factors: does the winner depend on the split?"',
    "description": 'description: "Is the same recommender better if less of the data is used for training?"',
    "seed": "seed: 1",
    "plugins": "plugins: []",
    "datasets": """\
datasets:
  Simulated: simulated
  Mine: delimited(path="data/mine/ratings.csv",separator=",",header=true)""",
    "systems": """\
systems:
  Popularity: popularity
  kNN: user_knn(k=50)
  MF: hkv(factors=20)""",
    "baselines": "baselines: null",
    "says": """\
says:
  MF: a product of 20 factors per user and item""",
    "chosen": """\
chosen:
  MF: by us, by trial and error on other data""",
    "vary": """\
vary:
  split: [random(ratio=0.2), random(ratio=0.5)]
  view: [condensed]""",
    "effort": "effort: []",
    "over_datasets": "over_datasets: null",
    "tipping": "tipping: []",
    "groups": "groups: []",
    "combine": "combine: one_at_a_time",
    "metrics": "metrics: [P@10, 'nDCG(gain=exp)@5,10']",
    "compare": "compare: [[kNN, MF], [Popularity, kNN], [Popularity, MF]]",
    "experiments": """\
experiments:
  Few ratings:
    dataset: Mine
    description: Which number of neighbours is best where most items have no score?
    design: {filter: sample(ratings=0.5), view: condensed}
    systems: {kNN-1: user_knn(k=1), kNN-100: user_knn(k=100)}
    vary:
      nc: [append(by=popularity)]""",
    "shards": "shards: null",
    "strict": "strict: false",
    "alpha": "alpha: 0.05",
    "margin": "margin: 1%",
    "figures": """\
figures:
  ratio: lines(x=split.ratio,y=P@10)
  neighbours:
    draw: lines(x=nc,y=P@10)
    title: Items without a score
    caption: With one neighbour, most items have no score; with a hundred, few items have none.
    experiment: Few ratings""",
    "latex_width": "latex_width: 506",
    "meta": """\
meta:
  sparsity: sparsity(samples=20)
  discrimination:
    analysis: discrimination(test=t)
    metrics: ["P@5,10,20"]
    experiment: Few ratings""",
    "claims": """\
claims:
  - {claim: "wins(a=MF,b=kNN,metric=P@10)", source: "Table 1", dataset: Mine, says: Factors are more precise.}
  - claim: crosses(a=kNN,b=MF,over=split.ratio,between=[0.3,0.6])
    source: Figure 2
    dataset: Simulated
    under: {}
  - {claim: "exceeds(a=kNN-100,b=kNN-1)", source: "Section 3", experiment: Few ratings}""",
    "reference": """\
reference:
  under: {split: random(ratio=0.5)}
  metric: P@10""",
    "published": """\
published:
  - {dataset: Mine, system: kNN, metric: P@10, value: 0.231, source: "Table 1, second row"}""",
    "published_comparisons": """\
published_comparisons:
  - {dataset: Mine, system_a: kNN, system_b: MF, metric: P@10, p_value: 0.04, source: "Table 1, second row"}""",
}
"""Key of a study -> YAML; that of ``design`` is `DESIGN`."""

DESIGN = {
    "filter": "filter: none",
    "split": "split: random(ratio=0.8)",
    "repeats": "repeats: 3",
    "fits": "fits: 2",
    "targets": "targets: ar",
    "nc": "nc: drop",
    "ties": "ties: random",
    "relevance": "relevance: 4",
    "users": "users: with_ratings(train=1)",
    "view": "view: full",
    "aggregate": "aggregate: mean",
    "coverage": "coverage: full",
    "test": "test: t",
    "correction": "correction: none",
}
"""Decision -> YAML."""
