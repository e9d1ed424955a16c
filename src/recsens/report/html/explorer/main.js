// The explorer: one state, and all the parts that show it.

const content = readContent();
const all = content.experiments.map((experiment) => new Analyses(experiment));

/** @type {{left: Specifications, matters: Importance[], of: State} | null} */
let computed = null;

/** The analyses left, computed anew if the pair, metric or set of options has changed. @param {State} now */
function leftOf(now) {
  const before = computed?.of;
  const isSame =
    before &&
    before.experiment === now.experiment &&
    before.dataset === now.dataset &&
    before.metric === now.metric &&
    before.pair === now.pair &&
    before.out === now.out;
  if (!computed || !isSame) {
    const analyses = all[now.experiment];
    const rowOf = analyses.rowsOf(now.dataset, now.metric, now.pair);
    const left = specifications(analyses, rowOf, now.out);
    computed = { left, matters: importance(analyses, rowOf, left.rankOf), of: now };
  }
  return computed;
}

const named = fromFragment(all, location.hash);
let state = named?.state ?? baseState(all, 0);
let writing = 0;

/** Change the choice. @param {Partial<State>} change */
function choose(change) {
  const before = state;
  state = { ...state, ...change };
  // Positions on another curve belong to other analyses.
  const isOther = [
    state.pair !== before.pair,
    state.metric !== before.metric,
    state.dataset !== before.dataset,
    state.out !== before.out,
  ].some(Boolean);
  if (isOther) state.selection = null;
  // Browsers refuse an address that changes with every movement of a pointer.
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", toFragment(all, state)), 300);
  show();
}

const sentence = new Sentence(all, choose);
const curve = new Curve(choose, content.below);
const options = new Options(choose);
const citation = new Citation(content.any_system);
const missing = element("p", { class: "alert", role: "alert" });

function show() {
  const analyses = all[state.experiment];
  const { left, matters } = leftOf(state);
  sentence.show(state, analyses.rowsOf(state.dataset, state.metric, state.pair));
  curve.element.hidden = analyses.nDesigns < 2;
  curve.show(analyses, state, left);
  options.show(analyses, state, left, matters);
  citation.show(analyses, state, toFragment(all, state));
}

/** Name the parts of a link that this study does not have. @param {string[]} unknown */
function complain(unknown) {
  missing.hidden = !unknown.length;
  const names = unknown.join("; ");
  missing.textContent =
    `The link refers to choices that this study does not have: ${names}. ` + "The choices of the base design are shown instead.";
}

const place = /** @type {HTMLElement} */ (document.getElementById("explorer-place"));
place.replaceChildren(missing, sentence.element, curve.element, options.element, citation.element);
complain(named?.unknown ?? []);
show();
if (named) place.scrollIntoView();

addEventListener("hashchange", () => {
  const found = fromFragment(all, location.hash);
  if (!found) return;
  state = found.state;
  complain(found.unknown);
  show();
});
