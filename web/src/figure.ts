// A plot as a figure for print: SVG of a given size. It runs in a bare JavaScript engine inside the plugin of figures,
// which calls plumbFigure().
import "./engine";
import * as vega from "vega";
import * as vegaLite from "vega-lite";
import { fittedTo, type Size } from "./figure_fit";
import { figureConfig, inPrintColours, kFontSize } from "./figure_style";
import { freeLegends, legendColumns, wrapped } from "./figure_text";
import { sized } from "./sizes";
import { measureTextByTable } from "./text_width";
import type { Spec } from "./types";

interface Request {
  spec: Spec;
  width: number;           // mm
  height: number;          // mm; 0: what suits the plot
  font: number;            // pt
  title?: string | null;   // null: none; without it the spec's own
  pick?: string;           // the value of the parameter of this name
}
interface Drawing { svg: string; total: Size }

const kPointsPerMm = 72 / 25.4;
const kPasses = 6;
const kLeast = 40;  // of the plot inside its axes; a figure that is too small for its text is scaled down

async function draw(spec: Spec, plot: Size): Promise<Drawing> {
  const compiled = vegaLite.compile({ ...spec, ...plot, autosize: { type: "pad" } } as never).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logLevel: vega.Error });
  const svg = await view.toSVG();
  view.finalize();
  const [, width, height] = /^<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  if (width === undefined || height === undefined) throw new Error("the drawing has no size");
  if (/NaN|Infinity/.test(svg.replace(/>[^<]*</g, "><"))) throw new Error("a coordinate of the drawing is not a number");
  return { svg, total: { width: Number(width), height: Number(height) } };
}

/** What the plot has for itself when nothing but the width is given. */
function naturalHeight(spec: Spec, width: number): number {
  const height = sized(spec, width).height;
  return typeof height === "number" ? height : 320;
}

const isSquare = (spec: Spec) => {
  const meta = spec.usermeta as { square?: boolean; squareFigure?: boolean } | undefined;
  return meta?.square === true || meta?.squareFigure === true;
};
const hasRows = (spec: Spec) => typeof spec.height === "object";

/** The size inside the axes that makes the whole fill `target`: axes and legends are measured and taken off, until it fits. */
async function fitted(spec: Spec, target: Size): Promise<Drawing> {
  let plot: Size = { width: target.width * 0.8, height: target.height > 0 ? target.height * 0.75 : target.width * 0.6 };
  let best: Drawing | undefined;
  for (let pass = 0; pass < kPasses; ++pass) {
    if (isSquare(spec)) plot = { width: Math.min(plot.width, target.height > 0 ? plot.height : plot.width), height: 0 };
    if (isSquare(spec)) plot.height = plot.width;
    else if (target.height === 0) {
      const natural = naturalHeight(spec, plot.width);
      plot.height = hasRows(spec) ? natural : Math.min(natural, 0.7 * plot.width);
    }
    best = await draw(fittedTo(plot, spec), plot);
    const off = { width: target.width - best.total.width, height: target.height > 0 ? target.height - best.total.height : 0 };
    const next = { width: Math.max(kLeast, plot.width + off.width), height: Math.max(kLeast, plot.height + off.height) };
    if (Math.abs(next.width - plot.width) < 1 && Math.abs(next.height - plot.height) < 1) break;
    if (isSquare(spec) && target.height > 0) {
      const side = Math.min(next.width, next.height);
      if (Math.abs(side - plot.width) < 1) break;
    }
    plot = next;
  }
  return best!;
}

function picked(spec: Spec, pick: string | undefined): Spec {
  const params = spec.params as { name: string; value?: unknown }[] | undefined;
  if (pick === undefined || params === undefined) return spec;
  return { ...spec, params: params.map((p) => (p.name === "pick" ? { ...p, value: pick } : p)) };
}

const escaped = (text: string) =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** The root element in millimetres, with the title and the description that a screen reader reads. */
function framed(drawing: Drawing, size: Size, title: string, description: string): string {
  const body = drawing.svg.replace(/^<svg[^>]*>/, "").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  const mm = (x: number) => `${Math.round(x * 100) / 100}mm`;
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" width="${mm(size.width)}" ` +
    `height="${mm(size.height)}" viewBox="0 0 ${drawing.total.width} ${drawing.total.height}" role="img">` +
    `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>${body}\n`;
}

export async function figure(request: Request): Promise<string> {
  measureTextByTable();
  const units = (kPointsPerMm * kFontSize) / request.font;  // of the drawing, per mm: its text has the size kFontSize
  const target = { width: request.width * units, height: request.height * units };
  const spec = picked(freeLegends(inPrintColours(request.spec)) as Spec, request.pick);
  const ownTitle = typeof spec.title === "string" ? spec.title : "";
  const title = request.title === undefined ? ownTitle : request.title ?? "";
  const printed: Spec = {
    ...spec,
    background: "white",
    padding: 4,
    title: title === "" ? undefined : { text: wrapped(title, target.width - 16, 1.1 * kFontSize, true) },
    config: figureConfig(target.width, legendColumns(spec, target.width)),
  };
  const drawing = await fitted(printed, target);
  const height = request.height > 0 ? request.height : (request.width * drawing.total.height) / drawing.total.width;
  return framed(drawing, { width: request.width, height }, title || ownTitle, typeof spec.description === "string" ? spec.description : "");
}

/** For the engine: the answer is put where it can be read once all promises are resolved. */
const answer: { svg: string | null; error: string | null } = { svg: null, error: null };
(globalThis as unknown as Record<string, unknown>).plumbAnswer = answer;
(globalThis as unknown as Record<string, unknown>).plumbFigure = (text: string): void => {
  answer.svg = answer.error = null;
  const asked = (async () => figure(JSON.parse(text) as Request))();
  asked.then((svg) => { answer.svg = svg; }, (error: unknown) => { answer.error = String(error); });
};
