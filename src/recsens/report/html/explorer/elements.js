// Elements of the page. Text from a study becomes text or an attribute's value, never markup.

/**
 * Make an element with children; a text becomes a text node.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Make an element of a drawing.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Make a button.
 * @param {string} text
 * @param {() => void} pressed
 * @returns {HTMLButtonElement}
 */
function button(text, pressed) {
  const made = element("button", { type: "button" }, text);
  made.addEventListener("click", pressed);
  return made;
}

/** Print a share of 1; 0 % and 100 % only if the share is exactly 0 or 1. @type {(share: number) => string} */
function percent(share) {
  if (Number.isNaN(share)) return "–";
  const whole = Math.round(100 * share);
  if (share > 0 && whole === 0) return "< 1\u00a0%";
  if (share < 1 && whole === 100) return "> 99\u00a0%";
  return `${whole}\u00a0%`;
}

/** Print an effect size: no zero before the point, a true minus sign. @type {(value: number, decimals?: number) => string} */
function effectSize(value, decimals = 3) {
  if (Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const text = Math.abs(value).toFixed(decimals).replace(/^0\./, ".");
  return value < 0 ? `−${text}` : text;
}

/** Print a number of things, with commas between thousands. @type {(n: number, one: string, many: string) => string} */
function things(n, one, many) {
  return `${n.toLocaleString("en-GB")} ${n === 1 ? one : many}`;
}
