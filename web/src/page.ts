// The page, top to bottom.
import { sectionCharts } from "./charts";
import { h, formatNumber, svg } from "./dom";
import { metricsSection } from "./metrics";
import { provenance } from "./provenance";
import { readerTable } from "./tables";
import type { Report, Section } from "./types";

const kThemes = ["auto", "light", "dark"];

function mark(): SVGElement {
  return svg("svg", { viewBox: "0 0 18 58", class: "mark", "aria-hidden": "true" },
    svg("line", { x1: 9, y1: 0, x2: 9, y2: 38 }), svg("path", { d: "M4 37h10l-1.5 5L9 57 5.5 42z" }));
}

function themeButton(): HTMLElement {
  const button = h("button", { type: "button", class: "theme" });
  const read = (): string => {
    try {
      return localStorage.getItem("plumb-theme") ?? "auto";
    } catch {
      return "auto";  // a page opened from a mail may have no storage
    }
  };
  const apply = (theme: string) => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    button.textContent = `Theme: ${theme}`;
  };
  let now = kThemes.includes(read()) ? read() : "auto";
  apply(now);
  button.addEventListener("click", () => {
    now = kThemes[(kThemes.indexOf(now) + 1) % kThemes.length]!;
    apply(now);
    try {
      localStorage.setItem("plumb-theme", now);
    } catch {
      // kept for this visit only
    }
  });
  return button;
}

function facts(report: Report): string {
  const m = report.models[0];
  if (!m) return "";
  const parts = [m.task, m.items !== undefined && `${formatNumber(m.items)} ${m.noun ?? "items"}`,
    m.votes !== undefined && m.items !== undefined && m.votes > m.items && `${formatNumber(m.votes)} votes`,
    m.classes !== undefined && m.classes > 2 && `${formatNumber(m.classes)} classes`,
    report.date, `plumb ${report.plumb}`];
  return parts.filter(Boolean).join(" · ");
}

function hero(report: Report): HTMLElement {
  return h("header", { class: "hero" },
    h("div", { class: "bar" }, h("span", { class: "brand" }, mark(), "Plumb"), themeButton()),
    h("h1", {}, ...report.models.map((m, i) => h("span", { class: `model m${i % 6}` }, m.name)),
      report.title !== "" && !report.models.some((m) => report.title.includes(m.name)) && h("span", { class: "title" }, report.title)),
    h("p", { class: "facts" }, facts(report)),
    ...report.verdicts.map((v) => h("div", { class: `verdict ${v.level.replace(" ", "-")}`, role: "status" },
      h("span", { class: "badge" }, report.verdicts.length > 1 ? `${v.model}: ${v.name}` : v.name), h("p", {}, v.text))),
    report.caution !== "" && h("p", { class: "caution" }, report.caution));
}

function next(report: Report): HTMLElement | undefined {
  if (report.next.length === 0) return undefined;
  return h("section", { id: "next", "aria-labelledby": "next-title" }, h("h2", { id: "next-title" }, "What to do next"),
    h("div", { class: "card prose" }, ...report.next.flatMap((n) => [
      h("p", {}, report.next.length > 1 ? `${n.model}: ${n.why}` : n.why),
      h("pre", { tabindex: 0 }, h("code", {}, n.command))])));
}

function words(report: Report): HTMLElement | undefined {
  if (report.words.length === 0) return undefined;
  return h("section", { id: "words", "aria-labelledby": "words-title" }, h("h2", { id: "words-title" }, "In words"),
    h("div", { class: report.words.length > 1 ? "grid" : "grid one" }, ...report.words.map((w) => h("div", { class: "card prose" },
      report.words.length > 1 && h("h3", {}, w.model), h("ul", {}, ...w.sentences.map((s) => h("li", {}, s)))))));
}

export async function showPage(report: Report, at: HTMLElement): Promise<void> {
  const sections: { id: string; title: string; element: HTMLElement }[] = [];
  const add = (id: string, title: string, element: HTMLElement | undefined) => element && sections.push({ id, title, element });
  // The diagram that the verdict refers to comes first; words and numbers follow.
  const first = report.sections.filter((s) => s.id === "calibration" || s.id === "regression");
  const others = report.sections.filter((s) => !first.includes(s));
  const show = (list: Section[]) => list.flatMap((s) => {
    const made = sectionCharts(s);
    add(s.id, s.title, h("section", { id: s.id, "aria-labelledby": `${s.id}-title` }, h("h2", { id: `${s.id}-title` }, s.title),
      h("p", { class: "intro" }, s.intro), ...made.pickers,
      h("div", { class: "grid" }, ...made.charts.map((c) => c.figure), ...s.tables.map(readerTable))));
    return made.charts;
  });
  const charts = show(first);
  add("words", "In words", words(report));
  add("next", "What to do next", next(report));
  add("metrics", "Metrics", metricsSection(report));
  charts.push(...show(others));
  add("run", "What was run", provenance(report));
  at.append(h("a", { class: "skip", href: "#main" }, "Skip to the results"), hero(report),
    h("nav", { "aria-label": "Sections" }, ...sections.map((s) => h("a", { href: `#${s.id}` }, s.title))),
    h("main", { id: "main" }, ...sections.map((s) => s.element)),
    h("footer", {}, `Made by plumb ${report.plumb}${report.date === "" ? "" : ` on ${report.date}`}. The plots are drawn by Vega-Lite (BSD-3-Clause).`));
  for (const chart of charts) await chart.draw();
  document.documentElement.dataset.ready = "yes";
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => charts.forEach((c) => void c.resize()), 150) as unknown as number;
  });
}
