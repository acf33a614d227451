// Colours, fonts and lines of printed figures.
import type { Spec } from "./types";

export const kFontSize = 12;  // in units of the drawing, as the specs' sizes of marks assume
const kFont = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
const kInk = "#222222";
const kGrid = "#e4e4e4";
const kLine = "#777777";

// The page's colours, and those in print: Okabe and Ito's palette (2008), told apart with any colour vision.
const kPrint: Record<string, string> = {
  "#0b6e99": "#0072b2", "#c2410c": "#d55e00", "#4d7c0f": "#009e73", "#86198f": "#cc79a7", "#a16207": "#e69f00", "#334155": "#56b4e9",
  "#3f3f8f": "#0072b2", "#b5179e": "#cc79a7", "#2a8d80": "#009e73", "#d9624a": "#d55e00", "#7a8b2e": "#e69f00", "#6d5347": "#56b4e9",
  "#1d6b3f": "#0072b2", "#a3260f": "#d55e00", "#7c4a21": "#0072b2", "#b98a5e": "#56b4e9",
  "#5f6b7a": "#666666", "#d5dae0": "#cccccc", "#9aa5b1": "#999999", "#1b232c": kInk,
};

export function inPrintColours(spec: Spec): Spec {
  const changed = (value: unknown): unknown => {
    if (typeof value === "string") return kPrint[value] ?? value;
    if (Array.isArray(value)) return value.map(changed);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, k === "datasets" || k === "domain" ? v : changed(v)]));
  };
  return changed(spec) as Spec;
}

export function figureConfig(width: number, legendColumns: number): Record<string, unknown> {
  return {
    aria: false,
    font: kFont,
    view: { stroke: "transparent" },
    title: { font: kFont, fontSize: 1.1 * kFontSize, fontWeight: "bold", color: kInk, anchor: "start", frame: "bounds", offset: 10 },
    axis: {
      labelColor: kInk, titleColor: kInk, titleFontWeight: "normal", labelFontSize: kFontSize, titleFontSize: kFontSize, titlePadding: 8,
      gridColor: kGrid, domainColor: kLine, tickColor: kLine, labelPadding: 4, labelLimit: Math.round(0.35 * width), titleLimit: Math.round(0.9 * width),
    },
    axisX: { labelFlush: false, labelOverlap: true, labelSeparation: 8, tickCount: 6 },
    axisXDiscrete: { labelOverlap: false },
    axisY: { tickCount: 6, labelOverlap: true },
    axisYDiscrete: { labelOverlap: false },
    legend: {
      labelColor: kInk, titleColor: kInk, labelFontSize: kFontSize, titleFontSize: kFontSize, titleFontWeight: "normal", symbolType: "circle", symbolSize: 80, symbolOpacity: 1,
      labelLimit: Math.round(0.8 * width), offset: 8, columns: legendColumns,
    },
    mark: { tooltip: false },
  };
}
