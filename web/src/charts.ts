// A plot as a figure: title, what it means, the drawing, how to read it, its data.
import embed, { type Result as Embedded } from "vega-embed";
import { h, scalar } from "./dom";
import { sized } from "./sizes";
import type { Choice, Plot, Row, Section, Spec } from "./types";

// The colours of the specs, and the variables that the page's theme replaces them with, so that light,
// dark and print need no redrawing.
const kTheme: Record<string, string> = {
  "#0b6e99": "var(--c0)", "#c2410c": "var(--c1)", "#4d7c0f": "var(--c2)", "#86198f": "var(--c3)",
  "#a16207": "var(--c4)", "#334155": "var(--c5)", "#5f6b7a": "var(--muted)", "#d5dae0": "var(--rule)",
  "#9aa5b1": "var(--faint)", "#ffffff": "var(--card)", "#1b232c": "var(--ink)",
  // c0 to c5 are models. Right and wrong have the colours of the verdicts; measures and parts have their own.
  "#1d6b3f": "var(--good)", "#a3260f": "var(--poor)", "#3f3f8f": "var(--d0)", "#b5179e": "var(--d1)", "#2a8d80": "var(--d2)",
  "#d9624a": "var(--d3)", "#7a8b2e": "var(--d4)", "#6d5347": "var(--d5)", "#7c4a21": "var(--part0)", "#b98a5e": "var(--part1)",
};
const kFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const kConfig = {
  background: "transparent",
  font: kFont,
  view: { stroke: "transparent" },
  axis: {
    labelColor: "var(--muted)", titleColor: "var(--muted)", titleFontWeight: 500, labelFontSize: 12, titleFontSize: 12,
    titlePadding: 10, gridColor: "var(--grid)", domainColor: "var(--rule)", tickColor: "var(--rule)", labelPadding: 6,
  },
  axisX: { labelFlush: false, labelOverlap: true, labelSeparation: 8, tickCount: 6 },
  axisY: { tickCount: 6 },
  legend: { labelColor: "var(--ink)", titleColor: "var(--muted)", labelFontSize: 12, symbolType: "circle", symbolSize: 90, symbolOpacity: 1, labelLimit: 200, offset: 8 },
  mark: { tooltip: true },
};
const kRowsShown = 500;

function themed(value: unknown): unknown {
  if (typeof value === "string") return kTheme[value] ?? value;
  if (Array.isArray(value)) return value.map(themed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, k === "datasets" ? v : themed(v)]));
}

function resolved(svgText: string): string {
  const style = getComputedStyle(document.documentElement);
  return svgText.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
}

function save(name: string, text: string): void {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: `${name}.svg` });
  link.click();
  URL.revokeObjectURL(link.href);
}

function dataTable(spec: Spec): HTMLElement {
  const rows: Row[] = spec.datasets.rows ?? [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shownRows = rows.slice(0, kRowsShown);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "the data of this plot" },
    h("table", { class: "data" },
      h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c)))),
      h("tbody", {}, ...shownRows.map((row) => h("tr", {}, ...columns.map((c) => h("td", {}, scalar(row[c]))))))),
    rows.length > kRowsShown && h("p", { class: "small" }, `The first ${kRowsShown} of ${rows.length} rows.`));
}

class Chart {
  readonly figure: HTMLElement;
  private readonly sentence: HTMLElement;
  private readonly place: HTMLElement;
  private drawn: Embedded | undefined;
  private width = 0;
  private picked: string | undefined;

  constructor(readonly plot: Plot, private readonly linked: (from: Chart, tuples: unknown[]) => void) {
    const id = `plot-${plot.name}`;
    this.sentence = h("p", { class: "meaning", "aria-live": "polite" }, plot.sentence);
    this.place = h("div", { class: "plot", id, "data-plot": plot.name });
    const data = h("details", {}, h("summary", {}, "Data"));
    data.addEventListener("toggle", () => {
      if (data.open && data.children.length === 1) data.append(dataTable(plot.spec));
    });
    const saver = h("button", { type: "button", class: "link" }, "Save as SVG");
    saver.addEventListener("click", () => void this.drawn?.view.toSVG().then((text) => save(plot.name, resolved(text))));
    this.figure = h("figure", { class: "card", "aria-labelledby": `${id}-title` },
      h("h3", { id: `${id}-title` }, plot.title), this.sentence, this.place,
      h("div", { class: "foot" }, h("details", {}, h("summary", {}, "How to read it"), h("p", {}, plot.how)), data, saver));
  }

  get choices(): Choice[] {
    return this.plot.choices ?? [];
  }

  async draw(): Promise<void> {
    this.width = this.place.clientWidth;
    const spec = themed(sized(this.plot.spec, this.width)) as Spec;
    const result = await embed(this.place, { ...spec, description: this.plot.sentence } as never, {
      actions: false, renderer: "svg", ast: true, config: kConfig as never, tooltip: { theme: "custom" },
    });
    this.drawn = result;
    if (this.picked !== undefined) await result.view.signal("pick", this.picked).runAsync();
    if (JSON.stringify(this.plot.spec).includes('"hover"')) {
      result.view.addDataListener("hover_store", (_, tuples) => this.linked(this, tuples as unknown[]));
    }
    this.place.dataset.drawn = "yes";
  }

  async resize(): Promise<void> {
    if (this.place.clientWidth !== this.width && this.place.clientWidth > 0) {
      this.drawn?.finalize();
      await this.draw();
    }
  }

  async pick(value: string): Promise<void> {
    const choice = this.choices.find((c) => c.value === value);
    if (!choice) return;
    this.picked = value;
    this.sentence.textContent = choice.sentence;
    await this.drawn?.view.signal("pick", value).runAsync();
  }

  highlight(tuples: unknown[]): void {
    try {
      const view = this.drawn?.view;
      const same = JSON.stringify(view?.data("hover_store")) === JSON.stringify(tuples);
      if (view && !same) void view.data("hover_store", tuples as never).runAsync();
    } catch {
      // a plot without bins
    }
  }
}

function picker(section: Section, name: string, charts: Chart[]): HTMLElement {
  const choices = charts[0]!.choices;
  const id = `pick-${section.id}-${name}`;
  const select = h("select", { id }, ...choices.map((c) => h("option", { value: c.value }, c.label)));
  select.addEventListener("change", () => charts.forEach((chart) => void chart.pick(select.value)));
  return h("div", { class: "picker" }, h("label", { for: id }, `Show ${name}`), select);
}

/** The figures of a section and their pickers; draw() once they are in the page. */
export function sectionCharts(section: Section): { pickers: HTMLElement[]; charts: Chart[] } {
  const charts: Chart[] = [];
  const linked = (from: Chart, tuples: unknown[]) => charts.forEach((c) => c !== from && c.highlight(tuples));
  for (const plot of section.plots) charts.push(new Chart(plot, linked));
  const groups = new Map<string, Chart[]>();
  for (const chart of charts) {
    if (!chart.plot.picker) continue;
    const key = chart.plot.picker + "\n" + chart.choices.map((c) => c.value).join("\n");
    groups.set(key, [...(groups.get(key) ?? []), chart]);
  }
  const pickers: HTMLElement[] = [];
  for (const group of groups.values()) {
    const element = picker(section, group[0]!.plot.picker!, group);
    // A control that belongs to one plot is shown inside that plot.
    if (group.length === 1 && charts.length > 1) group[0]!.figure.querySelector("h3")!.after(element);
    else pickers.push(element);
  }
  return { pickers, charts };
}
