// The analyses of one pair by one metric that remain after options are removed; those with the same numbers count once.

/**
 * Counts of distinct analyses, and their median effect size, NaN where none has one.
 * @typedef {{n: number, wins: number, losses: number, median: number}} Tally
 */
/**
 * @typedef {object} Specifications
 * @property {number[]} rows - a row for each distinct analysis, the smallest effect first, those without one last
 * @property {number} nSized - how many of them have an effect size
 * @property {number} nAnalyses - how many there are by name
 * @property {Int32Array} rankOf - the place of each design's analysis among the distinct ones; -1 where it is not among them
 * @property {Uint8Array[][]} taken - by decision and option: whether each distinct analysis takes it, by any of its names
 * @property {Tally} all
 * @property {Tally[][]} byOption - by decision and option
 */

/**
 * Sort the analyses that are left by effect size, and count verdicts.
 * @param {Analyses} analyses
 * @param {Int32Array} rowOf - the row of each design
 * @param {boolean[][]} out - the options removed, by decision
 * @returns {Specifications}
 */
function specifications(analyses, rowOf, out) {
  const { original, effect } = analyses.experiment.verdicts;
  const isLeft = left(analyses.experiment, rowOf, out);
  const rankOf = new Int32Array(rowOf.length).fill(-1);
  /** @type {Map<number, number>} */
  const rankOfOriginal = new Map();
  /** @type {number[]} */
  const designs = [];
  let nAnalyses = 0;
  for (const design of analyses.bySize(rowOf)) {
    if (!isLeft[design]) continue;
    nAnalyses++;
    const rank = rankOfOriginal.get(original[rowOf[design]]) ?? designs.length;
    rankOfOriginal.set(original[rowOf[design]], rank);
    rankOf[design] = rank;
    // The analysis with the fewest changes represents all with the same numbers.
    if (rank === designs.length || analyses.changes[design] < analyses.changes[designs[rank]]) designs[rank] = design;
  }
  const rows = designs.map((design) => rowOf[design]);
  const nSized = rows.length - rows.filter((row) => effect[row] === null).length;
  const taken = takenBy(analyses.experiment, rows.length, rankOf);
  const count = (/** @type {Uint8Array} */ which) => tally(analyses.experiment, rows, nSized, which);
  const all = count(new Uint8Array(rows.length).fill(1));
  return { rows, nSized, nAnalyses, rankOf, taken, all, byOption: taken.map((options) => options.map(count)) };
}

/**
 * Whether each design was run and uses no removed option.
 * @type {(experiment: Experiment, rowOf: Int32Array, out: boolean[][]) => Uint8Array}
 */
function left(experiment, rowOf, out) {
  const isLeft = Uint8Array.from(rowOf, (row) => (row < 0 ? 0 : 1));
  experiment.designs.forEach((codes, decision) => {
    if (!out[decision].includes(true)) return;
    for (let design = 0; design < isLeft.length; design++) if (out[decision][codes[design]]) isLeft[design] = 0;
  });
  return isLeft;
}

/** @type {(experiment: Experiment, n: number, rankOf: Int32Array) => Uint8Array[][]} */
function takenBy(experiment, n, rankOf) {
  return experiment.decisions.map((decision, number) => {
    const taken = decision.options.map(() => new Uint8Array(n));
    const codes = experiment.designs[number];
    for (let design = 0; design < rankOf.length; design++) if (rankOf[design] >= 0) taken[codes[design]][rankOf[design]] = 1;
    return taken;
  });
}

/**
 * Count the verdicts of some of the distinct analyses.
 * @param {Experiment} experiment
 * @param {number[]} rows
 * @param {number} nSized
 * @param {Uint8Array} which
 * @returns {Tally}
 */
function tally({ verdicts }, rows, nSized, which) {
  const counts = [0, 0, 0];
  /** @type {number[]} */
  const known = [];
  for (let rank = 0; rank < rows.length; rank++) {
    if (!which[rank]) continue;
    counts[1 + verdicts.winner[rows[rank]]]++;
    if (rank < nSized) known.push(rank);
  }
  const size = (/** @type {number} */ at) => verdicts.effect[rows[known[at]]] ?? NaN;
  // The ranks are in the order of effect sizes.
  const median = (size((known.length - 1) >> 1) + size(known.length >> 1)) / 2;
  return { n: counts[0] + counts[1] + counts[2], wins: counts[2], losses: counts[0], median };
}
