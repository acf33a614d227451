// Text that has to find its place in a figure: titles, legends, the lines of statistics.
import { kFontSize } from "./figure_style";
import { textWidth } from "./text_width";
import type { Spec } from "./types";

const kMostLines = 4;

/** Lines no wider than `width`; what is left after four of them is cut. */
export function wrapped(text: string, width: number, size: number, bold = false): string[] {
  const lines: string[] = [];
  const fits = (line: string) => textWidth(line, size, bold) <= width;
  for (let word of text.slice(0, 2000).split(/\s+/).filter((w) => w !== "")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && fits(`${last} ${word}`)) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    while (!fits(word) && word.length > 1) {
      let letters = [...word];
      let count = letters.length;
      while (count > 1 && !fits(letters.slice(0, count).join(""))) --count;
      lines.push(letters.slice(0, count).join(""));
      word = letters.slice(count).join("");
      if (lines.length > kMostLines) break;
    }
    lines.push(word);
    if (lines.length > kMostLines) break;
  }
  if (lines.length <= kMostLines) return lines;
  return [...lines.slice(0, kMostLines - 1), `${lines[kMostLines - 1]!.slice(0, -1)}\u2026`];
}

/** Every colour's field; a legend lists its values. */
function colourFields(value: unknown, out: Set<string>): Set<string> {
  if (Array.isArray(value)) value.forEach((v) => colourFields(v, out));
  else if (value !== null && typeof value === "object")
    for (const [key, inner] of Object.entries(value)) {
      const field = (inner as { field?: unknown } | null)?.field;
      if (key === "color" && typeof field === "string") out.add(field);
      else if (key !== "datasets") colourFields(inner, out);
    }
  return out;
}

/** The columns of legends follow from their width, not from that of the page. */
export function freeLegends(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(freeLegends);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => {
    if (key === "datasets") return [key, inner];
    if (key !== "legend" || inner === null || inner.columns === 1) return [key, freeLegends(inner)];
    return [key, Object.fromEntries(Object.entries(inner as object).filter(([name]) => name !== "columns"))];
  }));
}

/** As many entries of a legend in a row as have room. */
export function legendColumns(spec: Spec, width: number): number {
  let columns = Infinity;
  for (const field of colourFields(spec, new Set())) {
    const labels = new Set((spec.datasets.rows ?? []).map((row) => row[field]).filter((x): x is string => typeof x === "string"));
    const widest = Math.max(0, ...[...labels].map((l) => Math.min(0.8 * width, textWidth(l.slice(0, 500), kFontSize))));
    columns = Math.min(columns, Math.max(1, Math.floor((0.85 * width) / (widest + 28))));
  }
  return Number.isFinite(columns) ? columns : 1;
}
