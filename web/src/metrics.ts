// The table of metrics: value, interval, value expected by chance, direction.
import { h, formatNumber } from "./dom";
import type { MetricCell, MetricRow, Report } from "./types";

const kDirection: Record<string, string> = {
  lower: "lower is better", higher: "higher is better", zero: "0 is best", one: "1 is best", neither: "describes the data",
};

function distance(row: MetricRow, value: number): number | undefined {
  switch (row.better) {
    case "lower": return value;
    case "higher": return -value;
    case "zero": return Math.abs(value);
    case "one": return Math.abs(value - 1);
    default: return undefined;
  }
}

function bestOf(row: MetricRow): number {
  const all = row.cells.map((c) => (c?.value == null ? undefined : distance(row, c.value)));
  const known = all.filter((x): x is number => x !== undefined);
  if (known.length < 2) return -1;
  const best = Math.min(...known);
  return known.filter((x) => x === best).length === 1 ? all.indexOf(best) : -1;
}

function cellOf(cell: MetricCell | null, model: string, best: boolean, several: boolean, floor: number): HTMLElement {
  const td = h("td", { role: "cell", class: best ? "best" : undefined, "data-model": model });
  if (several) td.append(h("span", { class: "who" }, model));
  if (!cell) return td;
  if (cell.value === null) {
    td.append(h("span", { class: "none" }, "not defined"), h("span", { class: "why" }, cell.why ?? ""));
    return td;
  }
  td.append(h("span", { class: "value" }, formatNumber(cell.value)));
  if (best) td.append(h("span", { class: "badge" }, "best"));
  if (cell.low !== undefined && cell.high !== undefined) {
    td.append(h("span", { class: "range" }, `${formatNumber(cell.low)} to ${formatNumber(cell.high)}`));
  }
  if (cell.null_mean !== undefined && cell.p_value !== undefined) {
    td.append(h("span", { class: "range" }, `by chance ${formatNumber(cell.null_mean)}, p ${Math.abs(cell.p_value / floor - 1) <= 1e-9 ? "<=" : "="} ${Number(cell.p_value.toPrecision(2))}`));
  }
  return td;
}

function table(report: Report, rows: MetricRow[], caption: string): HTMLElement {
  const models = report.metrics.models;
  // No p-value is smaller than 1 / (1 + replicates).
  const floors = models.map((name) => {
    const replicates = report.runs.find((r) => r.name === name && typeof r.settings?.["bootstrap"] === "number")?.settings?.["bootstrap"];
    return typeof replicates === "number" && replicates > 0 ? 1 / (1 + replicates) : 0;
  });
  return h("table", { class: "metrics", role: "table" },
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { scope: "col", role: "columnheader" }, "Metric"),
      ...models.map((m) => h("th", { scope: "col", role: "columnheader" }, m)))),
    h("tbody", { role: "rowgroup" }, ...rows.map((row) => {
      const best = bestOf(row);
      return h("tr", { role: "row" },
        h("th", { scope: "row", role: "rowheader" }, h("code", {}, row.key),
          h("span", { class: "line" }, row.line, row.line && kDirection[row.better] ? `; ${kDirection[row.better]}` : "")),
        ...row.cells.map((cell, i) => cellOf(cell, models[i]!, i === best, models.length > 1, floors[i]!)));
    })));
}

export function metricsSection(report: Report): HTMLElement | undefined {
  const rows = report.metrics.rows;
  if (rows.length === 0) return undefined;
  const headlines = rows.filter((r) => r.headline);
  const others = rows.filter((r) => !r.headline);
  const level = report.runs.map((r) => r.settings?.["level"]).find((x) => typeof x === "number") as number | undefined;
  const resampled = rows.some((r) => r.cells.some((c) => c?.low !== undefined));
  return h("section", { id: "metrics", "aria-labelledby": "metrics-title" },
    h("h2", { id: "metrics-title" }, "Metrics"),
    h("p", { class: "intro" }, resampled
      ? `Below each value: its ${Math.round(100 * (level ?? 0.95))}% interval and, for calibration errors, what a calibrated model would show by chance.`
      : "The values on this test set. Run with --bootstrap 200 to see their intervals."),
    h("div", { class: "card" }, table(report, headlines.length > 0 ? headlines : rows, "Headline metrics"),
      headlines.length > 0 && others.length > 0 &&
        h("details", { class: "more" }, h("summary", {}, `${others.length} more metrics`), table(report, others, "Further metrics"))));
}
