// The options of every decision: how much the decision matters, the verdicts with each option, and which options are removed.

/** The table of options, decision by decision. */
class Options {
  /** @param {(change: Partial<State>) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.head = element("tr");
    this.putBack = button("Put all options back", () =>
      this.choose({ out: this.state ? this.state.out.map((options) => options.map(() => false)) : [] }),
    );
    this.table = element(
      "table",
      {},
      element("caption", {}, "Verdicts of the analyses with each option"),
      element("thead", {}, this.head),
    );
    const region = element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Options of each decision" },
      this.table,
    );
    const notes = [element("p", { class: "note hint" }, HINT), element("p", { class: "note" }, NOTE)];
    this.element = element(
      "div",
      { class: "options" },
      notes[0],
      region,
      element("p", { class: "actions" }, this.putBack),
      notes[1],
    );
    /** @type {State | null} */
    this.state = null;
    /** @type {Group[]} */
    this.groups = [];
    this.experiment = -1;
  }

  /** @type {(experiment: Experiment, number: number) => void} */
  layOut(experiment, number) {
    this.experiment = number;
    this.groups = experiment.decisions.map((decision, at) => new Group(decision, at, this));
    this.table.replaceChildren(...[...this.table.children].slice(0, 2), ...this.groups.map((group) => group.element));
  }

  /**
   * Show the analyses that are left.
   * @param {Analyses} analyses
   * @param {State} state
   * @param {Specifications} left
   * @param {Importance[]} matters
   */
  show(analyses, state, left, matters) {
    this.state = state;
    const { experiment } = analyses;
    if (this.experiment !== state.experiment) this.layOut(experiment, state.experiment);
    const { first, second } = state.pair;
    const columns = [
      "Option",
      "Analyses",
      `${first} wins`,
      `${second} wins`,
      "Neither",
      "Median d_z",
      ...(state.selection ? ["In the selection"] : []),
    ];
    this.head.replaceChildren(...columns.map((text) => element("th", { scope: "col" }, text)));
    const inside = state.selection ? shares(experiment, left, state.selection) : null;
    this.groups.forEach((group, decision) => {
      group.show(state, left.byOption[decision], matters[decision], inside ? inside[decision] : null, columns.length);
      group.open(state.open === decision ? multiples(analyses, left, decision) : null, columns.length);
    });
    this.putBack.disabled = !state.out.flat().some(Boolean);
    this.element.hidden = !experiment.decisions.length;
  }
}

const HINT =
  "Clear the box of an option that you find unreasonable: its analyses are removed from the curve, all shares and all medians. " +
  "Press a decision to see the curve of each of its options.";

const NOTE =
  "The longer a decision's bar, the more the decision matters. Its first percentage says how often the verdict changes if only this " +
  "decision changes, over all pairs of analyses that differ in nothing else. Its last percentage is η², the share of the variance " +
  "of effect sizes that its options explain. These percentages count every analysis; all other shares and all medians count " +
  "analyses with the same numbers once.";

/** The rows of one decision. */
class Group {
  /**
   * @param {Decision} decision
   * @param {number} number
   * @param {Options} table
   */
  constructor(decision, number, table) {
    this.number = number;
    const panel = `explorer-multiples-${number}`;
    this.button = element(
      "button",
      { type: "button", "aria-expanded": "false", "aria-controls": panel },
      `${decision.code} ${decision.name}`,
    );
    this.button.addEventListener("click", () => table.choose({ open: table.state?.open === number ? -1 : number }));
    this.matters = element("span", { class: "matters" });
    this.title = element("th", { scope: "rowgroup" }, element("div", {}, this.button, " ", this.matters));
    this.panel = element("td", { id: panel });
    this.below = element("tr", { class: "panel" }, this.panel);
    this.boxes = decision.words.map((text, option) => {
      const box = element("input", { type: "checkbox", "aria-label": `Keep ${decision.name.toLowerCase()} ${text}` });
      box.addEventListener(
        "change",
        () =>
          table.state && table.choose({ out: table.state.out.with(number, table.state.out[number].with(option, !box.checked)) }),
      );
      return box;
    });
    this.cells = decision.options.map(() => /** @type {HTMLTableCellElement[]} */ ([]));
    this.rows = decision.words.map((text, option) => {
      const name = option === decision.base ? element("b", {}, `${text} · base`) : element("span", {}, text);
      return element("tr", {}, element("th", { scope: "row" }, element("label", {}, this.boxes[option], " ", name)));
    });
    this.element = element("tbody", {}, element("tr", { class: "decision" }, this.title), this.below, ...this.rows);
  }

  /**
   * Fill the rows.
   * @param {State} state
   * @param {Tally[]} tallies
   * @param {Importance} matters
   * @param {{here: number, all: number}[] | null} inside
   * @param {number} span
   */
  show(state, tallies, matters, inside, span) {
    const { number } = this;
    this.title.colSpan = span;
    this.title.style.setProperty("--share", String(matters.changed || 0));
    this.matters.textContent =
      `changes ${percent(matters.changed)} of verdicts (opposite winner ${percent(matters.contradictions)}), ` +
      `explains ${percent(matters.variance)} of the variance`;
    this.rows.forEach((row, option) => {
      const tally = tallies[option];
      const isOut = state.out[number][option];
      this.boxes[option].checked = !isOut;
      row.classList.toggle("out", isOut);
      const open = tally.n - tally.wins - tally.losses;
      const counts = [tally.wins, tally.losses, open].map((count) => (tally.n ? count / tally.n : NaN));
      const cells = [
        element("td", {}, tally.n.toLocaleString("en-GB")),
        ...counts.map((share) => barCell(share, percent(share))),
        element("td", {}, effectSize(tally.median)),
        ...(inside ? [insideCell(inside[option])] : []),
      ];
      row.replaceChildren(row.children[0], ...cells);
    });
  }

  /**
   * Show the options side by side, or hide them.
   * @param {Element | null} drawing
   * @param {number} span
   */
  open(drawing, span) {
    this.button.setAttribute("aria-expanded", String(Boolean(drawing)));
    this.below.hidden = !drawing;
    this.panel.colSpan = span;
    this.panel.replaceChildren(...(drawing ? [drawing] : []));
  }
}

/** A share as a number on a bar. @type {(share: number, text: string) => HTMLTableCellElement} */
function barCell(share, text) {
  const cell = element("td", { class: "share" }, text);
  cell.style.setProperty("--share", String(share || 0));
  return cell;
}

/** @type {(share: {here: number, all: number}) => HTMLTableCellElement} */
function insideCell({ here, all }) {
  const cell = barCell(here, `${percent(here)} (${percent(all)} of all)`);
  if (isOver({ here, all })) cell.prepend(element("b", {}, "▲ "), element("span", { class: "unseen" }, "over-represented: "));
  return cell;
}

/**
 * The curve of each option of a decision, all on one scale.
 * @type {(analyses: Analyses, left: Specifications, number: number) => Element}
 */
function multiples({ experiment }, left, number) {
  const { effect } = experiment.verdicts;
  const { name, words } = experiment.decisions[number];
  const [width, height] = [190, 96];
  const scale = new Scale(
    left.rows.map((row) => effect[row] ?? 0),
    { top: 6, bottom: height - STRIP - 8 },
  );
  const panels = left.taken[number].map((taken, option) => {
    const rows = left.rows.filter((row, rank) => taken[rank] && effect[row] !== null);
    const { n, median } = left.byOption[number][option];
    const text = `${things(n, "analysis", "analyses")}, median ${effectSize(median)}`;
    const svg = drawn("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${name} ${words[option]}: ${text}`,
    });
    svg.append(drawn("path", { class: "zero", d: `M0 ${round(scale.y(0))}h${width}` }));
    if (rows.length) svg.append(...drawEffects(experiment, rows, scale, { left: 0, width, strip: height - STRIP - 2 }));
    if (!Number.isNaN(median)) svg.append(drawn("path", { class: "median", d: `M0 ${round(scale.y(median))}h${width}` }));
    return element("figure", {}, element("b", {}, words[option]), svg, element("figcaption", {}, text));
  });
  const note = element("p", { class: "note" }, "All curves have the scale of the curve above; the dashed line is the median.");
  return element("div", { class: "multiples", role: "group", "aria-label": `${name}: the curve of each option` }, ...panels, note);
}
