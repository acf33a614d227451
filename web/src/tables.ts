// Tables for readers: suspects, leagues.
import { h, scalar } from "./dom";
import type { ReaderTable, Scalar } from "./types";

function cell(t: ReaderTable, row: Scalar[], i: number): HTMLElement {
  const x = row[i];
  // The column after the picture is the item's name.
  if (i === t.picture && typeof x === "string" && x.startsWith("data:image/"))
    return h("td", { class: t.wide ? "picture wide" : "picture" }, h("img", { src: x, alt: `${t.wide ? "case" : "item"} ${scalar(row[i + 1])}` }));
  return h("td", { class: typeof x === "number" ? "number" : undefined }, scalar(x));
}

export function readerTable(t: ReaderTable): HTMLElement {
  return h("div", { class: "card wide" }, h("h3", {}, t.title), t.sentence && h("p", { class: "meaning" }, t.sentence),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t.title },
      h("table", { class: "data" },
        h("thead", {}, h("tr", {}, ...t.columns.map((c, i) =>
          h("th", { scope: "col", class: t.rows.some((row) => typeof row[i] === "number") ? "number" : undefined }, c)))),
        h("tbody", {}, ...t.rows.map((row) => h("tr", {}, ...row.map((_, i) => cell(t, row, i))))))));
}
