// Elements from data. Text only ever becomes a text node, so no name or path can turn into markup.
type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

const kThousands = new Intl.NumberFormat("en");

/** Four significant places, and no more zeros than they need. */
export function formatNumber(x: number): string {
  if (Number.isInteger(x)) return kThousands.format(x);
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e6) return x.toExponential(2);
  return size >= 100 ? x.toFixed(1) : x.toFixed(4);
}

export function scalar(x: unknown): string {
  if (x === null || x === undefined) return "";
  if (typeof x === "number") return formatNumber(x);
  if (Array.isArray(x)) return x.map(scalar).join(", ");
  return String(x);
}

/** As a shell would need it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}
