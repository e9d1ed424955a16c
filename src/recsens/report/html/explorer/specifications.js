// The analyses that are left of one pair by one metric, once options were taken out; those with the same numbers count once.

/** @typedef {{n: number, wins: number, losses: number, median: number}} Tally - of distinct analyses; the median effect size is NaN without one */
/**
 * @typedef {object} Specifications
 * @property {number[]} rows - a row for each distinct analysis, the smallest effect first, those without one last
 * @property {number} nKnown - how many of them have an effect size
 * @property {number} nAnalyses - how many there are by name
 * @property {Int32Array} rankOf - the place of each design's analysis among the distinct ones; -1 where it is not among them
 * @property {Tally} all
 * @property {Tally[][]} byOption - by decision and option
 */

/**
 * Whether a design takes no option that was taken out.
 * @param {Experiment} experiment
 * @param {boolean[][]} out
 * @param {number} design
 */
function isLeft(experiment, out, design) {
  return experiment.designs.every((codes, decision) => !out[decision][codes[design]]);
}

/**
 * Sort the analyses that are left by effect size, and count verdicts.
 * @param {Analyses} analyses
 * @param {Int32Array} rowOf - the row of each design
 * @param {boolean[][]} out - the options taken out, by decision
 * @returns {Specifications}
 */
function specifications(analyses, rowOf, out) {
  const { experiment } = analyses;
  const { original, effect } = experiment.verdicts;
  /** @type {Map<number, number>} */
  const standsFor = new Map();
  let nAnalyses = 0;
  for (let design = 0; design < rowOf.length; design++) {
    if (rowOf[design] < 0 || !isLeft(experiment, out, design)) continue;
    nAnalyses++;
    const one = standsFor.get(original[rowOf[design]]);
    if (one === undefined || analyses.changesOf(design) < analyses.changesOf(one)) standsFor.set(original[rowOf[design]], design);
  }
  const sizes = [...standsFor.values()].map((design) => rowOf[design]);
  const size = (/** @type {number} */ row) => effect[row] ?? Infinity;
  const rows = sizes.sort((a, b) => (size(a) === size(b) ? a - b : size(a) - size(b)));
  const rankOfOriginal = new Map(rows.map((row, rank) => [original[row], rank]));
  const rankOf = rowOf.map((row, design) => (row < 0 || !isLeft(experiment, out, design) ? -1 : (rankOfOriginal.get(original[row]) ?? -1)));
  const all = tally(experiment, rows);
  return { rows, nKnown: rows.filter((row) => effect[row] !== null).length, nAnalyses, rankOf, all, byOption: byOption(experiment, rows, rankOf) };
}

/**
 * Count the distinct analyses that take each option, under one of their names at least.
 * @param {Experiment} experiment
 * @param {number[]} rows
 * @param {Int32Array} rankOf
 * @returns {Tally[][]}
 */
function byOption(experiment, rows, rankOf) {
  return takenBy(experiment, rows.length, rankOf).map((options) => options.map((taken) => tally(experiment, rows.filter((_, rank) => taken[rank]))));
}

/**
 * For each decision and option, whether each distinct analysis takes it.
 * @param {Experiment} experiment
 * @param {number} n
 * @param {Int32Array} rankOf
 * @returns {Uint8Array[][]}
 */
function takenBy(experiment, n, rankOf) {
  return experiment.decisions.map((decision, number) => {
    const taken = decision.options.map(() => new Uint8Array(n));
    const codes = experiment.designs[number];
    rankOf.forEach((rank, design) => {
      if (rank >= 0) taken[codes[design]][rank] = 1;
    });
    return taken;
  });
}

/**
 * Count the verdicts of analyses in the order of their effect sizes.
 * @param {Experiment} experiment
 * @param {number[]} rows
 * @returns {Tally}
 */
function tally(experiment, rows) {
  const { winner, effect } = experiment.verdicts;
  let wins = 0;
  let losses = 0;
  for (const row of rows) {
    if (winner[row] > 0) wins++;
    if (winner[row] < 0) losses++;
  }
  const known = rows.filter((row) => effect[row] !== null).map((row) => /** @type {number} */ (effect[row]));
  const middle = known.length >> 1;
  const median = !known.length ? NaN : known.length % 2 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
  return { n: rows.length, wins, losses, median };
}
