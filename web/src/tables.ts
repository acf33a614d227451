// Tables for readers: suspects, leagues.
import { h, scalar } from "./dom";
import type { ReaderTable } from "./types";

export function readerTable(t: ReaderTable): HTMLElement {
  return h("div", { class: "card wide" }, h("h3", {}, t.title), t.sentence && h("p", { class: "meaning" }, t.sentence),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t.title },
      h("table", { class: "data" },
        h("thead", {}, h("tr", {}, ...t.columns.map((c, i) =>
          h("th", { scope: "col", class: t.rows.some((row) => typeof row[i] === "number") ? "number" : undefined }, c)))),
        h("tbody", {}, ...t.rows.map((row) => h("tr", {}, ...row.map((x) =>
          h("td", { class: typeof x === "number" ? "number" : undefined }, scalar(x)))))))));
}
