// How to cite the analysis shown and compute it again: a link, folders of results, and a study file.

/** The link, the folders and the study file of one analysis. */
class Citation {
  /** @param {string} anySystem - the placeholder for a system's part of a folder's path */
  constructor(anySystem) {
    this.anySystem = anySystem;
    this.link = element("a");
    this.folders = element("dl");
    this.file = element("pre", { tabindex: "0", role: "region", "aria-label": "Study file of this analysis" });
    this.said = element("span", { role: "status", class: "note" });
    const copy = [
      button("Copy the link", () => this.copy(this.link.href, "The link")),
      button("Copy the study file", () => this.copy(this.file.textContent ?? "", "The study file")),
    ];
    this.element = element(
      "details",
      { class: "citation" },
      element("summary", {}, "Cite or reproduce this analysis"),
      element("p", {}, "This link opens the page with this analysis, the same options removed and the same selection: ", this.link),
      this.folders,
      element(
        "p",
        {},
        "A study file that computes only this analysis. Save it and run it with ",
        element("code", {}, "recsens run"),
        ":",
      ),
      this.file,
      element("p", { class: "actions" }, copy[0], " ", copy[1], " ", this.said),
    );
  }

  /**
   * Show where the analysis is.
   * @param {Analyses} analyses
   * @param {State} state
   * @param {string} fragment
   */
  show(analyses, state, fragment) {
    this.said.textContent = "";
    this.link.href = fragment;
    this.link.textContent = decodeURIComponent(fragment.replaceAll("+", " "));
    const { experiment } = analyses;
    const design = analyses.designOf(state.options);
    if (design < 0) return;
    const folder = textAt(experiment.folders[state.dataset], design);
    this.folders.replaceChildren(
      ...[state.pair.first, state.pair.second].flatMap((system) => [
        element("dt", {}, `Rankings of ${system}, first fold`),
        element("dd", { class: "spec" }, folder.replace(this.anySystem, experiment.steps[system])),
      ]),
    );
    this.file.textContent = studyFile(analyses, state);
  }

  /**
   * Copy a text; if the browser does not allow this, ask the reader to do it.
   * @param {string} text
   * @param {string} what
   */
  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.said.textContent = `${what} is copied.`;
    } catch {
      this.said.textContent = "This browser does not allow the page to copy text: select it and copy it yourself.";
    }
  }
}

/** The study file of an analysis. @type {(analyses: Analyses, state: State) => string} */
function studyFile({ experiment, datasets }, state) {
  const { heads, design, metrics, tail } = experiment.file;
  // A design's lines are in the order of a study file, decisions in the order of the taxonomy.
  const lines = design.map(
    ({ key, lines: options }) => options[state.options[experiment.decisions.findIndex((decision) => decision.key === key)] ?? 0],
  );
  return `${heads[datasets.indexOf(state.dataset)]}design:\n${lines.join("")}${metrics[state.metric]}${tail}`;
}
