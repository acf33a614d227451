// What depends on the size of the plot inside its axes: where statistics stand, names at an angle, numbers in the cells of a
// matrix, the area of dots.
import { kFontSize } from "./figure_style";
import { textWidth } from "./text_width";
import type { Row, Spec } from "./types";

export interface Size { width: number; height: number }
interface Axis { field?: string; type?: string; axis?: Record<string, unknown> | null }
interface Layer { data?: { name?: string }; mark?: { type?: string } & Record<string, unknown>; encoding?: Record<string, { format?: string } & Record<string, unknown>> }

/** Of a matrix; empty where the horizontal axis has numbers. */
function columnNames(spec: Spec): string[] {
  const x = (spec.encoding as { x?: Axis } | undefined)?.x;
  if (x?.field === undefined || (x.type !== "nominal" && x.type !== "ordinal")) return [];
  return [...new Set((spec.datasets.rows ?? []).map((row) => String(row[x.field!] ?? "")))];
}

/** Names below the columns of a matrix stand at an angle where they would run into each other. */
function slanted(spec: Spec, width: number): Spec {
  const encoding = spec.encoding as { x?: Axis } | undefined;
  const x = encoding?.x;
  const labels = columnNames(spec);
  if (x === undefined || x.axis === null || labels.length === 0) return spec;
  const widest = Math.max(0, ...labels.map((l) => textWidth(l.slice(0, 500), kFontSize)));
  if (widest + 6 < width / labels.length) return spec;
  const axis = { ...x.axis, labelAngle: -40, labelLimit: Math.max(100, Math.round(0.3 * width)) };
  return { ...spec, encoding: { ...encoding, x: { ...x, axis } } };
}

/** Shares in the cells of a matrix are as large as has room. */
function inCells(spec: Spec, width: number): Spec {
  const columns = columnNames(spec).length;
  const layers = spec.layer as Layer[] | undefined;
  if (columns === 0 || layers === undefined) return spec;
  const fitted = layers.map((layer) => {
    if (layer.mark?.type !== "text") return layer;
    const widest = textWidth(layer.encoding?.text?.format === ".0%" ? "88%" : "88.8%", 1);
    return { ...layer, mark: { ...layer.mark, fontSize: Math.min(kFontSize, (0.88 * width) / columns / widest) } };
  });
  return { ...spec, layer: fitted };
}

/** Areas of dots shrink with a small plot. */
function smallerDots(spec: Spec, width: number): Spec {
  const factor = Math.min(1, Math.max(0.3, (width / 340) ** 2));
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => {
      const scale = key === "size" ? (inner as { scale?: { range?: unknown } } | null)?.scale : undefined;
      if (!Array.isArray(scale?.range)) return [key, key === "datasets" ? inner : changed(inner)];
      return [key, { ...(inner as object), scale: { ...scale, range: scale!.range.map((x) => factor * Number(x)) } }];
    }));
  };
  return changed(spec) as Spec;
}

/** The lines of statistics, broken at commas so that they stay clear of the diagonal. */
function statisticsLines(rows: Row[], room: number, size: number): Row[] {
  const lines: Row[] = [];
  for (const row of rows) {
    let line = "";
    for (const part of String(row.text ?? "").split(/, (?=[a-zA-Z])/)) {
      if (line !== "" && textWidth(`${line}, ${part}`, size) > room) {
        lines.push({ ...row, text: line });
        line = "";
      }
      line += (line === "" ? "" : ", ") + part;
    }
    lines.push({ ...row, text: line });
  }
  return lines;
}

/** The data set "statistics" as lines of text above the diagonal, or below it where fewer dots are. */
function withStatistics(spec: Spec, plot: Size): Spec {
  const rows = spec.datasets.statistics;
  const layers = spec.layer as Layer[] | undefined;
  if (rows === undefined || layers === undefined) return spec;
  const size = Math.min(kFontSize, Math.max(9, plot.width / 24));
  const lines = statisticsLines(rows, 0.66 * plot.width, size);
  const pitch = (1.3 * size) / plot.height;
  const wide = Math.max(0, ...lines.map((line) => textWidth(String(line.text), size))) / plot.width + 0.05;
  const high = lines.length * pitch + 0.05;
  const pick = (spec.params as { name: string; value?: unknown }[] | undefined)?.find((p) => p.name === "pick")?.value;
  const dots = (spec.datasets.rows ?? []).filter((row) => row.view === pick).map((row) => [Number(row.mean_p), Number(row.mean_y)] as const);
  const above = dots.filter(([x, y]) => x < wide && y > 1 - high).length;
  const below = dots.filter(([x, y]) => x > 1 - wide && y < high).length;
  const top = above <= below;
  const placed = lines.map((line, i) => ({ ...line, y: top ? 0.98 - pitch * i : 0.02 + pitch * (lines.length - i) }));
  const moved = layers.map((layer) => layer.data?.name !== "statistics" ? layer : {
    ...layer,
    mark: { ...layer.mark, fontSize: size, align: top ? "left" : "right" },
    encoding: { ...layer.encoding, x: { ...layer.encoding?.x, datum: top ? 0.02 : 0.98 } },
  });
  return { ...spec, layer: moved, datasets: { ...spec.datasets, statistics: placed } };
}

export function fittedTo(plot: Size, spec: Spec): Spec {
  return smallerDots(inCells(slanted(withStatistics(spec, plot), plot.width), plot.width), plot.width);
}
