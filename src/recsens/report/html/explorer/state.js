// What the reader chose, as part of the page's address, so that a link cites one analysis.

/**
 * @typedef {object} State
 * @property {number} experiment
 * @property {string} dataset
 * @property {string} metric
 * @property {Pair} pair
 * @property {number[]} options - of each decision
 * @property {boolean[][]} out - the options removed, by decision
 * @property {[number, number] | null} selection - first and last place on the curve
 * @property {number} open - the decision whose options are shown side by side; -1 for none
 */

const FRAGMENT = "#explorer?";

/** The base design of an experiment. @type {(all: Analyses[], experiment: number) => State} */
function baseState(all, experiment) {
  const { metrics, pairs, baseOptions } = all[experiment];
  const { decisions, start } = all[experiment].experiment;
  const out = decisions.map((decision) => decision.options.map(() => false));
  const pair = pairs.find((one) => pairName(one) === pairName(start)) ?? pairs[0];
  return { experiment, dataset: start.dataset, metric: metrics[0], pair, options: baseOptions, out, selection: null, open: -1 };
}

/** The fragment of a state. @type {(all: Analyses[], state: State) => string} */
function toFragment(all, state) {
  const { decisions, names } = all[state.experiment].experiment;
  const said = new URLSearchParams({
    dataset: state.dataset,
    metric: names[state.metric],
    first: state.pair.first,
    second: state.pair.second,
  });
  decisions.forEach((decision, number) => said.set(decision.key, decision.options[state.options[number]]));
  decisions.forEach((decision, number) =>
    decision.options.forEach((option, at) => state.out[number][at] && said.append("without", `${decision.key} ${option}`)),
  );
  if (state.selection) said.set("selection", state.selection.map((place) => place + 1).join("-"));
  if (state.open >= 0) said.set("open", decisions[state.open].key);
  return FRAGMENT + said;
}

/**
 * The state that a fragment names, and what it names that the study does not have; null for a fragment of something else.
 * @param {Analyses[]} all
 * @param {string} fragment
 * @returns {{state: State, unknown: string[]} | null}
 */
function fromFragment(all, fragment) {
  if (!fragment.startsWith(FRAGMENT)) return null;
  const said = new URLSearchParams(fragment.slice(FRAGMENT.length));
  const experiment = Math.max(
    0,
    all.findIndex((analyses) => analyses.datasets.includes(said.get("dataset") ?? "")),
  );
  const { datasets, metrics, pairs, experiment: asked } = all[experiment];
  const state = baseState(all, experiment);
  /** @type {string[]} */
  const unknown = [];
  for (const [key, text] of said) {
    const number = asked.decisions.findIndex((decision) => decision.key === key);
    if (number >= 0) {
      const option = asked.decisions[number].options.indexOf(text);
      if (option >= 0) state.options[number] = option;
      else unknown.push(`${key} ${text}`);
    } else if (key === "dataset" && datasets.includes(text)) state.dataset = text;
    else if (key === "metric" && metrics.some((metric) => [metric, asked.names[metric]].includes(text)))
      state.metric = metrics.find((metric) => [metric, asked.names[metric]].includes(text)) ?? state.metric;
    else if (key === "first" || key === "second") continue;
    else if (key === "without" && takeOut(asked, state, text)) continue;
    else if (key === "selection" && /^\d+-\d+$/.test(text)) state.selection = placesOf(text);
    else if (key === "open") state.open = asked.decisions.findIndex((decision) => decision.key === text);
    else unknown.push(`${key} ${text}`);
  }
  const pair = pairs.find(({ first, second }) => first === said.get("first") && second === said.get("second"));
  if (pair) state.pair = pair;
  else unknown.push(`${said.get("first")} and ${said.get("second")}`);
  return { state, unknown };
}

/** @type {(text: string) => [number, number]} */
function placesOf(text) {
  const [from, to] = text.split("-").map((place) => Number(place) - 1);
  return [Math.max(0, Math.min(from, to)), Math.max(0, from, to)];
}

/**
 * Take out the option that a text names; whether there is one.
 * @type {(asked: Experiment, state: State, text: string) => boolean}
 */
function takeOut(asked, state, text) {
  return asked.decisions.some((decision, number) => {
    const option = decision.options.findIndex((one) => `${decision.key} ${one}` === text);
    if (option >= 0) state.out[number][option] = true;
    return option >= 0;
  });
}
