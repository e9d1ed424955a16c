// The data that the page receives, and how to find an analysis in it. A side is 1 for the first system of a pair, -1 for the second,
// and 0 for neither.

/** @typedef {{values: string[], codes: number[]}} Column */
/** @typedef {{code: string, key: string, name: string, options: string[], words: string[], base: number}} Decision */
/** @typedef {{key: string, lines: string[]}} DesignLine - the line of each option of a decision, or its only line */
/** @typedef {{heads: string[], design: DesignLine[], metrics: Record<string, string>, tail: string}} StudyFile */
/**
 * @typedef {object} Verdicts
 * @property {Column} dataset
 * @property {Column} first
 * @property {Column} second
 * @property {Column} metric
 * @property {number[]} design
 * @property {number[]} winner
 * @property {boolean[]} equivalent - whether the difference is surely within the margin
 * @property {number[]} ahead
 * @property {Column} size
 * @property {Column} low
 * @property {Column} high
 * @property {Column} p
 * @property {Column} family - p adjusted for all analyses of the pair; empty if the analysis does not enter
 * @property {Column} users
 * @property {(number | null)[]} effect
 * @property {(number | null)[]} effect_low
 * @property {(number | null)[]} effect_high
 * @property {number[]} original
 */
/** @typedef {{dataset: string, first: string, second: string, says: string[][]}} EffortOfPair */
/** @typedef {{trials: string[], metric: string, pairs: EffortOfPair[]}} Efforts */
/** @typedef {{dataset: string, first: string, second: string, metric: string, says: string}} UnratedOfPair */
/** @typedef {{first: string, second: string, metric: string, design: number, says: string}} OverDatasets */
/**
 * @typedef {object} Experiment
 * @property {Efforts} [efforts] - what searches of so many trials end in, if the study varies the effort
 * @property {UnratedOfPair[]} [unrated] - what unrated items could do to wins under the base design, if the study asks
 * @property {OverDatasets[]} [over] - what each analysis comes to over data sets, if the study combines them
 * @property {string} title
 * @property {boolean} is_grid
 * @property {{dataset: string, first: string, second: string}} start - the pair shown first
 * @property {string[]} untuned - systems that learn with every parameter at its default
 * @property {string} interval
 * @property {string} margin - the smallest difference that matters; empty if every difference does
 * @property {Decision[]} decisions
 * @property {number[][]} designs - the option of each design, decision by decision
 * @property {Record<string, Column>} folders
 * @property {Record<string, string>} steps
 * @property {Record<string, string>} names
 * @property {StudyFile} file
 * @property {Verdicts} verdicts
 */
/** @typedef {{any_system: string, below: string, experiments: Experiment[]}} Content */

/** A pair of systems. @typedef {{first: string, second: string}} Pair */

/** The text of a row. @type {(column: Column, row: number) => string} */
const textAt = (column, row) => column.values[column.codes[row]];

/** The analyses of one experiment, found by their choices. */
class Analyses {
  /** @param {Experiment} experiment */
  constructor(experiment) {
    this.experiment = experiment;
    this.datasets = experiment.verdicts.dataset.values;
    this.metrics = experiment.verdicts.metric.values;
    /** Number of designs; 1 if nothing varies. */
    this.nDesigns = experiment.decisions.length ? experiment.designs[0].length : 1;
    /** @type {Pair[]} */
    this.pairs = [];
    /** @type {Map<string, Int32Array>} */
    this.rows = new Map();
    /** @type {Map<string, number>} */
    this.designs = new Map();
    for (let design = 0; design < this.nDesigns; design++) this.designs.set(this.optionsOf(design).join(), design);
    this.noRows = new Int32Array(this.nDesigns).fill(-1);
    this.placeRows();
    const base = this.baseOptions;
    /** The number of decisions in which each design differs from the base design. */
    this.changes = Uint8Array.from({ length: this.nDesigns }, (_, design) => {
      return experiment.designs.filter((codes, decision) => codes[design] !== base[decision]).length;
    });
    this.siblings = this.siblingsByDecision();
    /** @type {Map<Int32Array, Int32Array>} */
    this.sorted = new Map();
  }

  placeRows() {
    const { dataset, first, second, metric, design } = this.experiment.verdicts;
    const seen = new Set();
    for (let row = 0; row < design.length; row++) {
      const pair = { first: textAt(first, row), second: textAt(second, row) };
      const name = pairName(pair);
      if (!seen.has(name)) this.pairs.push(pair);
      seen.add(name);
      const key = [dataset.codes[row], metric.codes[row], name].join();
      let rows = this.rows.get(key);
      if (!rows) this.rows.set(key, (rows = new Int32Array(this.nDesigns).fill(-1)));
      rows[design[row]] = row;
    }
  }

  /** The options of a design. @param {number} design */
  optionsOf(design) {
    return this.experiment.designs.map((codes) => codes[design]);
  }

  /** The design with these options; -1 if it was not run. @param {number[]} options */
  designOf(options) {
    return this.designs.get(options.join()) ?? -1;
  }

  /** The base design's options. */
  get baseOptions() {
    return this.experiment.decisions.map((decision) => decision.base);
  }

  /**
   * The row of each design, -1 where there is none.
   * @param {string} dataset
   * @param {string} metric
   * @param {Pair} pair
   * @returns {Int32Array}
   */
  rowsOf(dataset, metric, pair) {
    const key = [this.datasets.indexOf(dataset), this.metrics.indexOf(metric), pairName(pair)].join();
    return this.rows.get(key) ?? this.noRows;
  }

  /** For each decision, the group number of each design; the designs in a group differ only in this decision. */
  siblingsByDecision() {
    return this.experiment.decisions.map((_, decision) => {
      /** @type {Map<string, number>} */
      const numbers = new Map();
      return Int32Array.from({ length: this.nDesigns }, (__, design) => {
        const key = this.optionsOf(design).with(decision, 0).join();
        const number = numbers.get(key) ?? numbers.size;
        numbers.set(key, number);
        return number;
      });
    });
  }

  /**
   * The designs that were run, the smallest effect size first, those without one last.
   * @param {Int32Array} rowOf - the row of each design
   * @returns {Int32Array}
   */
  bySize(rowOf) {
    const known = this.sorted.get(rowOf);
    if (known) return known;
    const sizes = Float64Array.from(rowOf, (row) => this.experiment.verdicts.effect[row] ?? Infinity);
    const run = Int32Array.from(rowOf.keys()).filter((design) => rowOf[design] >= 0);
    const sorted = run.sort((a, b) => (sizes[a] === sizes[b] ? a - b : sizes[a] - sizes[b]));
    this.sorted.set(rowOf, sorted);
    return sorted;
  }
}

/** @param {Pair} pair */
function pairName(pair) {
  return `${pair.first} and ${pair.second}`;
}

/** Read the data in the page. @returns {Content} */
function readContent() {
  return JSON.parse(document.getElementById("explorer-data")?.textContent ?? "");
}
