// Analyses drawn by their effect sizes.

/** Height of the strip of verdicts. */
const STRIP = 14;

/** With more analyses than this, neighbours share a mark. */
const MANY = 300;

/**
 * About four round numbers on an axis, and how they are printed.
 * @type {(low: number, high: number) => {at: number, text: string}[]}
 */
function ticks(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, number) => {
    const at = (first + number) * step;
    return { at, text: effectSize(at, decimals) };
  });
}

/** The positions of effects in a drawing. */
class Scale {
  /**
   * @param {number[]} effects
   * @param {{top: number, bottom: number}} frame
   */
  constructor(effects, { top, bottom }) {
    let low = 0;
    let high = 0;
    for (const effect of effects) {
      low = Math.min(low, effect);
      high = Math.max(high, effect);
    }
    // If all effects are zero, draw an axis of some length anyway.
    if (low === high) [low, high] = [-1, 1];
    this.low = low;
    this.high = high;
    /** @type {(effect: number) => number} */
    this.y = (effect) => bottom - ((effect - low) / (high - low)) * (bottom - top);
  }
}

/**
 * The outline of a mark: a triangle for either system, a ring for neither.
 * @type {(side: number, x: number, y: number, r: number) => string}
 */
function outline(side, x, y, r) {
  if (!side) return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  return `M${x - r} ${y + side * r}h${2 * r}l${-r} ${-2 * side * r}z`;
}

const SIDES = /** @type {const} */ ([
  [0, "open"],
  [1, "first"],
  [-1, "second"],
]);

/**
 * Draw analyses by effect size: a mark each, or a line above a strip with the share of each verdict.
 * @param {Experiment} experiment
 * @param {number[]} rows - the smallest effect first
 * @param {Scale} scale
 * @param {{left: number, width: number, strip: number}} frame
 * @returns {SVGElement[]}
 */
function drawEffects(experiment, rows, scale, { left, width, strip }) {
  const { winner, effect } = experiment.verdicts;
  const step = width / rows.length;
  const at = (/** @type {number} */ rank) => left + (rank + 0.5) * step;
  const y = (/** @type {number} */ row) => scale.y(effect[row] ?? NaN);
  if (rows.length > MANY)
    return [...drawBand(experiment, rows, scale, { left, width }), ...drawStrip(experiment, rows, { left, width, strip })];
  const r = Math.max(2, Math.min(4.5, step / 2.4));
  const marks = SIDES.map(([side, name]) => {
    const d = rows.map((row, rank) => (winner[row] === side ? outline(side, round(at(rank)), round(y(row)), r) : "")).join("");
    return drawn("path", { class: `mark ${name}`, d });
  });
  return [
    drawn("path", { class: "interval", d: rows.map((row, rank) => interval(experiment, row, at(rank), scale)).join("") }),
    ...marks,
  ];
}

/** @type {(experiment: Experiment, row: number, x: number, scale: Scale) => string} */
function interval({ verdicts }, row, x, scale) {
  const [low, high] = [verdicts.effect_low[row], verdicts.effect_high[row]];
  return low === null || high === null ? "" : `M${round(x)} ${round(scale.y(low))}V${round(scale.y(high))}`;
}

/** @type {(value: number) => number} */
const round = (value) => Math.round(10 * value) / 10;

/**
 * Neighbours that share a mark: at most one to two points of the width.
 * @param {number} n
 * @param {number} width
 * @returns {[number, number][]}
 */
function stretches(n, width) {
  const count = Math.min(n, Math.floor(width / 2));
  return Array.from({ length: count }, (_, at) => [Math.round((at * n) / count), Math.round(((at + 1) * n) / count)]);
}

/** @type {(experiment: Experiment, rows: number[], scale: Scale, frame: {left: number, width: number}) => SVGElement[]} */
function drawBand({ verdicts }, rows, scale, { left, width }) {
  const [upper, lower, line] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  for (const [from, to] of stretches(rows.length, width)) {
    const x = round(left + ((from + to) / 2 / rows.length) * width);
    const mean = (/** @type {(number | null)[]} */ values) => {
      const known = rows
        .slice(from, to)
        .map((row) => values[row])
        .filter((value) => value !== null);
      return known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    line.push(`${x} ${round(scale.y(mean(verdicts.effect)))}`);
    const [low, high] = [mean(verdicts.effect_low), mean(verdicts.effect_high)];
    if (Number.isNaN(low + high)) continue;
    upper.push(`${x} ${round(scale.y(high))}`);
    lower.unshift(`${x} ${round(scale.y(low))}`);
  }
  const band = [...upper, ...lower].join("L");
  return [
    ...(band ? [drawn("path", { class: "band", d: `M${band}z` })] : []),
    drawn("path", { class: "line", d: `M${line.join("L")}` }),
  ];
}

/** @type {(experiment: Experiment, rows: number[], frame: {left: number, width: number, strip: number}) => SVGElement[]} */
function drawStrip({ verdicts }, rows, { left, width, strip }) {
  return SIDES.slice(1).map(([side, name]) => {
    const bars = stretches(rows.length, width).map(([from, to]) => {
      const share = rows.slice(from, to).filter((row) => verdicts.winner[row] === side).length / (to - from);
      const x = round(left + (from / rows.length) * width);
      const height = round(share * STRIP);
      // The first system's share starts at the bottom, the second's at the top; the rest is undecided.
      return share
        ? `M${x} ${side > 0 ? strip + STRIP - height : strip}h${round(((to - from) / rows.length) * width + 0.1)}v${height}H${x}z`
        : "";
    });
    return drawn("path", { class: `bar ${name}`, d: bars.join("") });
  });
}
