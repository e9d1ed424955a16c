// The specification curve: analyses by effect size. Readers can point at an analysis, step through them, and select a range.

const CURVE = { height: 250, left: 44, right: 8, top: 24, bottom: 26 };

const KEYS =
  "Point at an analysis to read it, click to choose it, drag to select a range. Keys: arrows, Page Up, Page Down, Home and End " +
  "choose an analysis; hold Shift to select up to it. Escape ends the selection.";

/** @typedef {{analyses: Analyses, state: State, left: Specifications, base: number, current: number}} Shown */

/** The curve of the pair and metric chosen. */
class Curve {
  /**
   * @param {(change: Partial<State>) => void} choose
   * @param {string} below - the bound of a p-value that makes a winner
   */
  constructor(choose, below) {
    this.choose = choose;
    this.below = below;
    /** @type {Shown | null} */
    this.shown = null;
    this.svg = drawn("svg", {
      role: "slider",
      tabindex: 0,
      "aria-label": "Analyses by effect size",
      "aria-describedby": "explorer-keys",
    });
    this.over = drawn("g", {});
    this.guide = drawn("path", { class: "guide" });
    this.summary = element("p", { role: "status" });
    this.legend = element("p", { class: "note legend" });
    this.pointed = element("p", { class: "note hint pointed", id: "explorer-keys" }, KEYS);
    this.selected = element("p", { class: "selected", "aria-live": "polite" });
    this.element = element("figure", {}, this.summary, this.legend, this.svg, this.pointed, this.selected);
    this.width = 0;
    this.listen();
    new ResizeObserver(() => this.shown && this.element.clientWidth !== this.width && this.draw(this.shown)).observe(this.element);
  }

  listen() {
    /** @type {number | null} */
    let start = null;
    this.svg.addEventListener("pointerdown", (event) => {
      start = this.placeAt(event);
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      const place = this.placeAt(event);
      this.point(place);
      if (start !== null && place >= 0 && place !== start)
        this.choose({ selection: [Math.min(start, place), Math.max(start, place)] });
    });
    this.svg.addEventListener("pointerup", (event) => {
      if (start !== null && start === this.placeAt(event)) this.take(start, null);
      start = null;
    });
    this.svg.addEventListener("pointercancel", () => (start = null));
    this.svg.addEventListener("pointerleave", () => this.point(-1));
    this.svg.addEventListener("keydown", (event) => this.step(event));
  }

  /**
   * Show what is left.
   * @param {Analyses} analyses
   * @param {State} state
   * @param {Specifications} left
   */
  show(analyses, state, left) {
    const before = this.shown?.left;
    const place = (/** @type {number[]} */ options) => {
      const rank = left.rankOf[analyses.designOf(options)] ?? -1;
      return rank < left.nSized ? rank : -1;
    };
    this.shown = { analyses, state, left, base: place(analyses.baseOptions), current: place(state.options) };
    if (before === left) this.drawOver(this.shown);
    else this.draw(this.shown);
    this.say(this.shown);
  }

  /** @param {Shown} shown */
  draw(shown) {
    const { left, analyses } = shown;
    const { experiment } = analyses;
    this.width = this.element.clientWidth;
    const { height, top } = CURVE;
    const bottom = height - CURVE.bottom;
    const frame = { left: CURVE.left, width: Math.max(100, this.width - CURVE.left - CURVE.right), strip: bottom + 6 };
    const rows = left.rows.slice(0, left.nSized);
    const { effect, effect_low: low, effect_high: high } = experiment.verdicts;
    const ends = rows.flatMap((row) => [effect[row] ?? 0, low[row] ?? 0, high[row] ?? 0]);
    const scale = new Scale(ends, { top, bottom });
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.setAttribute("height", String(height));
    const lines = ticks(scale.low, scale.high).flatMap(({ at, text }) => [
      drawn("path", { class: at ? "grid" : "zero", d: `M${frame.left} ${round(scale.y(at))}h${frame.width}` }),
      drawn("text", { x: frame.left - 6, y: round(scale.y(at)) + 4, "text-anchor": "end" }, text),
    ]);
    const title = drawn("text", { x: frame.left, y: 12 }, "d_z: above 0 ▲ is better, below 0 ▼");
    const marks = rows.length ? drawEffects(experiment, rows, scale, frame) : [];
    this.svg.replaceChildren(title, ...lines, ...marks, this.over, this.guide);
    this.legend.replaceChildren(...legend(shown, this.below));
    this.drawOver(shown);
  }

  /** Draw what can change while the curve stays the same: the base, the chosen analysis and the selection. @param {Shown} shown */
  drawOver({ base, current, state, left }) {
    const [top, bottom] = [CURVE.top, CURVE.height - 4];
    /** @type {SVGElement[]} */
    const parts = [];
    if (state.selection && left.nSized) {
      const [from, to] = [this.x(state.selection[0] - 0.5), this.x(state.selection[1] + 0.5)];
      parts.push(drawn("rect", { class: "selection", x: from, y: top, width: Math.max(1, to - from), height: bottom - top }));
    }
    if (base >= 0) parts.push(...this.line("base", base, base === current ? "base, shown" : "base"));
    if (current >= 0 && base !== current) parts.push(...this.line("current", current, "shown"));
    this.over.replaceChildren(...parts);
  }

  /** @type {(name: string, place: number, text: string) => SVGElement[]} */
  line(name, place, text) {
    const x = this.x(place);
    const isRight = x > 0.8 * this.width;
    const label = {
      x: x + (isRight ? -4 : 4),
      y: name === "current" ? CURVE.top + 22 : CURVE.top + 9,
      "text-anchor": isRight ? "end" : "start",
    };
    return [
      drawn("path", { class: name, d: `M${x} ${CURVE.top}V${CURVE.height - 4}` }),
      drawn("text", { class: "name", ...label }, text),
    ];
  }

  /** @param {number} place */
  x(place) {
    const n = this.shown?.left.nSized ?? 1;
    const width = this.width - CURVE.left - CURVE.right;
    return round(CURVE.left + (Math.max(0, Math.min(n, place + 0.5)) / n) * width);
  }

  /** @param {PointerEvent} event */
  placeAt(event) {
    const n = this.shown?.left.nSized ?? 0;
    const x = event.clientX - this.svg.getBoundingClientRect().left - CURVE.left;
    return Math.max(0, Math.min(n - 1, Math.floor((x / (this.width - CURVE.left - CURVE.right)) * n)));
  }

  /** Name the analysis pointed at. @param {number} place */
  point(place) {
    const shown = this.shown;
    const isNone = !shown || place < 0 || place >= shown.left.nSized;
    this.guide.setAttribute("d", isNone ? "" : `M${this.x(place)} ${CURVE.top}V${CURVE.height - 4}`);
    if (isNone) {
      this.pointed.textContent = KEYS;
      return;
    }
    const row = shown.left.rows[place];
    const { claim, grounds } = verdictOf(shown.analyses.experiment, row);
    this.pointed.textContent = `${place + 1}: ${analysisName(shown.analyses, row)}: ${claim} (${grounds}).`;
  }

  /**
   * Choose the analysis at a place, and set the selection.
   * @param {number} place
   * @param {[number, number] | null} selection
   */
  take(place, selection) {
    const { analyses, left } = /** @type {Shown} */ (this.shown);
    const row = left.rows[place];
    if (row !== undefined) this.choose({ options: analyses.optionsOf(analyses.experiment.verdicts.design[row]), selection });
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    if (!this.shown?.left.nSized) return;
    const { left, current, state } = this.shown;
    const last = left.nSized - 1;
    const page = Math.max(1, Math.round(last / 10));
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -page,
      PageUp: page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key === "Escape") this.choose({ selection: null });
    if (!(event.key in steps)) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(last, Math.max(0, current) + steps[event.key]));
    this.take(to, event.shiftKey ? stretched(state.selection, Math.max(0, current), to) : null);
  }

  /** Describe the analyses shown and the selection. @param {Shown} shown */
  say(shown) {
    const { analyses, state, left, current } = shown;
    this.svg.setAttribute("aria-valuemin", "1");
    this.svg.setAttribute("aria-valuemax", String(Math.max(1, left.nSized)));
    this.svg.setAttribute("aria-valuenow", String(Math.max(1, current + 1)));
    this.svg.setAttribute(
      "aria-valuetext",
      current < 0 ? "the analysis shown is not on the curve" : `${current + 1} of ${left.nSized} by effect size`,
    );
    this.summary.textContent = summaryOf(analyses, state, left);
    this.selected.textContent = state.selection ? selectionOf(analyses, state, left) : "";
  }
}

/** What the marks mean. @type {(shown: Shown, below: string) => (Node | string)[]} */
function legend({ state, left, analyses }, below) {
  const { first, second } = state.pair;
  const key = (/** @type {string} */ name, /** @type {number} */ side) =>
    drawn(
      "svg",
      { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
      drawn("path", { class: `mark ${name}`, d: outline(side, 6, 6, 4.5) }),
    );
  const few = left.nSized <= MANY;
  const beyond = analyses.experiment.margin ? `${below}, beyond the margin of ${analyses.experiment.margin}` : below;
  const hint = few ? "" : " Below the curve: the share of each winner among neighbouring analyses.";
  const parts = [
    key("first", 1),
    ` ${first} wins (${beyond}) `,
    key("second", -1),
    ` ${second} wins (${beyond}) `,
    key("open", 0),
    ` ${analyses.experiment.margin ? "equivalent or undecided" : "undecided"}.${hint}`,
  ];
  return analyses.nDesigns > 1 ? parts : [];
}

/** Name an analysis by the options that differ from the base design's. @type {(analyses: Analyses, row: number) => string} */
function analysisName(analyses, row) {
  const { decisions, verdicts } = analyses.experiment;
  const names = analyses.optionsOf(verdicts.design[row]).map((option, decision) => decisions[decision].words[option]);
  return names.join(", ") || "the base design";
}

/**
 * Extend a selection, or begin one.
 * @type {(before: [number, number] | null, from: number, to: number) => [number, number]}
 */
function stretched(before, from, to) {
  const anchor = before && before[0] === from ? before[1] : before && before[1] === from ? before[0] : from;
  return [Math.min(anchor, to), Math.max(anchor, to)];
}

/** @type {(analyses: Analyses, state: State, left: Specifications) => string} */
function summaryOf({ experiment }, state, { all, nAnalyses, nSized }) {
  if (!all.n) return "No analysis is left: put an option back.";
  const { first, second } = state.pair;
  const distinct = all.n === nAnalyses ? "" : `, ${all.n.toLocaleString("en-GB")} of them distinct`;
  const nTaken = state.out.flat().filter(Boolean).length;
  const without = nTaken ? `, ${things(nTaken, "option", "options")} removed` : "";
  const nUnsized = all.n - nSized;
  const unknown = nUnsized ? ` The curve leaves out ${things(nUnsized, "analysis", "analyses")} without an effect size.` : "";
  const open = all.n - all.wins - all.losses;
  return (
    `${things(nAnalyses, "analysis", "analyses")}${distinct}${without}, by ${experiment.names[state.metric]} ` +
    `on ${state.dataset}: ${first} wins ${percent(all.wins / all.n)}, ${second} wins ${percent(all.losses / all.n)}, ` +
    `and neither wins ${percent(open / all.n)}; the median effect size d_z is ${effectSize(all.median)}.${unknown}`
  );
}

/** @type {(analyses: Analyses, state: State, left: Specifications) => string} */
function selectionOf({ experiment }, state, left) {
  const [from, to] = /** @type {[number, number]} */ (state.selection);
  const rows = left.rows.slice(from, to + 1).filter((row) => experiment.verdicts.effect[row] !== null);
  if (!rows.length) return "The selection is empty.";
  const ends = [rows[0], rows[rows.length - 1]].map((row) => effectSize(experiment.verdicts.effect[row] ?? NaN)).join(" to ");
  const over = shares(experiment, left, [from, to])
    .flatMap((options, decision) => options.map(({ here, all }, option) => ({ decision, option, here, all })))
    .filter(isOver)
    .sort((a, b) => b.here - b.all - (a.here - a.all));
  const named = over.slice(0, 3).map(({ decision, option, here, all }) => {
    const { name, words } = experiment.decisions[decision];
    return `${name.toLowerCase()} ${words[option]} (${percent(here)} here, ${percent(all)} of all)`;
  });
  const what = named.length ? ` The most over-represented options: ${named.join("; ")}.` : " No option is over-represented.";
  const number = `${things(rows.length, "analysis", "analyses")} of ${left.nSized.toLocaleString("en-GB")}`;
  return `Selected: ${number}, d_z from ${ends}.${what}`;
}

/** Whether an option is over-represented, by its printed shares. @type {(share: {here: number, all: number}) => boolean} */
const isOver = ({ here, all }) => here > all && percent(here) !== percent(all);

/**
 * The share of each option among the analyses selected, and among all.
 * @param {Experiment} experiment
 * @param {Specifications} left
 * @param {[number, number]} selection
 */
function shares(experiment, left, [from, to]) {
  const last = Math.min(to, left.nSized - 1);
  return left.taken.map((options) =>
    options.map((taken) => {
      const count = (/** @type {number} */ low, /** @type {number} */ high) =>
        taken.subarray(low, high).reduce((sum, one) => sum + one, 0);
      return { here: count(from, last + 1) / Math.max(1, last + 1 - from), all: count(0, left.nSized) / Math.max(1, left.nSized) };
    }),
  );
}
