// How much each decision matters among the analyses that are left.

/**
 * @typedef {object} Importance
 * @property {number} changed - of the pairs of analyses that differ only in this decision, the share whose verdicts differ; NaN
 *   without a pair
 * @property {number} contradictions - share of the same pairs that name opposite winners
 * @property {number} variance - share of the variance of effect sizes that lies between the means of the options; NaN without any
 */

/**
 * Say how much each decision matters.
 * @param {Analyses} analyses
 * @param {Int32Array} rowOf - the row of each design
 * @param {Int32Array} rankOf - -1 for each design that is left out
 * @returns {Importance[]}
 */
function importance(analyses, rowOf, rankOf) {
  return analyses.siblings.map((groupOf, decision) => ({
    ...changes(analyses.experiment, groupOf, rowOf, rankOf),
    variance: varianceExplained(analyses.experiment, decision, rowOf, rankOf),
  }));
}

/**
 * Compare the verdicts of all pairs of analyses within groups.
 * @param {Experiment} experiment
 * @param {Int32Array} groupOf
 * @param {Int32Array} rowOf
 * @param {Int32Array} rankOf
 */
function changes(experiment, groupOf, rowOf, rankOf) {
  const counts = new Int32Array(3 * groupOf.length);
  const { winner } = experiment.verdicts;
  rankOf.forEach((rank, design) => {
    if (rank >= 0) counts[3 * groupOf[design] + 1 + winner[rowOf[design]]]++;
  });
  let pairs = 0;
  let different = 0;
  let opposite = 0;
  for (let at = 0; at < counts.length; at += 3) {
    const [losses, open, wins] = [counts[at], counts[at + 1], counts[at + 2]];
    const n = losses + open + wins;
    pairs += (n * (n - 1)) / 2;
    different += losses * open + losses * wins + open * wins;
    opposite += losses * wins;
  }
  return { changed: different / pairs, contradictions: opposite / pairs };
}

/**
 * The correlation ratio η²: the sum of squares between the options, of that of all effect sizes.
 * @param {Experiment} experiment
 * @param {number} decision
 * @param {Int32Array} rowOf
 * @param {Int32Array} rankOf
 */
function varianceExplained(experiment, decision, rowOf, rankOf) {
  const n = new Float64Array(experiment.decisions[decision].options.length);
  const sums = new Float64Array(n.length);
  const codes = experiment.designs[decision];
  /** @type {number[]} */
  const known = [];
  rankOf.forEach((rank, design) => {
    const effect = rank < 0 ? null : experiment.verdicts.effect[rowOf[design]];
    if (effect === null) return;
    known.push(effect);
    n[codes[design]]++;
    sums[codes[design]] += effect;
  });
  const mean = known.reduce((sum, effect) => sum + effect, 0) / known.length;
  const whole = known.reduce((sum, effect) => sum + (effect - mean) ** 2, 0);
  const between = n.reduce((sum, count, option) => sum + (count ? count * (sums[option] / count - mean) ** 2 : 0), 0);
  // Effect sizes are rounded, which leaves a small remainder if they are equal, or if one option has a single size.
  return whole > 1e-12 * known.length ? Math.round((1e6 * between) / whole) / 1e6 : NaN;
}
