// The verdict of one analysis in a sentence, with the choices that lead to it.

/**
 * The verdict of a row in words: the claim, and the evidence for it.
 * @type {(experiment: Experiment, row: number) => {claim: string, grounds: string}}
 */
function verdictOf(experiment, row) {
  const { winner, equivalent, ahead, first, second, size, low, high, p, family, users } = experiment.verdicts;
  const systems = [textAt(first, row), textAt(second, row)];
  const [leader, follower] = ahead[row] < 0 ? systems.reverse() : systems;
  const by = textAt(size, row);
  const limits = textAt(low, row) && `${experiment.interval} ${textAt(low, row)} to ${textAt(high, row)}, `;
  const adjusted = textAt(family, row) && `${textAt(family, row)} adjusted for all analyses of the pair, `;
  const grounds = `${limits}${textAt(p, row)}, ${adjusted}${textAt(users, row)}`;
  if (!by) return { claim: `${leader} and ${follower} cannot be compared`, grounds };
  if (winner[row]) return { claim: `${leader} beats ${follower} by ${by}`, grounds };
  if (equivalent[row]) return { claim: `${leader} and ${follower} are equivalent, with a margin of ${experiment.margin}`, grounds };
  if (!ahead[row]) return { claim: `${leader} and ${follower} are equal`, grounds };
  return { claim: `${leader} is ahead of ${follower} by ${by} but does not win`, grounds };
}

/** Who wins a row, in a few words. @type {(experiment: Experiment, row: number) => string} */
function winnerOf(experiment, row) {
  const { winner, equivalent, first, second } = experiment.verdicts;
  if (!winner[row]) return equivalent[row] ? "equivalent" : "undecided";
  return `${textAt(winner[row] > 0 ? first : second, row)} wins`;
}

/** How a verdict compares with another one. @type {(experiment: Experiment, row: number, base: number) => string} */
function besideBase(experiment, row, base) {
  const { winner } = experiment.verdicts;
  if (winner[row] === winner[base]) return "agrees with";
  if (!winner[base]) return "has a winner, unlike";
  return winner[row] ? "contradicts" : "has no winner, unlike";
}

const MARKS = "In the lists above, an option is marked with its verdict if choosing it would change the verdict.";

const ONE_AT_A_TIME =
  " This study varies one decision at a time. An option that was not run together with the other chosen options is disabled; to " +
  "choose it, go back to the base design first.";

/** The sentence: a select element for each choice, and the verdict of the analysis. */
class Sentence {
  /**
   * @param {Analyses[]} all
   * @param {(change: Partial<State>) => void} choose
   */
  constructor(all, choose) {
    this.all = all;
    this.choose = choose;
    this.choices = element("p", { class: "choices" });
    this.claim = element("strong");
    this.grounds = element("span");
    this.beside = element("p", { class: "note" });
    this.note = element("p", { class: "note hint" });
    const verdict = element("p", { class: "headline" }, this.claim, " ", this.grounds);
    this.base = button("Back to the base design", () => choose({ options: all[this.experiment].baseOptions }));
    const spoken = element("div", { "aria-live": "polite", "aria-atomic": "true" }, verdict, this.beside);
    this.effort = element("p", { class: "choices", "aria-live": "polite" });
    this.unrated = element("p", { class: "note" });
    this.over = element("p", { class: "note" });
    this.element = element("div", { class: "sentence" }, this.choices, spoken, this.note, this.over, this.effort, this.unrated);
    this.trials = [0, 0];
    this.experiment = -1;
    /** @type {HTMLSelectElement[]} */
    this.decisions = [];
    /** @type {number[]} */
    this.options = [];
  }

  /**
   * Create the controls for the choices of an experiment.
   * @param {number} experiment
   */
  layOut(experiment) {
    this.experiment = experiment;
    const { pairs, metrics, experiment: asked } = this.all[experiment];
    const marked = (/** @type {string} */ label) => (asked.untuned.includes(label) ? `${label} (untuned)` : label);
    const shown = (/** @type {Pair} */ { first, second }) => pairName({ first: marked(first), second: marked(second) });
    const labels = this.all.flatMap((analyses, number) => analyses.datasets.map((label) => ({ number, label })));
    this.dataset = this.choice(
      "on",
      labels.map(({ label }) => label),
      (at) =>
        labels[at].number === this.experiment
          ? this.choose({ dataset: labels[at].label })
          : this.choose({ ...baseState(this.all, labels[at].number), dataset: labels[at].label }),
    );
    this.metric = this.choice(
      "by",
      metrics.map((metric) => asked.names[metric]),
      (at) => this.choose({ metric: metrics[at] }),
    );
    this.pair = this.choice("Comparing", pairs.map(shown), (at) => this.choose({ pair: pairs[at] }));
    this.decisions = asked.decisions.map((decision, number) =>
      this.choice(decision.name.toLowerCase(), decision.words, (at) => this.choose({ options: this.options.with(number, at) })),
    );
    const selects = [this.pair, this.dataset, this.metric, ...this.decisions];
    // A comma stays with the choice before it.
    const parts = selects.flatMap((select, at) => {
      if (at > 2 && at < selects.length - 1) select.after(",");
      return [at === 3 ? "with " : "", select.parentElement ?? select, " "];
    });
    this.choices.replaceChildren(...parts, ...(this.decisions.length ? [this.base] : []));
    this.trials = asked.efforts ? [0, 0].fill(asked.efforts.trials.length - 1) : this.trials;
    this.note.textContent = this.decisions.length ? `${MARKS}${asked.is_grid ? "" : ONE_AT_A_TIME}` : "";
  }

  /**
   * Create the control for one choice.
   * @param {string} name
   * @param {string[]} texts
   * @param {(at: number) => void} taken
   */
  choice(name, texts, taken) {
    const select = element(
      "select",
      { "aria-label": name },
      ...texts.map((text, at) => element("option", { value: String(at) }, text)),
    );
    element("label", {}, element("span", {}, name), " ", select);
    select.addEventListener("change", () => taken(select.selectedIndex));
    return select;
  }

  /**
   * Show the verdict of an analysis.
   * @param {State} state
   * @param {Int32Array} rowOf
   */
  show(state, rowOf) {
    if (this.experiment !== state.experiment) this.layOut(state.experiment);
    this.options = state.options;
    const analyses = this.all[state.experiment];
    const { experiment } = analyses;
    const row = rowOf[analyses.designOf(state.options)] ?? -1;
    const base = rowOf[analyses.designOf(analyses.baseOptions)];
    this.mark(state, rowOf, row);
    this.showEffort(state);
    this.showOver(state);
    this.showUnrated(state);
    const isBase = state.options.every((option, decision) => option === analyses.baseOptions[decision]);
    if (row < 0) {
      this.claim.textContent = "This analysis was not run.";
      this.grounds.textContent = "";
      this.beside.textContent = "";
      return;
    }
    const { claim, grounds } = verdictOf(experiment, row);
    const isOut = state.options.some((option, decision) => state.out[decision][option]);
    this.claim.textContent = claim;
    this.grounds.textContent = `(${grounds}).`;
    this.element.dataset.beside = isBase ? "base" : besideBase(experiment, row, base);
    const compared = isBase
      ? "This is the base design."
      : `This analysis ${besideBase(experiment, row, base)} the base design, under which ${verdictOf(experiment, base).claim}.`;
    this.beside.textContent = compared + (isOut ? " You have removed at least one of its options from the curve." : "");
  }

  /**
   * Show what searches end in, with a choice of the trials for each system; nothing if the study does not vary the effort.
   * @param {State} state
   */
  showEffort(state) {
    const { efforts } = this.all[state.experiment].experiment;
    const { first, second } = state.pair;
    const found = efforts?.pairs.find(
      (each) => each.dataset === state.dataset && each.first === first && each.second === second,
    );
    this.effort.hidden = !found;
    if (!efforts || !found) return;
    const said = element("b");
    const say = () => (said.textContent = found.says[this.trials[0]][this.trials[1]]);
    const selects = [first, second].map((system, side) => {
      const select = this.choice(`trials of tuning for ${system}`, efforts.trials, (at) => {
        this.trials[side] = at;
        say();
      });
      select.selectedIndex = this.trials[side];
      return select.parentElement ?? select;
    });
    say();
    this.effort.replaceChildren(`Under the base design by ${efforts.metric}, with `, selects[0], " and ", selects[1], ": ", said, ".");
  }

  /**
   * Say what the analysis comes to on average over data sets like these; nothing if the study does not combine data sets.
   * @param {State} state
   */
  showOver(state) {
    const analyses = this.all[state.experiment];
    const { metric, pair } = state;
    const design = analyses.designOf(state.options);
    const found = analyses.experiment.over?.find(
      (each) => each.first === pair.first && each.second === pair.second && each.metric === metric && each.design === design,
    );
    this.over.hidden = !found;
    this.over.textContent = found ? found.says : "";
  }

  /**
   * Say what unrated items could do to the pair's win under the base design; nothing if the study does not ask.
   * @param {State} state
   */
  showUnrated(state) {
    const { unrated } = this.all[state.experiment].experiment;
    const { dataset, metric, pair } = state;
    const found = unrated?.find(
      (each) => each.dataset === dataset && each.first === pair.first && each.second === pair.second && each.metric === metric,
    );
    this.unrated.hidden = !found;
    this.unrated.textContent = found ? `Under the base design: ${found.says}` : "";
  }

  /**
   * Mark the base options, those that change the verdict, and those that were not run.
   * @param {State} state
   * @param {Int32Array} rowOf
   * @param {number} row
   */
  mark(state, rowOf, row) {
    const analyses = this.all[state.experiment];
    const { experiment, pairs, metrics } = analyses;
    const labels = this.all.flatMap(({ datasets }) => datasets);
    if (this.dataset) this.dataset.selectedIndex = labels.indexOf(state.dataset);
    if (this.metric) this.metric.selectedIndex = metrics.indexOf(state.metric);
    if (this.pair) this.pair.selectedIndex = pairs.indexOf(state.pair);
    experiment.decisions.forEach((decision, number) => {
      const select = this.decisions[number];
      decision.words.forEach((text, option) => {
        const other = rowOf[analyses.designOf(state.options.with(number, option))] ?? -1;
        const marks = [];
        if (option === decision.base) marks.push("base");
        if (other < 0) marks.push("not run");
        else if (row >= 0 && experiment.verdicts.winner[other] !== experiment.verdicts.winner[row])
          marks.push(winnerOf(experiment, other));
        select.options[option].textContent = [text, ...marks].join(" · ");
        select.options[option].disabled = other < 0 && option !== state.options[number];
      });
      select.selectedIndex = state.options[number];
    });
  }
}
