// What was run: the command, its inputs with checksums, every setting.
import { h, quoted, scalar } from "./dom";
import type { Report, Run } from "./types";

function runBlock(run: Run): HTMLElement {
  const inputs = run.inputs ?? [];
  const settings = Object.entries(run.settings ?? {});
  const notes = run.notes ?? [];
  return h("div", { class: "card wide run" },
    h("h3", {}, run.name, h("span", { class: "tag" }, `${run.command ?? ""}, plumb ${run.plumb ?? ""}`)),
    notes.length > 0 && h("ul", { class: "notes" }, ...notes.map((n) => h("li", {}, n))),
    run.argv !== undefined && h("p", { class: "small" }, "To reproduce it:"),
    run.argv !== undefined && h("pre", { tabindex: 0 }, h("code", {}, run.argv.map(quoted).join(" "))),
    h("ul", { class: "inputs" }, ...inputs.map((i) => h("li", {}, h("code", {}, i.flag), " ", h("span", { class: "path" }, i.path),
      h("span", { class: "small" }, ` ${i.shape.join(" × ")} ${i.dtype}`),
      i.sha256 !== undefined && h("span", { class: "hash" }, `sha256 ${i.sha256}`)))),
    settings.length > 0 && h("details", {}, h("summary", {}, `${settings.length} settings`),
      h("dl", {}, ...settings.flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, scalar(v))]))));
}

export function provenance(report: Report): HTMLElement {
  return h("section", { id: "run", "aria-labelledby": "run-title" }, h("h2", { id: "run-title" }, "What was run"),
    h("p", { class: "intro" }, "Every number above was computed by these commands. Running them again gives the same numbers."),
    h("div", { class: "grid" }, ...report.runs.map(runBlock)));
}
